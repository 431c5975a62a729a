package io.latchkey.bench.flight;

import io.latchkey.bench.peers.CacheUnderTest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Lets callers wait for one cold object, then lets its load end, and measures. */
final class Drill {
  private final CacheUnderTest<Long, Object> cache;
  private final GatedStorage storage;
  private final Callers kind;
  private final boolean fresh;

  /**
   * Prepares drills.
   *
   * @param fresh whether it is the first time that a caller's thread uses the cache; otherwise each
   *     has loaded an object of its own before, as threads of a pool have
   */
  Drill(CacheUnderTest<Long, Object> cache, GatedStorage storage, Callers kind, boolean fresh) {
    this.cache = cache;
    this.storage = storage;
    this.kind = kind;
    this.fresh = fresh;
  }

  /**
   * What one drill measured.
   *
   * @param loads how often the object was loaded
   * @param leaderNanos from the end of the load until the caller that made it had the object; NaN
   *     if no caller made it
   * @param lastNanos from the end of the load until the last caller had it
   * @param bytes allocated by a waiting caller, on average; NaN if none waited
   */
  record Outcome(int loads, double leaderNanos, double lastNanos, double bytes) {}

  /** Asks for the object with so many callers. The cache must not have it. */
  Outcome run(long key, int callers) throws InterruptedException {
    storage.reset();
    CountDownLatch ready = new CountDownLatch(callers);
    CountDownLatch start = new CountDownLatch(1);
    CountDownLatch done = new CountDownLatch(callers);
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    List<Caller> all = new ArrayList<>();
    for (int i = 0; i < callers; i++) {
      all.add(new Caller(key, -1 - key * callers - i, ready, start, done, failure));
    }
    all.forEach(caller -> caller.thread.start());
    ready.await();
    long before = kind == Callers.VIRTUAL ? Callers.allocatedByAll() : 0;
    start.countDown();
    storage.awaitLoad();
    awaitWaiting(all, failure);
    storage.release();
    done.await();
    Throwable thrown = failure.get();
    if (thrown != null) {
      throw new IllegalStateException(thrown);
    }
    long allocated = kind == Callers.VIRTUAL ? Callers.allocatedByAll() - before : 0;
    return outcome(all, allocated);
  }

  /**
   * Waits until all callers but the leader wait: each has begun to ask, and was found waiting or
   * blocked by two looks at all of them, so that one that only waited for a class or a lock on its
   * way is not taken for one that waits for the load.
   */
  private void awaitWaiting(List<Caller> all, AtomicReference<@Nullable Throwable> failure) {
    int looks = 0;
    while (looks < 2 && failure.get() == null) {
      if (all.stream().allMatch(caller -> caller.thread == storage.leader() || caller.waits())) {
        looks++;
      } else {
        looks = 0;
      }
      Thread.yield();
    }
  }

  private Outcome outcome(List<Caller> all, long allocatedByAll) {
    double leader = Double.NaN;
    double last = 0;
    long waiting = 0;
    int waiters = 0;
    for (Caller caller : all) {
      double nanos = caller.endNanos - storage.endNanos();
      last = Math.max(last, nanos);
      if (caller.thread == storage.leader()) {
        leader = nanos;
      } else {
        waiters++;
        waiting += caller.bytes;
      }
    }
    long bytes = kind == Callers.VIRTUAL ? allocatedByAll : waiting;
    return new Outcome(
        storage.loads(), leader, last, waiters == 0 ? Double.NaN : (double) bytes / waiters);
  }

  private final class Caller implements Runnable {
    private final Long key;
    private final Long own;
    private final CountDownLatch ready;
    private final CountDownLatch start;
    private final CountDownLatch done;
    private final AtomicReference<@Nullable Throwable> failure;
    private final Thread thread;
    private volatile boolean asks;
    private long endNanos;
    private long bytes;

    Caller(
        Long key,
        Long own,
        CountDownLatch ready,
        CountDownLatch start,
        CountDownLatch done,
        AtomicReference<@Nullable Throwable> failure) {
      this.key = key;
      this.own = own;
      this.ready = ready;
      this.start = start;
      this.done = done;
      this.failure = failure;
      thread = kind.unstarted(this);
    }

    boolean waits() {
      return switch (thread.getState()) {
        case WAITING, TIMED_WAITING, BLOCKED -> asks;
        default -> false;
      };
    }

    @Override
    public void run() {
      try {
        if (!fresh) {
          check(own, cache.get(own));
        }
        ready.countDown();
        start.await();
        boolean counts = kind == Callers.PLATFORM;
        long before = counts ? Callers.allocatedByThisThread() : 0;
        asks = true;
        Object got = cache.get(key);
        endNanos = System.nanoTime();
        bytes = counts ? Callers.allocatedByThisThread() - before : 0;
        check(key, got);
      } catch (Throwable e) {
        failure.compareAndSet(null, e);
      } finally {
        ready.countDown(); // if it did not come so far
        done.countDown(); // publishes what was measured
      }
    }

    private static void check(Long asked, @Nullable Object got) {
      if (!asked.equals(got)) {
        throw new IllegalStateException("asked for " + asked + ", got " + got);
      }
    }
  }
}
