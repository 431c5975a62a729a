package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LoaderPoolAllocationTest {
  private static final int HAND_OVERS = 10_000;
  private static final com.sun.management.ThreadMXBean THREADS =
      (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** A task that is there before, so that only the hand-over could allocate. */
  private static final class Counting implements Runnable {
    volatile long runs; // written by the one worker only
    volatile long workerBytes;

    @Override
    public void run() {
      workerBytes = THREADS.getCurrentThreadAllocatedBytes();
      long before = runs;
      runs = before + 1;
    }
  }

  private static void handOver(LoaderPool pool, Counting task) {
    long before = task.runs;
    pool.execute(task);
    while (task.runs == before) {
      Thread.yield();
    }
  }

  @Test
  @DisplayName("Handing a task over allocates nothing, neither in the submitter nor in the worker")
  void handOverAllocatesNothing() {
    try (LoaderPool pool = LoaderPool.builder().workers(1).queue(16).build()) {
      Counting task = new Counting();
      for (int i = 0; i < HAND_OVERS; i++) {
        handOver(pool, task);
      }
      long submitter = Long.MAX_VALUE;
      long worker = Long.MAX_VALUE;
      for (int round = 0; round < 5; round++) { // a compiler's thread may disturb one, not all
        handOver(pool, task);
        long workerBefore = task.workerBytes;
        long submitterBefore = THREADS.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < HAND_OVERS; i++) {
          handOver(pool, task);
        }
        submitter = Math.min(submitter, THREADS.getCurrentThreadAllocatedBytes() - submitterBefore);
        worker = Math.min(worker, task.workerBytes - workerBefore);
      }
      assertThat(submitter).as("bytes of the submitter").isZero();
      assertThat(worker).as("bytes of the worker").isZero();
    }
  }

  @Test
  @DisplayName("Queueing allocates nothing once the queue has grown")
  void queueingAllocatesNothing() {
    try (LoaderPool pool = LoaderPool.builder().workers(1).queue(64).build()) {
      Counting task = new Counting();
      long least = Long.MAX_VALUE;
      for (int round = 0; round < 200; round++) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        long runs = task.runs;
        for (int i = 0; i < 64; i++) {
          pool.execute(task);
        }
        least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
        while (task.runs < runs + 64) {
          Thread.yield();
        }
      }
      assertThat(least).isZero();
    }
  }
}
