package io.latchkey.cache.internal;

import io.latchkey.cache.CacheTimeoutException;
import io.latchkey.cache.RecursiveLoadException;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * How a thread waits for a flight that another one leads. Goals of the wait loop:
 *
 * <ol>
 *   <li>a woken waiter passes the wake on before anything else, whatever became of itself;
 *   <li>a promoted waiter leads, or hands leadership on if it must leave;
 *   <li>an interrupted or late waiter leaves at once and affects nobody;
 *   <li>a spurious wake-up changes nothing;
 *   <li>a load that waits for itself is found, once the wait is long enough to be suspicious;
 *   <li>should a waker have died of an exhausted stack, the waiter notices and starts over.
 * </ol>
 */
final class Joins {
  /** Start over: the flight ended without a word to this waiter. */
  static final Object RETRY = new Object();

  /** A wait this long makes a thread look whether it waits for itself. */
  private static final long SUSPICIOUS_NANOS = 20_000_000;

  /** How often a waiter makes sure that its flight still lives. */
  private static final long LOOK_NANOS = 500_000_000;

  /** Waiters to look at for the token, where looking at all would cost too much in a stampede. */
  static final int NEAR = 64;

  private final Flights flights;
  private final Launcher launcher;

  Joins(Flights flights, Launcher launcher) {
    this.flights = flights;
    this.launcher = launcher;
  }

  /**
   * Waits for the outcome of a flight.
   *
   * @param mayLead whether this thread may run the load: if the leader is interrupted, or if the
   *     load still waits for a thread
   * @param deadline {@link System#nanoTime} to wait for at most; with {@code timed}
   * @return an outcome, {@link #RETRY}, or an {@link Interruption} if this thread, promoted, was
   *     interrupted while it loaded
   */
  Object join(Entry entry, boolean mayLead, boolean timed, long deadline) {
    checkOwn(entry, NEAR);
    Waiter.OfThread waiter = Waiter.OfThread.create(mayLead);
    Object outcome = null;
    try {
      if (entry.push(waiter)) {
        outcome = waitOnStack(entry, waiter, timed, deadline);
      } else {
        entry.awaitSettled();
        outcome = RETRY;
      }
      return outcome;
    } finally {
      if (outcome == null) {
        waiter.state = Waiter.GONE; // a plain write: there may be no stack for a call
      }
    }
  }

  /** The same for a waiter that is on the stack already. */
  Object waitOnStack(Entry entry, Waiter.OfThread waiter, boolean timed, long deadline) {
    long start = flights.counters.start();
    Object outcome = null;
    try {
      prepare(entry, waiter.mayLead());
      outcome = await(entry, waiter, timed, deadline);
      return outcome;
    } finally {
      if (outcome == null && waiter.state() != Waiter.GONE) {
        desert(entry, waiter);
      }
      flights.counters.waited(start);
    }
  }

  /**
   * Fails if this thread is inside the load of this flight.
   *
   * @param steps how many waiters to look at; a wait that is long looks at all of them later
   */
  void checkOwn(Entry entry, int steps) {
    Token token = WaitCycle.token(entry, steps);
    Leader leader = token == null ? null : token.leader();
    if (leader != null && leader.thread == Thread.currentThread()) {
      if (!(token instanceof BulkLoad bulk && bulk.yetToBegin(entry))) {
        throw recursive(entry, leader.pathFrom(entry.key));
      }
    }
  }

  /**
   * Before a wait, with the waiter on the stack: sees to it that the flight is under way, by
   * running its load here if no other thread does or if this thread is to load it later.
   */
  void prepare(Entry entry, boolean here) {
    if (!(WaitCycle.token(entry, NEAR) instanceof Task task)) {
      return;
    }
    if (task.queued()) {
      takeUp(task, here);
    } else if (task instanceof BulkLoad bulk) {
      Leader leader = bulk.leader();
      if (leader != null && leader.thread == Thread.currentThread() && bulk.yetToBegin(entry)) {
        bulk.loadNow(entry, leader);
      }
    }
  }

  /** A task that is not under way: runs it here, or makes sure that the executor has it. */
  void takeUp(Task task, boolean here) {
    if (!here) {
      launcher.submit(task);
    } else {
      task.run();
    }
  }

  private Object await(Entry entry, Waiter.OfThread waiter, boolean timed, long deadline) {
    boolean interrupted = false;
    boolean looked = false;
    Leader suspect = null;
    long look = System.nanoTime() + SUSPICIOUS_NANOS;
    int lapses = 0;
    try {
      for (; ; ) {
        byte state = waiter.state();
        if (state == Waiter.WOKEN) {
          flights.wake.passOn(waiter);
          return outcome(waiter);
        }
        interrupted |= Thread.interrupted();
        if (state == Waiter.PROMOTED) {
          if (interrupted) {
            flights.handOn(entry);
            waiter.resign();
            throw flights.interrupted(entry.key, null);
          }
          return leadOn(entry, waiter);
        }
        if (interrupted) {
          if (waiter.leave()) {
            throw flights.interrupted(entry.key, null);
          }
          continue;
        }
        long now = System.nanoTime();
        if (timed && deadline - now <= 0) {
          if (waiter.leave()) {
            throw late(entry);
          }
          continue;
        }
        if (look - now <= 0) {
          look = now + LOOK_NANOS;
          if (!looked) {
            looked = true;
            suspect = Leader.known();
            if (suspect != null) {
              suspicious(entry, waiter, suspect);
            }
            takeUpQueued(entry, waiter.mayLead());
          } else if (over(entry) && ++lapses > 1 && waiter.leave()) {
            return RETRY;
          } else {
            takeUpQueued(entry, waiter.mayLead());
            flights.wake.finish();
          }
          continue;
        }
        long nanos = timed ? Math.min(look - now, deadline - now) : look - now;
        LockSupport.parkNanos(this, nanos);
      }
    } finally {
      if (suspect != null) {
        suspect.waitingOn = null;
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  static Object outcome(Waiter waiter) {
    Waiter anchor = waiter.anchor;
    Object outcome = anchor == null ? null : anchor.outcome;
    return outcome == null ? RETRY : outcome;
  }

  private Object leadOn(Entry entry, Waiter.OfThread waiter) {
    Leader me = Leader.current();
    waiter.leader = me;
    Object outcome = null;
    try {
      outcome = flights.lead(entry, me);
      return outcome;
    } finally {
      if (outcome == null) {
        entry.state = Entry.ABANDONED;
      }
      waiter.resign();
    }
  }

  /** The wait is long: tells other threads what this one waits for, and looks for a cycle. */
  private void suspicious(Entry entry, Waiter waiter, Leader me) {
    if (me.depth > 0) {
      Entry[] edge = {entry};
      me.waitingOn = edge;
      List<Object> path = WaitCycle.find(edge, me);
      if (path != null && waiter.leave()) {
        throw recursive(entry, path);
      }
    }
  }

  /** Takes up the load of a flight if the executor has dropped it, or has not begun it. */
  void takeUpQueued(Entry entry, boolean here) {
    if (WaitCycle.token(entry, Integer.MAX_VALUE) instanceof Task task && task.queued()) {
      takeUp(task, here);
    }
  }

  RecursiveLoadException recursive(Entry entry, List<Object> path) {
    return new RecursiveLoadException(
        "a load waits for itself: "
            + WaitCycle.describe(path)
            + " -> "
            + Failure.text(entry.key)
            + "; load without asking this cache for a key whose load asked for this one",
        null);
  }

  private CacheTimeoutException late(Entry entry) {
    return new CacheTimeoutException(
        "time is up while "
            + Failure.text(entry.key)
            + " is loaded from "
            + flights.storageName
            + "; the load goes on",
        null);
  }

  /** Whether the flight ended without telling its waiters, or lost its leader. */
  boolean over(Entry entry) {
    byte state = entry.stateAcquire();
    if (state == Entry.ABANDONED) {
      flights.rescue(entry);
    }
    return state != Entry.LOADING && state != Entry.DETACHED;
  }

  /** This thread leaves by an exception of its own, such as an exhausted stack. */
  private void desert(Entry entry, Waiter.OfThread waiter) {
    if (!waiter.leave()) {
      if (waiter.state() == Waiter.WOKEN) {
        flights.wake.passOn(waiter);
      } else if (waiter.state() == Waiter.PROMOTED && waiter.resign()) {
        flights.handOn(entry);
      }
    }
  }
}
