package io.latchkey.bench.peers;

import org.jspecify.annotations.Nullable;

/**
 * A bounded cache that reads and writes through to a storage, as a careful user would set it up.
 * Safe for use by many threads. Objects that the storage does not have are not asked for: what
 * happens then differs from cache to cache.
 */
public interface CacheUnderTest<K, V> extends AutoCloseable {
  /**
   * The object of the key, loaded if need be. Throws an unchecked exception if the load failed; the
   * next call then loads again.
   */
  @Nullable V get(K key);

  /** Stores the object, if the storage can be written, and caches it. */
  void put(K key, V value);

  /** Forgets the object, so that the next {@link #get} loads it. */
  void invalidate(K key);

  /** Does the upkeep that the cache has put off, then tells how many objects it holds. */
  long settledSize();

  @Override
  void close();
}
