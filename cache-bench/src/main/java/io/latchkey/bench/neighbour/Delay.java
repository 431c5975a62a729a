package io.latchkey.bench.neighbour;

import io.latchkey.bench.console.FailedRunException;
import io.latchkey.bench.peers.CacheUnderTest;
import io.latchkey.bench.peers.Implementation;
import io.latchkey.storage.Storage;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Times work on a cache while one of its loads takes long. */
public final class Delay {
  private final Implementation implementation;
  private final Duration load;
  private final CountDownLatch loading = new CountDownLatch(1);
  private final CountDownLatch release = new CountDownLatch(1);

  private volatile boolean over;

  /**
   * What was measured.
   *
   * @param nanos how long the work took
   * @param loadOver whether the load was over when the work was done: the work waited for it, or
   *     takes as long anyway
   */
  public record Outcome(long nanos, boolean loadOver) {}

  private Delay(Implementation implementation, Duration load) {
    this.implementation = implementation;
    this.load = load;
  }

  /**
   * Does the work twice, each time on a new cache and beside a slow load, and measures the second
   * time, in which all code was run before.
   *
   * @param load how long the load takes at most; it ends when the work is done
   * @throws FailedRunException if the cache fails
   */
  public static Outcome measure(Implementation implementation, Work work, Duration load) {
    new Delay(implementation, Duration.ofMillis(1)).run(work);
    return new Delay(implementation, load).run(work);
  }

  private Outcome run(Work work) {
    Storage<Object, Object> storage =
        key -> {
          if (key.equals(Work.SLOW)) {
            loading.countDown();
            boolean early = release.await(load.toNanos(), TimeUnit.NANOSECONDS);
            over = !early;
          }
          return key;
        };
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    try (CacheUnderTest<Object, Object> cache = implementation.over(storage, Work.BOUND)) {
      work.prepare(cache);
      Thread slow = new Thread(() -> cache.get(Work.SLOW), "slow load");
      slow.setDaemon(true);
      slow.setUncaughtExceptionHandler((thread, e) -> failure.set(e));
      slow.start();
      try {
        loading.await();
        long start = System.nanoTime();
        work.run(cache);
        Outcome outcome = new Outcome(System.nanoTime() - start, over);
        release.countDown();
        slow.join();
        Throwable thrown = failure.get();
        if (thrown != null) {
          throw new FailedRunException("the slow load of " + implementation.id(), thrown);
        }
        return outcome;
      } finally {
        release.countDown(); // also if the work failed
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FailedRunException("neighbour of " + implementation.id(), e);
    }
  }
}
