/**
 * The command line {@code latchkey-bench}: {@link io.latchkey.bench.LatchkeyBench} and one class
 * for each command, which checks the options, runs the work and prints the result.
 *
 * <p>The work is done below: {@code peers} puts each cache behind one interface, {@code keys} tells
 * which keys are read (drawn, or replayed from a trace), {@code jmh} holds the benchmarks and runs
 * them, {@code demo} runs all caches over one embedded store, {@code console} writes tables and
 * progress. A command uses these packages; they never use a command.
 */
@org.jspecify.annotations.NullMarked
package io.latchkey.bench;
