package io.latchkey.bench.peers;

import io.latchkey.storage.Storage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * A {@link ConcurrentHashMap} of {@link FutureTask}s, the memoizer of the textbooks: whoever puts
 * its task in runs it. The key that came in first is evicted first.
 */
final class TaskMapUnderTest<K, V> implements CacheUnderTest<K, V> {
  private final ConcurrentHashMap<K, FutureTask<@Nullable V>> map = new ConcurrentHashMap<>();
  private final FifoRing<K> ring;
  private final Through<K, V> through;

  TaskMapUnderTest(Storage<K, V> storage, long bound) {
    through = new Through<>(storage);
    ring = new FifoRing<>(bound);
  }

  @Override
  public @Nullable V get(K key) {
    FutureTask<@Nullable V> task = map.get(key);
    return task != null ? await(task) : miss(key);
  }

  private @Nullable V miss(K key) {
    FutureTask<@Nullable V> mine = new FutureTask<>(() -> through.load(key));
    FutureTask<@Nullable V> first = map.putIfAbsent(key, mine);
    if (first != null) {
      return await(first);
    }
    mine.run();
    V value = null;
    try {
      value = await(mine);
    } finally {
      if (value == null) {
        map.remove(key, mine);
      } else {
        ring.admit(key, map);
      }
    }
    return value;
  }

  private static <V> @Nullable V await(FutureTask<@Nullable V> task) {
    try {
      return task.get();
    } catch (ExecutionException e) {
      throw Through.failure(e.getCause() != null ? e.getCause() : e);
    } catch (InterruptedException e) {
      throw Through.failure(e);
    }
  }

  @Override
  public void put(K key, V value) {
    through.store(key, value);
    FutureTask<@Nullable V> done = new FutureTask<>(() -> value);
    done.run();
    if (map.put(key, done) == null) {
      ring.admit(key, map);
    }
  }

  @Override
  public void invalidate(K key) {
    map.remove(key);
  }

  @Override
  public long settledSize() {
    return map.mappingCount();
  }

  @Override
  public void close() {}
}
