package io.latchkey.storage.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What the recorders of feeds have in common: they write down one event after the other, and tell
 * the test, not the storage, what is wrong with their order.
 *
 * @param <E> what is written down of an event
 */
abstract class EventRecorder<E> {
  private final Duration patience;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition told = lock.newCondition();
  private final List<E> events = new ArrayList<>();
  private @Nullable Thread inside;
  private @Nullable String violation;

  EventRecorder(Duration patience) {
    this.patience = patience;
  }

  /**
   * Called for each event, after it was written down and outside the recorder's lock; does nothing
   * unless overridden. What it throws is thrown at the storage, and the event does not count as
   * taken.
   *
   * @param event the event
   */
  protected void react(E event) {}

  /** Looks at the order, before the event is written down; called under the lock. */
  abstract void check(E event);

  /** The listener returned, or threw and so did not take the event; called under the lock. */
  void ended(E event, boolean taken) {}

  final void tell(E event) {
    enter(event);
    boolean taken = false;
    try {
      react(event);
      taken = true;
    } finally {
      leave(event, taken);
    }
  }

  private void enter(E event) {
    lock.lock();
    try {
      if (inside != null) {
        wrong("two events are told at once, by " + inside + " and " + Thread.currentThread());
      }
      inside = Thread.currentThread();
      check(event);
      events.add(event);
    } finally {
      lock.unlock();
    }
  }

  private void leave(E event, boolean taken) {
    lock.lock();
    try {
      ended(event, taken);
      inside = null;
      told.signalAll();
    } finally {
      lock.unlock();
    }
  }

  final void wrong(String what) {
    if (violation == null) {
      violation = what;
    }
  }

  /**
   * Waits until what was told so far satisfies the condition.
   *
   * @param what what is waited for, for the message
   * @param condition looks at the events
   * @throws AssertionError if that takes too long, or the order of the events is wrong
   */
  public final void await(String what, Predicate<List<E>> condition) {
    lock.lock();
    try {
      long left = patience.toNanos();
      // An event that is still being told has not yet done what react does.
      while (inside != null || !condition.test(events)) {
        checkOrder();
        if (left <= 0) {
          throw new AssertionError(what + " was not told within " + patience + ": " + events);
        }
        left = told.awaitNanos(left);
      }
      checkOrder();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while waiting for: " + what, e);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Checks that the events came in order so far.
   *
   * @throws AssertionError if not
   */
  public final void checkOrder() {
    lock.lock();
    try {
      if (violation != null) {
        throw new AssertionError(violation + "; told: " + events);
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * What was told so far.
   *
   * @return a copy
   */
  public final List<E> events() {
    return locked(() -> List.copyOf(events));
  }

  /** Looks at something under the lock. */
  final <T> T locked(Look<T> look) {
    lock.lock();
    try {
      return look.at();
    } finally {
      lock.unlock();
    }
  }

  /** Looks at what the lock guards. */
  interface Look<T> {
    T at();
  }
}
