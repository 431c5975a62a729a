package io.latchkey.cache.testing;

import io.latchkey.cache.Cache;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The ways to ask a cache for one object and block until it is there. */
public enum Via {
  /** By {@code get}. */
  GET {
    @Override
    public <K, V> @Nullable V get(Cache<K, V> cache, K key) {
      return cache.get(key);
    }
  },
  /** By {@code get} with a timeout that never comes. */
  TIMED {
    @Override
    public <K, V> @Nullable V get(Cache<K, V> cache, K key) {
      return cache.get(key, Duration.ofHours(1));
    }
  },
  /** By {@code getAll}. */
  BULK {
    @Override
    public <K, V> @Nullable V get(Cache<K, V> cache, K key) {
      return cache.getAll(List.of(key)).get(key);
    }
  };

  /** Asks the cache. */
  public abstract <K, V> @Nullable V get(Cache<K, V> cache, K key);
}
