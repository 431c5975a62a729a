package io.latchkey.storage.http.server;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The threads of a server that may block. Loads and the other work have pools of their own: a bulk
 * read waits for loads that others began, and if these stood in the same queue behind it, all would
 * wait for ever. Both are bounded, and refuse what is too much.
 */
final class Threads implements AutoCloseable {
  private static final int LOADS = 32;
  private static final int JOBS = 16;
  private static final int QUEUE = 4096;

  private @Nullable ThreadPoolExecutor loads;
  private final ThreadPoolExecutor jobs = pool(JOBS, "latchkey-http-job");

  private static ThreadPoolExecutor pool(int threads, String name) {
    AtomicInteger number = new AtomicInteger();
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            threads,
            threads,
            30,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(QUEUE),
            task -> {
              Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  /** The default for loads; started when asked for. */
  Executor loads() {
    if (loads == null) {
      loads = pool(LOADS, "latchkey-http-load");
    }
    return loads;
  }

  /** For writes and bulk reads. */
  Executor jobs() {
    return jobs;
  }

  /** Interrupts what still runs; nobody waits for it. */
  @Override
  public void close() {
    if (loads != null) {
      loads.shutdownNow();
    }
    jobs.shutdownNow();
  }
}
