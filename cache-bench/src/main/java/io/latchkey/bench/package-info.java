/** Benchmarks and the command line. */
@org.jspecify.annotations.NullMarked
package io.latchkey.bench;
