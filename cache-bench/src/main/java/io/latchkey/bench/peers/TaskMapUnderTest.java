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
final class TaskMapUnderTest<K, V> extends SlotMapUnderTest<K, V, FutureTask<@Nullable V>> {
  TaskMapUnderTest(Storage<K, V> storage, long bound) {
    super(storage, bound);
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
  FutureTask<@Nullable V> filled(V value) {
    FutureTask<@Nullable V> done = new FutureTask<>(() -> value);
    done.run();
    return done;
  }
}
