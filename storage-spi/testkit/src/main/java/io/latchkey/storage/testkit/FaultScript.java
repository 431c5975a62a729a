package io.latchkey.storage.testkit;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The script for the calls of one kind: which fault strikes which of them. A call is struck by one
 * fault at most: that of its number, else that of one of its keys, else the one for every call. The
 * numbers are given when the calls begin, from 1. Thread-safe.
 *
 * @param <K> the type of the keys
 * @param <R> what the calls return
 */
public final class FaultScript<K, R> {
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Integer, Fault<R>> byNumber = new HashMap<>();
  private final Map<K, Fault<R>> byKey = new HashMap<>();
  private Fault<R> forAll = Fault.none();
  private int calls;

  FaultScript() {}

  /**
   * Lets a fault strike one call.
   *
   * @param number which one, from 1, of all calls of this kind since the storage was made
   * @param fault what goes wrong
   * @return this script
   * @throws IllegalArgumentException if that call has been made already, or the number is below 1
   */
  public FaultScript<K, R> onCall(int number, Fault<R> fault) {
    Objects.requireNonNull(fault, "fault");
    lock.lock();
    try {
      if (number <= calls) {
        throw new IllegalArgumentException(
            "call " + number + " cannot be scripted any more: " + calls + " were made");
      }
      byNumber.put(number, fault);
    } finally {
      lock.unlock();
    }
    return this;
  }

  /**
   * Lets a fault strike the next call.
   *
   * @param fault what goes wrong
   * @return this script
   */
  public FaultScript<K, R> onNext(Fault<R> fault) {
    lock.lock();
    try {
      return onCall(calls + 1, fault);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Lets a fault strike all calls that concern a key, until {@link #clear}.
   *
   * @param key the key
   * @param fault what goes wrong
   * @return this script
   */
  public FaultScript<K, R> onKey(K key, Fault<R> fault) {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(fault, "fault");
    lock.lock();
    try {
      byKey.put(key, fault);
    } finally {
      lock.unlock();
    }
    return this;
  }

  /**
   * Lets a fault strike all calls that have no other, until {@link #clear}.
   *
   * @param fault what goes wrong
   * @return this script
   */
  public FaultScript<K, R> onEvery(Fault<R> fault) {
    Objects.requireNonNull(fault, "fault");
    lock.lock();
    try {
      forAll = fault;
    } finally {
      lock.unlock();
    }
    return this;
  }

  /** Forgets all faults; the numbers go on. */
  public void clear() {
    lock.lock();
    try {
      byNumber.clear();
      byKey.clear();
      forAll = Fault.none();
    } finally {
      lock.unlock();
    }
  }

  /**
   * The number of calls that have begun, struck or not.
   *
   * @return the number
   */
  public int calls() {
    lock.lock();
    try {
      return calls;
    } finally {
      lock.unlock();
    }
  }

  /** Makes a call as the script says. */
  @Nullable R run(Set<? extends K> keys, Callable<? extends @Nullable R> call, CountDownLatch end)
      throws Exception {
    return next(keys).apply(call, end);
  }

  private Fault<R> next(Set<? extends K> keys) {
    lock.lock();
    try {
      calls++;
      Fault<R> fault = byNumber.remove(calls);
      if (fault != null) {
        return fault;
      }
      for (K key : keys) {
        Fault<R> ofKey = byKey.get(key);
        if (ofKey != null) {
          return ofKey;
        }
      }
      return forAll;
    } finally {
      lock.unlock();
    }
  }
}
