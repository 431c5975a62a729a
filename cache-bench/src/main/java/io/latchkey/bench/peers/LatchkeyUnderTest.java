package io.latchkey.bench.peers;

import io.latchkey.cache.Cache;
import io.latchkey.storage.Storage;
import org.jspecify.annotations.Nullable;

/** Ours. */
final class LatchkeyUnderTest<K, V> implements CacheUnderTest<K, V> {
  private final Cache<K, V> cache;

  LatchkeyUnderTest(Storage<K, V> storage, long bound) {
    cache = Cache.over(storage).maximumSize(bound).build();
  }

  @Override
  public @Nullable V get(K key) {
    return cache.get(key);
  }

  @Override
  public void put(K key, V value) {
    cache.put(key, value);
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
    cache.close();
  }
}
