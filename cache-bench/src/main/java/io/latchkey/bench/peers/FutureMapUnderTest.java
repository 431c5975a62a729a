package io.latchkey.bench.peers;

import io.latchkey.storage.Storage;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The cache that is written by hand: a {@link ConcurrentHashMap} of {@link CompletableFuture}s. The
 * first caller puts its future in and loads, the others wait for that future; the key that came in
 * first is evicted first.
 */
final class FutureMapUnderTest<K, V>
    extends SlotMapUnderTest<K, V, CompletableFuture<@Nullable V>> {
  FutureMapUnderTest(Storage<K, V> storage, long bound) {
    super(storage, bound);
  }

  @Override
  public @Nullable V get(K key) {
    CompletableFuture<@Nullable V> present = map.get(key);
    if (present != null) {
      return present.join();
    }
    CompletableFuture<@Nullable V> mine = new CompletableFuture<>();
    CompletableFuture<@Nullable V> first = map.putIfAbsent(key, mine);
    return first != null ? first.join() : lead(key, mine);
  }

  private @Nullable V lead(K key, CompletableFuture<@Nullable V> mine) {
    V value;
    try {
      value = through.load(key);
    } catch (Throwable e) {
      map.remove(key, mine);
      mine.completeExceptionally(e);
      throw e;
    }
    // Listed only now: a key whose load is under way is not the one to evict.
    if (value == null) {
      map.remove(key, mine);
    } else {
      ring.admit(key, map);
    }
    mine.complete(value);
    return value;
  }

  @Override
  CompletableFuture<@Nullable V> filled(V value) {
    return CompletableFuture.completedFuture(value);
  }
}
