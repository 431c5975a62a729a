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
  static final int QUEUED = 0;
  static final int RUNNING = 1;
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

  /**
   * One of the above. A thread that has claimed the task and cannot go on, because its stack or
   * heap is exhausted, puts it back from RUNNING to QUEUED by a plain write, since that needs no
   * call.
   */
  volatile int state;

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

  /**
   * Runs the load on this thread, which has claimed the task, and ends the task unless the load was
   * interrupted and is to be made again.
   *
   * @return whether it is
   */
  abstract boolean runClaimed();

  /** The load was interrupted; the task is still claimed. */
  void interrupted() {}

  /** The executor refused the task; the caller has claimed it. */
  abstract void refused(Throwable refusal);

  /** Ends the flights of this task with a time-out. */
  abstract void expire();

  @Override
  public final void run() {
    boolean again = false;
    boolean mine = false;
    try {
      if (claim()) {
        mine = true;
        again = runClaimed();
        mine = false;
      }
    } finally {
      if (mine && state == RUNNING) {
        state = QUEUED;
      }
    }
    if (again) {
      interrupted();
    }
  }
}
