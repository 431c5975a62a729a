package io.latchkey.cache;

import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/** A concurrent cache of objects over a storage, with one load for all who want the same object. */
public interface Cache<K, V> extends AutoCloseable {
  /** Starts a cache over a storage that the caller keeps and closes. */
  static <K, V> CacheBuilder<K, V> over(Storage<K, V> storage) {
    return CacheBuilder.over(storage);
  }

  /** Starts a cache over a storage that {@code build} opens and {@link #close} closes. */
  static <K, V> CacheBuilder<K, V> over(String url, Codec<K> keys, Codec<V> values) {
    return CacheBuilder.over(url, keys, values);
  }

  @Nullable V get(K key);

  @Nullable V get(K key, Duration timeout);

  CompletableFuture<@Nullable V> getAsync(K key);

  Map<K, V> getAll(Collection<? extends K> keys);

  @Nullable V getIfPresent(K key);

  void put(K key, V value);

  void putAll(Map<? extends K, ? extends V> entries);

  void remove(K key);

  void invalidate(K key);

  void invalidateAll(Collection<? extends K> keys);

  void invalidateAll();

  CompletableFuture<@Nullable V> refresh(K key);

  void prefetch(Collection<? extends K> keys);

  ConcurrentMap<K, V> asMap();

  long estimatedSize();

  CacheStats stats();

  CachePolicy<K, V> policy();

  void cleanUp();

  @Override
  void close();
}
