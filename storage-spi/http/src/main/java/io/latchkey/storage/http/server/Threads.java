package io.latchkey.storage.http.server;

import io.latchkey.cache.LoaderPool;
import java.util.concurrent.Executor;
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

  private final LoaderPool jobs = pool(JOBS, "http-job");
  private @Nullable LoaderPool loads;

  private static LoaderPool pool(int threads, String name) {
    return LoaderPool.builder()
        .name(name)
        .workers(threads)
        .queue(QUEUE)
        .whenFull(LoaderPool.WhenFull.REJECT)
        .build();
  }

  /** The default for loads; made when asked for. */
  Executor loads() {
    if (loads == null) {
      loads = pool(LOADS, "http-load");
    }
    return loads;
  }

  /** For writes and bulk reads. */
  Executor jobs() {
    return jobs;
  }

  /** Interrupts what still runs; nobody waits for it. */
  @Override
  @SuppressWarnings("CheckReturnValue") // no connection is left to be told that a task was dropped
  public void close() {
    if (loads != null) {
      loads.closeNow();
    }
    jobs.closeNow();
  }
}
