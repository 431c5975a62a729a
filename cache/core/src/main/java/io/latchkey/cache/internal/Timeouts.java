package io.latchkey.cache.internal;

import java.util.concurrent.Future;
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

  /** Starts the clock for a task; a cache that is closed ends its loads by itself. */
  void watch(Task task, Runnable onTimeout) {
    if (nanos == Long.MAX_VALUE) {
      return;
    }
    Future<?> pending = schedule(onTimeout);
    if (pending != null) {
      task.timer(pending);
    }
  }

  private synchronized @Nullable Future<?> schedule(Runnable onTimeout) {
    return closed ? null : timer().schedule(onTimeout, nanos, TimeUnit.NANOSECONDS);
  }

  private ScheduledThreadPoolExecutor timer() {
    if (timer == null) {
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
