package io.latchkey.storage.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Threads that begin together and whose failures are the test's. */
final class Crew {
  /** What the thread of this number does. */
  interface Job {
    void run(int thread) throws Exception;
  }

  private final List<FutureTask<Void>> tasks = new ArrayList<>();

  private Crew() {}

  /** Starts the threads; they begin when all are there. */
  static Crew start(int threads, Job job) {
    Crew crew = new Crew();
    CyclicBarrier together = new CyclicBarrier(threads);
    for (int i = 0; i < threads; i++) {
      int number = i;
      FutureTask<Void> task =
          new FutureTask<>(
              () -> {
                begin(together);
                job.run(number);
                return null;
              });
      crew.tasks.add(task);
      Thread thread = new Thread(task, "contract-" + i);
      thread.setDaemon(true);
      thread.start();
    }
    return crew;
  }

  private static void begin(CyclicBarrier together) throws InterruptedException {
    try {
      together.await();
    } catch (BrokenBarrierException e) {
      throw new AssertionError("another thread of the test did not start", e);
    }
  }

  /** Waits for all of them, and throws what the first one that failed threw. */
  void join(Duration patience) throws Exception {
    for (FutureTask<Void> task : tasks) {
      try {
        task.get(patience.toNanos(), TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        throw new AssertionError("a thread is still in a call after " + patience, e);
      } catch (ExecutionException e) {
        throw Sneaky.raise(Objects.requireNonNullElse(e.getCause(), e));
      }
    }
  }
}
