package io.latchkey.bench.demo;

import io.latchkey.bench.console.FailedRunException;
import io.latchkey.bench.peers.CacheUnderTest;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Many callers ask at once for one object that is not cached and whose load is slow. */
final class Stampede {
  private static final long STUCK_SECONDS = 60;

  private final Contender contender;
  private final CacheUnderTest<Long, VersionedObject> cache;
  private final int object;
  private final long acknowledged;
  private final CountDownLatch ready;
  private final CountDownLatch start = new CountDownLatch(1);
  private final CountDownLatch done;
  private final LongAccumulator lastEnd = new LongAccumulator(Math::max, Long.MIN_VALUE);
  private final LongAdder stale = new LongAdder();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

  private Stampede(Contender contender, int object, long acknowledged, int callers) {
    this.contender = contender;
    this.cache = contender.cache();
    this.object = object;
    this.acknowledged = acknowledged;
    this.ready = new CountDownLatch(callers);
    this.done = new CountDownLatch(callers);
  }

  /** Invalidates the object, then lets all callers go for it. */
  static StampedeResult run(
      Contender contender, int object, Versions versions, DemoSettings settings) {
    contender.cache().invalidate((long) object);
    contender.storage().slowDown(Math.max(1, settings.stampedeLatency().toNanos()));
    try {
      return new Stampede(contender, object, versions.acknowledged(object), settings.callers())
          .run();
    } finally {
      contender.storage().slowDown(0);
    }
  }

  private StampedeResult run() {
    long loadsBefore = contender.storage().loads();
    String activity = "the stampede on " + contender.implementation().title();
    long startNanos;
    try {
      startCallers();
      ready.await();
      startNanos = System.nanoTime();
      start.countDown();
      if (!done.await(STUCK_SECONDS, TimeUnit.SECONDS)) {
        throw new FailedRunException(
            activity
                + ": "
                + done.getCount()
                + " callers still wait after "
                + STUCK_SECONDS
                + " s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FailedRunException(activity, e);
    } finally {
      start.countDown();
    }
    Throwable thrown = failure.get();
    if (thrown != null) {
      throw new FailedRunException(activity, thrown);
    }
    return new StampedeResult(
        contender.storage().loads() - loadsBefore,
        lastEnd.get() - startNanos,
        lastEnd.get() - contender.storage().lastLoadEnd(),
        stale.sum());
  }

  private void startCallers() {
    long callers = ready.getCount();
    for (long caller = 0; caller < callers; caller++) {
      Thread thread = new Thread(this::call, "demo caller " + caller);
      thread.setDaemon(true);
      try {
        thread.start();
      } catch (OutOfMemoryError e) {
        throw new FailedRunException(
            "the system gives no more than " + caller + " threads: lower --callers " + callers);
      }
    }
  }

  private void call() {
    ready.countDown();
    try {
      start.await();
      VersionedObject got = cache.get((long) object);
      lastEnd.accumulate(System.nanoTime());
      if (got == null || got.id() != object) {
        throw new FailedRunException("object " + object + " is missing or another");
      }
      if (got.version() < acknowledged) {
        stale.increment();
      }
    } catch (Throwable e) {
      failure.compareAndSet(null, e);
    } finally {
      done.countDown();
    }
  }
}
