package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.Patience;
import io.latchkey.cache.testing.PoolThreads;
import io.latchkey.cache.testing.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class LoaderPoolCloseTest {
  @RegisterExtension final Stage stage = new Stage();

  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch gate = new CountDownLatch(1);
  private final AtomicInteger ran = new AtomicInteger();
  private final AtomicInteger interrupted = new AtomicInteger();

  /** Begins, and is held until the test lets it go, or somebody interrupts it. */
  private void held() {
    begun.countDown();
    try {
      gate.await();
      ran.incrementAndGet();
    } catch (InterruptedException e) {
      interrupted.incrementAndGet();
    }
  }

  private static LoaderPool oneWorker() {
    return LoaderPool.builder().name("closing").workers(1).build();
  }

  @Test
  @DisplayName("close runs what is queued, and no thread is left when it returns")
  void closeDrains() {
    LoaderPool pool = oneWorker();
    pool.execute(this::held);
    Patience.await(begun, "the first task begins");
    for (int i = 0; i < 10; i++) {
      pool.execute(ran::incrementAndGet);
    }
    Caller<Object> closer = stage.callers().run(pool::close).awaitParked();
    assertThatThrownBy(() -> pool.execute(() -> {}))
        .isInstanceOf(RejectedExecutionException.class)
        .hasMessage("pool closing is closed");
    assertThatThrownBy(() -> pool.offer(() -> {})).isInstanceOf(RejectedExecutionException.class);
    gate.countDown();
    closer.value();
    assertThat(ran.get()).isEqualTo(11);
    assertThat(PoolThreads.of("closing")).isEmpty();
    assertThat(pool.stats()).isEqualTo(new LoaderPoolStats(0, 0, 0, 11, 0, 0, 0));
  }

  @Test
  @DisplayName("closeNow drops and returns what is queued, tells who waits, interrupts what runs")
  void closeNowCancels() {
    LoaderPool pool = oneWorker();
    pool.execute(this::held);
    Patience.await(begun, "the first task begins");
    AtomicReference<RejectedExecutionException> told = new AtomicReference<>();
    Runnable plain = ran::incrementAndGet;
    LoaderPool.Cancellable waitedFor =
        new LoaderPool.Cancellable() {
          @Override
          public void run() {
            ran.incrementAndGet();
          }

          @Override
          public void cancelled(RejectedExecutionException reason) {
            told.set(reason);
          }
        };
    pool.execute(plain);
    pool.execute(waitedFor);
    assertThat(pool.closeNow()).containsExactly(plain, waitedFor);
    pool.close();
    assertThat(told.get()).hasMessage("pool closing is closed");
    assertThat(ran.get()).isZero();
    assertThat(interrupted.get()).isEqualTo(1);
    assertThat(PoolThreads.of("closing")).isEmpty();
    assertThat(pool.closeNow()).isEmpty();
  }

  @Test
  @DisplayName("shutdown does not wait; a second close waits as the first one does")
  void shutdownReturns() {
    LoaderPool pool = oneWorker();
    pool.execute(this::held);
    Patience.await(begun, "the first task begins");
    pool.shutdown();
    pool.shutdown();
    Caller<Object> first = stage.callers().run(pool::close).awaitParked();
    Caller<Object> second = stage.callers().run(pool::close).awaitParked();
    gate.countDown();
    first.value();
    second.value();
    pool.close();
    assertThat(ran.get()).isEqualTo(1);
    assertThat(PoolThreads.of("closing")).isEmpty();
  }

  @Test
  @DisplayName("A pool that never worked closes, and idle workers end with the close")
  void closeIdle() {
    oneWorker().close();
    LoaderPool pool = oneWorker();
    pool.execute(ran::incrementAndGet);
    Patience.until("the worker is idle", () -> pool.stats().idleWorkers() == 1);
    pool.close();
    assertThat(PoolThreads.of("closing")).isEmpty();
    assertThat(pool.stats().completedCount()).isEqualTo(1);
  }

  @Test
  @DisplayName("A close on a worker does not wait for itself, nor do two of them for one another")
  void closeFromInside() {
    LoaderPool pool = LoaderPool.builder().name("closing").workers(2).build();
    CountDownLatch both = new CountDownLatch(2);
    for (int i = 0; i < 2; i++) {
      pool.execute(
          () -> {
            both.countDown();
            Patience.await(both, "both run");
            pool.close();
            ran.incrementAndGet();
          });
    }
    Patience.until("both have closed it", () -> ran.get() == 2);
    pool.close();
    assertThat(PoolThreads.of("closing")).isEmpty();
  }

  @Test
  @DisplayName("closeNow on a worker interrupts its own task too, and returns")
  void closeNowFromInside() {
    LoaderPool pool = oneWorker();
    AtomicReference<Boolean> flag = new AtomicReference<>();
    pool.execute(
        () -> {
          pool.closeNow();
          flag.set(Thread.currentThread().isInterrupted());
        });
    Patience.until("it has closed the pool", () -> flag.get() != null);
    pool.close();
    assertThat(flag.get()).isTrue();
  }

  @Test
  @DisplayName("An interrupted close cancels what it waits for, and keeps the flag")
  void interruptedClose() {
    LoaderPool pool = oneWorker();
    pool.execute(this::held);
    Patience.await(begun, "the first task begins");
    pool.execute(ran::incrementAndGet);
    Caller<Object> closer = stage.callers().run(pool::close).awaitParked();
    closer.interrupt();
    assertThat(closer.outcome().interrupted()).isTrue();
    assertThat(interrupted.get()).isEqualTo(1);
    assertThat(ran.get()).isZero();
    assertThat(PoolThreads.of("closing")).isEmpty();
  }

  @Test
  @DisplayName("What is submitted beside a close either runs or is refused")
  void closeBesideSubmitters() {
    for (int round = 0; round < 200; round++) {
      LoaderPool pool = LoaderPool.builder().name("closing").workers(2).queue(4).build();
      AtomicInteger taken = new AtomicInteger();
      AtomicInteger run = new AtomicInteger();
      List<Caller<Object>> submitters = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        submitters.add(
            stage
                .callers()
                .run(
                    () -> {
                      try {
                        while (true) {
                          if (pool.offer(run::incrementAndGet)) {
                            taken.incrementAndGet();
                          }
                        }
                      } catch (RejectedExecutionException closed) {
                        // what the test waits for
                      }
                    }));
      }
      Patience.until("some are taken", () -> taken.get() > 10);
      pool.close();
      submitters.forEach(Caller::value);
      assertThat(run.get()).isEqualTo(taken.get());
    }
    assertThat(PoolThreads.of("closing")).isEmpty();
  }
}
