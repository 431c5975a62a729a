package io.latchkey.bench.flight;

import io.latchkey.storage.Storage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Holds each load until it is released, and notes who loaded and when the load ended; objects with
 * negative keys are loaded at once.
 */
final class GatedStorage implements Storage<Long, Object> {
  private volatile CountDownLatch loading = new CountDownLatch(1);
  private volatile CountDownLatch gate = new CountDownLatch(1);
  private final AtomicInteger loads = new AtomicInteger();
  private volatile @Nullable Thread leader;
  private volatile long endNanos;

  /** Makes ready for the next object. */
  void reset() {
    loading = new CountDownLatch(1);
    gate = new CountDownLatch(1);
    loads.set(0);
    leader = null;
  }

  void awaitLoad() throws InterruptedException {
    loading.await();
  }

  void release() {
    gate.countDown();
  }

  int loads() {
    return loads.get();
  }

  /** The thread that loads or loaded. */
  @Nullable Thread leader() {
    return leader;
  }

  /** When the load ended, by {@link System#nanoTime}. */
  long endNanos() {
    return endNanos;
  }

  @Override
  public Object load(Long key) throws Exception {
    if (key < 0) {
      return key;
    }
    loads.incrementAndGet();
    leader = Thread.currentThread();
    loading.countDown();
    gate.await();
    endNanos = System.nanoTime();
    return key;
  }
}
