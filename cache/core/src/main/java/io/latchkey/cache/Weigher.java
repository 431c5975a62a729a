package io.latchkey.cache;

/** Gives the weight of a cached object. */
@FunctionalInterface
public interface Weigher<K, V> {
  /** The weight, zero or more, in the unit of the cache's maximum weight. */
  int weigh(K key, V value);
}
