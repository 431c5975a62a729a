package io.latchkey.cache;

/**
 * Gives the weight of an object, in the unit of the cache's {@link CacheBuilder#maximumWeight}.
 *
 * <pre>{@code
 * Cache<String, byte[]> pages =
 *     Cache.over(site)
 *         .maximumWeight(64 << 20) // 64 MiB
 *         .weigher((path, page) -> page.length)
 *         .build();
 * }</pre>
 *
 * @param <K> the type of the keys
 * @param <V> the type of the objects
 */
@FunctionalInterface
public interface Weigher<K, V> {
  /**
   * The weight of an object. Called for each load and put, by many threads at once, on the thread
   * that loads or puts and with no lock held. An object heavier than the bound goes to its callers
   * and is not kept.
   *
   * <p>If this throws or returns a negative number, the load fails with a {@link
   * CacheLoadException}; a put throws it and stores nothing.
   *
   * @param key the key
   * @param value the object
   * @return the weight, zero or more
   */
  int weigh(K key, V value);
}
