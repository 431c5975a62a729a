package io.latchkey.cache;

/**
 * What a cache has counted since it was built, see {@link Cache#stats}. When nothing is under way,
 * hits and misses add up to the look-ups, and successful, failed and abandoned loads to the calls
 * of the storage that load. Immutable.
 *
 * <p>Look-ups are {@link Cache#get(Object) get}, {@link Cache#getAsync getAsync}, {@link
 * Cache#getIfPresent getIfPresent}, and each distinct key of {@link Cache#getAll getAll}. Hits,
 * misses and times are zero in a cache without {@link CacheBuilder#recordStats}; the rest is always
 * counted.
 *
 * @param hitCount look-ups that the cache answered: with an object, or with an absence or a failure
 *     that it remembered
 * @param missCount look-ups that loaded or waited for a load of others, and those of {@code
 *     getIfPresent} that found nothing
 * @param loadSuccessCount calls of the storage that returned, with an object or without; a {@code
 *     loadAll} is one, and a load that was invalidated meanwhile counts too
 * @param loadFailureCount calls of the storage that threw
 * @param loadAbandonedCount calls of the storage that were interrupted, or took longer than {@code
 *     loadTimeout}, however they ended later
 * @param totalLoadTimeNanos nanoseconds spent in calls of the storage, summed over all threads;
 *     calls that were abandoned on the executor are left out
 * @param totalWaitTimeNanos nanoseconds that threads waited for loads that others ran, summed over
 *     all threads; futures wait for nothing
 * @param evictionCount entries that the policy threw out to keep the bound; expiry, invalidation
 *     and replacement are none
 * @param evictionWeight the weight of these entries; without a weigher each weighs 1
 * @param droppedPrefetchCount keys whose prefetch was dropped because the executor was full or
 *     closed
 * @param postponedRefreshCount refreshes that were not made for the same reason
 */
public record CacheStats(
    long hitCount,
    long missCount,
    long loadSuccessCount,
    long loadFailureCount,
    long loadAbandonedCount,
    long totalLoadTimeNanos,
    long totalWaitTimeNanos,
    long evictionCount,
    long evictionWeight,
    long droppedPrefetchCount,
    long postponedRefreshCount) {

  /**
   * Counts of a cache whose executor never refused.
   *
   * @param hitCount as above
   * @param missCount as above
   * @param loadSuccessCount as above
   * @param loadFailureCount as above
   * @param loadAbandonedCount as above
   * @param totalLoadTimeNanos as above
   * @param totalWaitTimeNanos as above
   * @param evictionCount as above
   * @param evictionWeight as above
   */
  public CacheStats(
      long hitCount,
      long missCount,
      long loadSuccessCount,
      long loadFailureCount,
      long loadAbandonedCount,
      long totalLoadTimeNanos,
      long totalWaitTimeNanos,
      long evictionCount,
      long evictionWeight) {
    this(
        hitCount,
        missCount,
        loadSuccessCount,
        loadFailureCount,
        loadAbandonedCount,
        totalLoadTimeNanos,
        totalWaitTimeNanos,
        evictionCount,
        evictionWeight,
        0,
        0);
  }

  /**
   * The share of look-ups that were hits.
   *
   * @return hits over look-ups, from 0 to 1; 1 when there were no look-ups
   */
  public double hitRate() {
    long lookups = hitCount + missCount;
    return lookups == 0 ? 1.0 : (double) hitCount / lookups;
  }
}
