package io.latchkey.bench.peers;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * An entry that is its own latch, outside of any table. While it loads, its outcome field is the
 * top of a stack of waiting threads; publishing swaps the outcome in and wakes them.
 *
 * <p>Accesses that are not volatile: the outcome is read plainly after the state was read with
 * acquire, which pairs with the release write of the state after the outcome was written; the
 * counter is racy, a lost increment only makes an entry look colder.
 */
final class LatchEntry<K, V> {
  private static final byte LOADING = 0;
  private static final byte READY = 1;
  private static final byte FAILED = 2;
  private static final byte MAX_COUNT = 3;

  /** The outcome of a load that found nothing; null stands for an empty stack. */
  private static final Object ABSENT = new Object();

  private static final VarHandle OUTCOME;
  private static final VarHandle STATE;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      OUTCOME = lookup.findVarHandle(LatchEntry.class, "outcome", Object.class);
      STATE = lookup.findVarHandle(LatchEntry.class, "state", byte.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final K key;
  private @Nullable Object outcome;

  @SuppressWarnings("UnusedVariable") // used through its handle
  private byte state;

  private byte counter;

  LatchEntry(K key) {
    this.key = key;
  }

  boolean isReady() {
    return (byte) STATE.getAcquire(this) == READY;
  }

  /** The value, after {@link #isReady} said yes. */
  @SuppressWarnings("unchecked")
  @Nullable V value() {
    Object now = outcome;
    return now == ABSENT ? null : (V) now;
  }

  /** Counts a use; writes nothing when the counter is full. */
  void touch() {
    byte count = counter;
    if (count < MAX_COUNT) {
      counter = (byte) (count + 1);
    }
  }

  /** Uses up one use; false if there was none. Called by the policy, under its lock. */
  boolean spendUse() {
    byte count = counter;
    if (count > 0) {
      counter = (byte) (count - 1);
    }
    return count > 0;
  }

  void publish(@Nullable V value) {
    settle(value == null ? ABSENT : value, READY);
  }

  void fail(Throwable failure) {
    settle(failure, FAILED);
  }

  private void settle(Object result, byte settled) {
    Object top = OUTCOME.getAndSet(this, result);
    STATE.setRelease(this, settled);
    for (Waiter waiter = (Waiter) top; waiter != null; waiter = waiter.next) {
      LockSupport.unpark(waiter.thread);
    }
  }

  /** Waits for the outcome; the thread's interrupt flag is kept for later. */
  @Nullable V await() {
    push();
    boolean interrupted = false;
    // Goals: woken by unpark; spurious wake-ups and interrupts go on waiting; no wake-up is lost,
    // since a waiter that was pushed is unparked after the state was written.
    while ((byte) STATE.getAcquire(this) == LOADING) {
      LockSupport.park(this);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if ((byte) STATE.getAcquire(this) == FAILED) {
      throw Through.failure((Throwable) Objects.requireNonNull(outcome));
    }
    return value();
  }

  /** Stands on the stack, unless the outcome is there or about to be. */
  private void push() {
    Waiter waiter = new Waiter(Thread.currentThread());
    for (; ; ) {
      if ((byte) STATE.getAcquire(this) != LOADING) {
        return;
      }
      Object top = OUTCOME.getAcquire(this);
      if (top != null && !(top instanceof Waiter)) {
        Thread.onSpinWait(); // between the two writes of settle
        continue;
      }
      waiter.next = (Waiter) top;
      if (OUTCOME.compareAndSet(this, top, waiter)) {
        return;
      }
    }
  }

  private static final class Waiter {
    private final Thread thread;
    private @Nullable Waiter next;

    Waiter(Thread thread) {
      this.thread = thread;
    }
  }
}
