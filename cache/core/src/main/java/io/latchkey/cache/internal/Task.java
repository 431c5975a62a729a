package io.latchkey.cache.internal;

import io.latchkey.cache.LoaderPool;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
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
abstract class Task extends Token implements LoaderPool.Cancellable {
  /** Who wants the load, which decides what becomes of it when the executor is full. */
  enum Purpose {
    /** A caller of {@code getAsync}, who may have to run the load himself. */
    FUTURE,
    /** Callers who wait and may not be held up by a load. */
    WAIT,
    /** A caller of {@code refresh}. */
    REFRESH,
    /** Nobody: an object is to be renewed by the way. */
    RENEWAL,
    /** Nobody. */
    PREFETCH;

    /** Whether it can be left undone without telling anybody. */
    boolean optional() {
      return this == RENEWAL || this == PREFETCH;
    }
  }

  static final int QUEUED = 0;
  static final int RUNNING = 1;
  private static final int ENDED = 2;
  private static final int TIMED_OUT = 3;

  private static final VarHandle STATE;
  private static final VarHandle HELD;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(Task.class, "state", int.class);
      HELD = MethodHandles.lookup().findVarHandle(Task.class, "held", boolean.class);
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

  final Purpose purpose;

  /**
   * Whether a {@link LoaderPool} holds the task, which drops none without a word; so there is no
   * use in submitting it again, where it would only take room in the queue. Set by CAS, so that one
   * of several threads submits it.
   */
  @SuppressWarnings("UnusedVariable") // read by CAS
  private volatile boolean held;

  private volatile @Nullable Leader leader;
  private volatile @Nullable Future<?> timer;

  /** How often it was submitted, and the nanosecond time when that happened last. */
  int submissions;

  long submitted;

  Task(Purpose purpose) {
    this.purpose = purpose;
  }

  @Override
  final @Nullable Leader leader() {
    return leader;
  }

  final void leader(@Nullable Leader thread) {
    leader = thread;
  }

  /** Before it is given to a pool; false if a pool has it. */
  final boolean hold() {
    return HELD.compareAndSet(this, false, true);
  }

  /** The pool has let go of it, or has not taken it. */
  final void letGo() {
    held = false;
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

  /**
   * The executor refused the task; the caller has claimed it.
   *
   * @param refusal what to tell those that wait; may be null for an optional one
   * @param full whether because it has no room, not because it failed
   */
  abstract void refused(@Nullable Throwable refusal, boolean full);

  /** A pool will not run it, because it was closed. */
  @Override
  public final void cancelled(RejectedExecutionException reason) {
    letGo();
    refuse(reason, true);
  }

  /** Tells those that wait, unless the task is under way. */
  final void refuse(@Nullable Throwable refusal, boolean full) {
    if (claim()) {
      boolean told = false;
      try {
        refused(refusal, full);
        end();
        told = true;
      } finally {
        if (!told) {
          state = QUEUED;
        }
      }
    }
  }

  /** Ends the flights of this task with a time-out. */
  abstract void expire();

  @Override
  public final void run() {
    held = false;
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
