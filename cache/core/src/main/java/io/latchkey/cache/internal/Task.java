package io.latchkey.cache.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * A load that runs on the executor, and the token of its flights.
 *
 * <pre>
 *   QUEUED --claim--> RUNNING --end------> ENDED      counts as success or failure
 *                             --time out-> TIMED_OUT  counts as abandoned, however it ends later
 *                             --requeue--> QUEUED     interrupted while somebody waits
 *   QUEUED --time out-> TIMED_OUT                     never ran
 * </pre>
 *
 * A task that no thread has claimed is not under way: a caller that needs its outcome may claim and
 * run it, so a task that the executor dropped delays nobody.
 */
abstract class Task extends Token implements Runnable {
  private static final int QUEUED = 0;
  private static final int RUNNING = 1;
  private static final int ENDED = 2;
  private static final int TIMED_OUT = 3;

  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(Task.class, "state", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile int state;
  private volatile @Nullable Leader leader;
  private volatile @Nullable Future<?> timer;

  /** How often it was submitted, and the nanosecond time when that happened last. */
  int submissions;

  long submitted;

  @Override
  final @Nullable Leader leader() {
    return leader;
  }

  final void leader(@Nullable Leader thread) {
    leader = thread;
  }

  final boolean queued() {
    return state == QUEUED;
  }

  final boolean claim() {
    return STATE.compareAndSet(this, QUEUED, RUNNING);
  }

  /** The storage call ended; false when the time-out has counted it already. */
  final boolean end() {
    Future<?> pending = timer;
    if (pending != null) {
      pending.cancel(false);
    }
    return STATE.compareAndSet(this, RUNNING, ENDED);
  }

  final boolean requeue() {
    return STATE.compareAndSet(this, RUNNING, QUEUED);
  }

  /** The time is up; true if a storage call was running. A queued task will not run any more. */
  final boolean timeOut() {
    int now = state;
    while (now == QUEUED || now == RUNNING) {
      if (STATE.compareAndSet(this, now, TIMED_OUT)) {
        return now == RUNNING;
      }
      now = state; // a thread has just claimed it, or given it back
    }
    return false;
  }

  final void timer(Future<?> pending) {
    timer = pending;
    if (state != QUEUED && state != RUNNING) {
      pending.cancel(false);
    }
  }

  /** Runs the load on this thread; the caller has claimed it. */
  abstract void runClaimed();

  /** The executor refused the task; the caller has claimed it. */
  abstract void refused(Throwable refusal);

  /** Ends the flights of this task with a time-out. */
  abstract void expire();

  @Override
  public final void run() {
    if (claim()) {
      runClaimed();
    }
  }
}
