package io.latchkey.bench.peers;

import io.latchkey.cache.Cache;
import io.latchkey.storage.Storage;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Ours. */
final class LatchkeyUnderTest<K, V> implements CacheUnderTest<K, V> {
  private final Cache<K, V> cache;

  LatchkeyUnderTest(Storage<K, V> storage, long bound) {
    this(Cache.over(storage).maximumSize(bound).build());
  }

  private LatchkeyUnderTest(Cache<K, V> cache) {
    this.cache = cache;
  }

  /** One whose objects expire this long after they were loaded or put. */
  static <K, V> CacheUnderTest<K, V> expiring(Storage<K, V> storage, long bound, Duration life) {
    return new LatchkeyUnderTest<>(
        Cache.over(storage).maximumSize(bound).expireAfterWrite(life).build());
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
