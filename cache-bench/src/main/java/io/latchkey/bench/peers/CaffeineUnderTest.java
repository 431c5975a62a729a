package io.latchkey.bench.peers;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import io.latchkey.storage.Storage;
import org.jspecify.annotations.Nullable;

/**
 * Caffeine as a loading cache; writes go through {@code asMap().compute}, which its guide names for
 * write-through.
 */
final class CaffeineUnderTest<K, V> implements CacheUnderTest<K, V> {
  private final LoadingCache<K, V> cache;
  private final Through<K, V> through;

  @SuppressWarnings("NullAway") // a loader of LoadingCache<K, @Nullable V> may return null
  CaffeineUnderTest(Storage<K, V> storage, long bound, Caffeine<Object, Object> builder) {
    through = new Through<>(storage);
    cache = builder.maximumSize(bound).build(through::load);
  }

  @Override
  public @Nullable V get(K key) {
    return cache.get(key);
  }

  @Override
  public void put(K key, V value) {
    cache
        .asMap()
        .compute(
            key,
            (k, old) -> {
              through.store(k, value);
              return value;
            });
  }

  @Override
  public void invalidate(K key) {
    cache.invalidate(key);
  }

  @Override
  public long settledSize() {
    cache.cleanUp();
    return cache.estimatedSize();
  }

  @Override
  public void close() {
    cache.invalidateAll();
  }
}
