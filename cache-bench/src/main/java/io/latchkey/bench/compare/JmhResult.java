package io.latchkey.bench.compare;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One benchmark with its parameters, as a JMH file has it.
 *
 * @param name benchmark, parameters but the implementation, and threads
 * @param implementation what was measured; empty if the file does not say
 * @param unit of the primary values, as in {@code ns/op}
 * @param primary the primary values
 * @param bytes allocated for an operation; null if not measured
 * @param settings how it was measured, by name, which two results to compare have in common
 */
record JmhResult(
    String name,
    String implementation,
    String unit,
    Sample primary,
    @Nullable Sample bytes,
    Map<String, String> settings) {
  /** The name with the implementation. */
  String fullName() {
    return implementation.isEmpty() ? name : name + "/" + implementation;
  }
}
