/**
 * The demonstration: the same store read directly, through a cache written by hand, through
 * Caffeine and through Latchkey, in phases that take turns so that drift of the machine hits all
 * alike.
 *
 * <p>{@link io.latchkey.bench.demo.Demo} runs it: a {@code DemoStore} holds versioned objects, a
 * {@code Workload} says which of them are read, a {@code ReadPhase} lets readers and a writer work
 * on one {@code Contender} and checks every version that is read, a {@code Stampede} sends all
 * callers at once for one cold object, and a {@code DemoReport} prints what was measured.
 */
@org.jspecify.annotations.NullMarked
package io.latchkey.bench.demo;
