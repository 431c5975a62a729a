package io.latchkey.cache;

/**
 * Is told of objects that left the cache. Runs on the executor; what it throws is logged and
 * dropped.
 */
@FunctionalInterface
public interface RemovalListener<K, V> {
  /** The object left the cache. */
  void removed(K key, V value, RemovalCause cause);
}
