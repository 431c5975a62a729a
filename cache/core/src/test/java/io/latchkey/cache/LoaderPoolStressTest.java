package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.Patience;
import io.latchkey.cache.testing.PoolThreads;
import io.latchkey.cache.testing.Stage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LoaderPoolStressTest {
  private static final int SUBMITTERS = 4;
  private static final int TASKS = 250_000;

  @RegisterExtension final Stage stage = new Stage();

  private final LongAdder ran = new LongAdder();
  private final LongAdder threw = new LongAdder();
  private final LongAdder givenUp = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private final LongAdder told = new LongAdder();
  private final LongAdder tainted = new LongAdder();
  private final AtomicReferenceArray<Thread> seen = new AtomicReferenceArray<>(8);

  private static final class Planned extends RuntimeException {
    private static final long serialVersionUID = 1;

    Planned() {
      super("planned", null, false, false);
    }
  }

  /** Counts, and then does to its thread or to another one what the number says. */
  private void task(int number, boolean fromOutside) {
    Thread thread = Thread.currentThread();
    ran.increment();
    if ((!fromOutside && thread.isInterrupted()) || !thread.getName().startsWith("latchkey-mill")) {
      tainted.increment();
    }
    seen.set(number & 7, thread);
    switch (number >>> 3 & 63) {
      case 0, 1, 2 -> {
        threw.increment();
        throw new Planned();
      }
      case 3 -> {
        threw.increment();
        throw new OutOfMemoryError("planned");
      }
      case 4 -> {
        threw.increment();
        throw new StackOverflowError("planned");
      }
      case 5, 6 -> thread.interrupt();
      case 7 -> thread.setName("tainted");
      case 8, 9 -> {
        Thread other = seen.get(number >>> 9 & 7);
        if (fromOutside && other != null) {
          other.interrupt();
        }
      }
      case 10 -> Thread.yield();
      default -> {}
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Timeout(240)
  @DisplayName("A million tasks that fail and interrupt: each counted once, no thread left")
  void millionTasks(boolean fromOutside) throws InterruptedException {
    LoaderPool pool =
        LoaderPool.builder()
            .name("mill")
            .workers(6)
            .queue(100)
            .idleTime(Duration.ofNanos(200_000))
            .onFailure((thread, thrown) -> told.increment())
            .build();
    List<Caller<Object>> submitters = new ArrayList<>();
    for (int i = 0; i < SUBMITTERS; i++) {
      long seed = i;
      submitters.add(
          stage
              .callers()
              .run(
                  () -> {
                    SplittableRandom random = new SplittableRandom(seed);
                    for (int n = 0; n < TASKS; n++) {
                      int number = random.nextInt();
                      submit(pool, () -> task(number, fromOutside), number);
                    }
                  }));
    }
    for (Caller<Object> submitter : submitters) {
      submitter.thread().join();
      submitter.value();
    }
    pool.close();
    assertThat(tainted.sum()).isZero();
    assertThat(ran.sum() + givenUp.sum()).isEqualTo((long) SUBMITTERS * TASKS);
    assertThat(told.sum()).isEqualTo(threw.sum()).isPositive();
    assertThat(pool.stats())
        .isEqualTo(
            new LoaderPoolStats(0, 0, 0, ran.sum() - threw.sum(), threw.sum(), refused.sum(), 0));
    assertThat(PoolThreads.of("mill")).isEmpty();
  }

  /** One in four that the pool has no room for is given up, the others are tried until it has. */
  private void submit(LoaderPool pool, Runnable task, int number) {
    boolean patient = (number & 3) != 0;
    while (!pool.offer(task)) {
      refused.increment();
      if (!patient) {
        givenUp.increment();
        return;
      }
      Thread.yield();
    }
  }

  @Test
  @Timeout(120)
  @DisplayName("No hand-over is lost, whether its worker spins, is about to park, or is parked")
  void noLostWakeUp() {
    // An endless idle time, so that nothing but the hand-over wakes a worker.
    LoaderPool pool =
        LoaderPool.builder()
            .name("wake")
            .workers(1)
            .idleTime(Duration.ofSeconds(Long.MAX_VALUE))
            .build();
    SplittableRandom random = new SplittableRandom(42);
    long[] done = new long[1];
    for (int i = 1; i <= 100_000; i++) {
      long number = i;
      pool.execute(() -> done[0] = number);
      Patience.until("task " + i + " runs and its worker is idle", () -> idleAfter(pool, number));
      assertThat(done[0]).isEqualTo(number);
      for (int spin = random.nextInt(1 << random.nextInt(11)); spin > 0; spin--) {
        Thread.onSpinWait();
      }
    }
    pool.close();
  }

  private static boolean idleAfter(LoaderPool pool, long tasks) {
    LoaderPoolStats now = pool.stats();
    return now.completedCount() == tasks && now.idleWorkers() == 1;
  }
}
