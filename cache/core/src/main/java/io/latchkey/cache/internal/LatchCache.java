package io.latchkey.cache.internal;

import io.latchkey.cache.Cache;

/** The cache. */
public abstract class LatchCache<K, V> implements Cache<K, V> {
  /** Builds a cache. */
  public static <K, V> Cache<K, V> build(Settings<K, V> settings) {
    throw new IllegalStateException("under construction");
  }
}
