package io.latchkey.bench.peers;

import com.github.benmanes.caffeine.cache.AsyncLoadingCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.latchkey.storage.Storage;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Caffeine as an asynchronous loading cache, asked by threads that wait for the future: loads run
 * on its usual executor, the common pool.
 */
final class CaffeineAsyncUnderTest<K, V> implements CacheUnderTest<K, V> {
  private final AsyncLoadingCache<K, V> cache;
  private final Through<K, V> through;

  @SuppressWarnings("NullAway") // objects that the storage does not have are not asked for
  CaffeineAsyncUnderTest(Storage<K, V> storage, long bound) {
    through = new Through<>(storage);
    cache = Caffeine.newBuilder().maximumSize(bound).buildAsync(through::load);
  }

  @Override
  public @Nullable V get(K key) {
    CompletableFuture<V> future = cache.get(key);
    try {
      return future.join();
    } catch (CompletionException e) {
      // Caffeine removes it too, but only after those who wait were told.
      cache.asMap().remove(key, future);
      throw e;
    }
  }

  @Override
  public void put(K key, V value) {
    cache
        .synchronous()
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
    cache.synchronous().invalidate(key);
  }

  @Override
  public long settledSize() {
    cache.synchronous().cleanUp();
    return cache.synchronous().estimatedSize();
  }

  @Override
  public void close() {
    cache.synchronous().invalidateAll();
  }
}
