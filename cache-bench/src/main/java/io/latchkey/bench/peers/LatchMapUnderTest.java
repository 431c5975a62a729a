package io.latchkey.bench.peers;

import io.latchkey.storage.Storage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * A {@link ConcurrentHashMap} of entries with a {@link CountDownLatch} each: whoever puts its entry
 * in loads, then opens the latch. The key that came in first is evicted first.
 */
final class LatchMapUnderTest<K, V> extends SlotMapUnderTest<K, V, LatchMapUnderTest.Slot<V>> {
  LatchMapUnderTest(Storage<K, V> storage, long bound) {
    super(storage, bound);
  }

  @Override
  public @Nullable V get(K key) {
    Slot<V> slot = map.get(key);
    return slot != null ? slot.await() : miss(key);
  }

  private @Nullable V miss(K key) {
    Slot<V> mine = new Slot<>();
    Slot<V> first = map.putIfAbsent(key, mine);
    if (first != null) {
      return first.await();
    }
    try {
      V value = through.load(key);
      mine.value = value;
      if (value == null) {
        map.remove(key, mine);
      } else {
        ring.admit(key, map);
      }
      return value;
    } catch (Throwable e) {
      mine.failure = e;
      map.remove(key, mine);
      throw e;
    } finally {
      mine.ready.countDown();
    }
  }

  @Override
  Slot<V> filled(V value) {
    Slot<V> done = new Slot<>();
    done.value = value;
    done.ready.countDown();
    return done;
  }

  /** The latch publishes the plain fields. */
  static final class Slot<V> {
    private final CountDownLatch ready = new CountDownLatch(1);
    private @Nullable V value;
    private @Nullable Throwable failure;

    @Nullable V await() {
      try {
        ready.await();
      } catch (InterruptedException e) {
        throw Through.failure(e);
      }
      if (failure != null) {
        throw Through.failure(failure);
      }
      return value;
    }
  }
}
