package io.latchkey.bench.peers;

import com.google.common.cache.CacheBuilder;
import com.google.common.cache.CacheLoader;
import com.google.common.cache.LoadingCache;
import com.google.common.util.concurrent.ExecutionError;
import com.google.common.util.concurrent.UncheckedExecutionException;
import io.latchkey.storage.Storage;
import org.jspecify.annotations.Nullable;

/** Guava's cache with its loader. It has no write-through: a put stores first, then caches. */
final class GuavaUnderTest<K, V> implements CacheUnderTest<K, V> {
  private final LoadingCache<K, V> cache;
  private final Through<K, V> through;

  @SuppressWarnings("NullAway") // objects that the storage does not have are not asked for
  GuavaUnderTest(Storage<K, V> storage, long bound, CacheBuilder<Object, Object> builder) {
    through = new Through<>(storage);
    cache = builder.maximumSize(bound).build(CacheLoader.from(through::load));
  }

  @Override
  public @Nullable V get(K key) {
    try {
      return cache.getUnchecked(key);
    } catch (UncheckedExecutionException | ExecutionError e) {
      throw unwrapped(e);
    }
  }

  private static RuntimeException unwrapped(Throwable wrapper) {
    Throwable cause = wrapper.getCause();
    if (cause instanceof Error error) {
      throw error;
    }
    return cause instanceof RuntimeException e ? e : new IllegalStateException(wrapper);
  }

  @Override
  public void put(K key, V value) {
    through.store(key, value);
    cache.put(key, value);
  }

  @Override
  public void invalidate(K key) {
    cache.invalidate(key);
  }

  @Override
  public long settledSize() {
    cache.cleanUp();
    return cache.size();
  }

  @Override
  public void close() {
    cache.invalidateAll();
  }
}
