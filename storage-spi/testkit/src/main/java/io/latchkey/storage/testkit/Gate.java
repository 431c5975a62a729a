package io.latchkey.storage.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Where calls of one kind are held, in the order in which they came. The lock guards the list of
 * calls only; no thread waits at the gate while it holds the lock, and it is no monitor, so that a
 * virtual thread is not pinned by it.
 */
final class Gate<K, R> {
  private final String kind;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition arrived = lock.newCondition();
  private final List<GatedCall<K, R>> calls = new ArrayList<>();

  Gate(String kind) {
    this.kind = kind;
  }

  /** Counts the call and holds it. */
  Callable<? extends @Nullable R> hold(Set<K> keys, boolean interruptible)
      throws InterruptedException {
    return arrive(keys).hold(interruptible);
  }

  /** Counts a call that is not held. */
  void pass(Set<K> keys) throws InterruptedException {
    GatedCall<K, R> call = arrive(keys);
    call.release(null);
    call.hold(false);
  }

  private GatedCall<K, R> arrive(Set<K> keys) {
    GatedCall<K, R> call = new GatedCall<>(keys);
    lock.lock();
    try {
      calls.add(call);
      arrived.signalAll();
    } finally {
      lock.unlock();
    }
    return call;
  }

  /** The oldest held call that matches; waits for it. */
  GatedCall<K, R> awaitHeld(Predicate<Set<K>> wanted, String what, Duration patience) {
    return await(call -> call.isHeld() && wanted.test(call.keys()), 1, what, patience);
  }

  /** The nth call ever that matches, held or not; waits for it. */
  GatedCall<K, R> awaitNth(Predicate<Set<K>> wanted, int nth, String what, Duration patience) {
    if (nth < 1) {
      throw new IllegalArgumentException("calls are counted from 1, not " + nth);
    }
    return await(call -> wanted.test(call.keys()), nth, what, patience);
  }

  private GatedCall<K, R> await(
      Predicate<GatedCall<K, R>> wanted, int nth, String what, Duration patience) {
    lock.lock();
    try {
      long left = patience.toNanos();
      while (true) {
        List<GatedCall<K, R>> found = matching(wanted);
        if (found.size() >= nth) {
          return found.get(nth - 1);
        }
        if (left <= 0) {
          throw new AssertionError(
              "no " + kind + " of " + what + " within " + patience + "; calls so far: " + calls);
        }
        left = arrived.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while waiting for a " + kind + " of " + what, e);
    } finally {
      lock.unlock();
    }
  }

  /** The calls that match, oldest first, those that have ended included. */
  List<GatedCall<K, R>> calls(Predicate<GatedCall<K, R>> wanted) {
    lock.lock();
    try {
      return matching(wanted);
    } finally {
      lock.unlock();
    }
  }

  /** Lets every held call fail. */
  void failHeld(Throwable failure) {
    for (GatedCall<K, R> call : calls(GatedCall::isHeld)) {
      try {
        call.fail(failure);
      } catch (IllegalStateException e) {
        // It left by an interrupt in between, which is as good.
      }
    }
  }

  private List<GatedCall<K, R>> matching(Predicate<GatedCall<K, R>> wanted) {
    return calls.stream().filter(wanted).toList();
  }
}
