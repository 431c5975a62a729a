package io.latchkey.bench.demo;

/**
 * What one read phase measured.
 *
 * @param reads objects read by all threads
 * @param nanos from the start to the end of the last reader
 * @param cpuNanos processor time of the readers, which other work on the machine does not lengthen
 * @param loads loads from the store
 * @param updates objects written by the writer
 * @param stale reads that got a version older than one acknowledged before they began
 */
record PhaseResult(long reads, long nanos, long cpuNanos, long loads, long updates, long stale) {
  /** Reads per second. */
  double throughput() {
    return reads * 1e9 / nanos;
  }

  /** Processor time for a read, in nanoseconds. */
  double cpuNanosOfARead() {
    return (double) cpuNanos / reads;
  }
}
