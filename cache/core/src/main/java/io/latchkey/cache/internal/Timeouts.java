package io.latchkey.cache.internal;

import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Ends loads that take longer than {@code loadTimeout}, in real time. One daemon thread for a cache
 * with that option, started with its first load and gone when it is closed.
 */
final class Timeouts {
  private final long nanos;
  private final String threadName;
  private @Nullable ScheduledThreadPoolExecutor timer;
  private boolean closed;

  Timeouts(long nanos, String cacheName) {
    this.nanos = nanos;
    threadName = "latchkey-" + cacheName + "-timeouts";
  }

  long nanos() {
    return nanos;
  }

  /** Starts the clock for a task. */
  void watch(Task task, Runnable onTimeout) {
    if (nanos == Long.MAX_VALUE) {
      return;
    }
    ScheduledThreadPoolExecutor running = timer();
    if (running != null) {
      task.timer(running.schedule(onTimeout, nanos, TimeUnit.NANOSECONDS));
    }
  }

  private synchronized @Nullable ScheduledThreadPoolExecutor timer() {
    if (timer == null && !closed) {
      timer =
          new ScheduledThreadPoolExecutor(
              1,
              work -> {
                Thread thread = new Thread(work, threadName);
                thread.setDaemon(true);
                return thread;
              });
      timer.setRemoveOnCancelPolicy(true);
      timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }
    return timer;
  }

  synchronized void close() {
    closed = true;
    if (timer != null) {
      timer.shutdownNow();
    }
  }
}
