package io.latchkey.cache;

/** Counts of a cache since it was built. */
public record CacheStats(
    long hitCount,
    long missCount,
    long loadSuccessCount,
    long loadFailureCount,
    long loadAbandonedCount,
    long totalLoadTimeNanos,
    long totalWaitTimeNanos,
    long evictionCount,
    long evictionWeight) {

  /** Hits over look-ups, 1 when there were none. */
  public double hitRate() {
    long lookups = hitCount + missCount;
    return lookups == 0 ? 1.0 : (double) hitCount / lookups;
  }
}
