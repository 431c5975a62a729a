/** Runs what JMH cannot measure in fresh JVMs of its own. */
@org.jspecify.annotations.NullMarked
package io.latchkey.bench.forks;
