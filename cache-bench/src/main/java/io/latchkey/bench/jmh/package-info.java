/**
 * The JMH benchmarks, and how they are run: a {@code Grid} of {@code Cell}s, each a benchmark with
 * its parameters, is run by {@code InterleavedRun} in fresh JVMs, with the implementations taking
 * turns, and shown by {@code ResultTables}.
 *
 * <p>Unless told otherwise, all benchmarks cache {@code Long}s by {@code Long}s over a storage that
 * answers at once, so that what is timed is the cache. Each checks that it measured what its name
 * says.
 */
@org.jspecify.annotations.NullMarked
package io.latchkey.bench.jmh;
