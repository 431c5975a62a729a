package io.latchkey.cache.testing;

import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/** One call in a thread of its own. */
public final class Caller<T> {
  private final Thread thread;
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile @Nullable Outcome<T> outcome;

  Caller(ThreadFactory threads, Callable<? extends @Nullable T> call, boolean interruptedBefore) {
    thread =
        threads.newThread(
            () -> {
              if (interruptedBefore) {
                Thread.currentThread().interrupt();
              }
              try {
                T value = call.call();
                outcome = new Outcome<>(value, null, Thread.currentThread().isInterrupted());
              } catch (Throwable e) {
                outcome = new Outcome<>(null, e, Thread.currentThread().isInterrupted());
              } finally {
                ended.countDown();
              }
            });
  }

  void start() {
    thread.start();
  }

  /** The thread that makes the call. */
  public Thread thread() {
    return thread;
  }

  /** Interrupts the thread. */
  public Caller<T> interrupt() {
    thread.interrupt();
    return this;
  }

  /** Whether the call has returned or thrown. */
  public boolean ended() {
    return ended.getCount() == 0;
  }

  /** Waits until the thread is parked in the cache: not for a lock, nor in a gated load. */
  public Caller<T> awaitParked() {
    Patience.until(() -> this + " parks", this::parked);
    return this;
  }

  private boolean parked() {
    if (ended()) {
      throw new AssertionError(thread.getName() + " was to wait, but ended with " + outcome);
    }
    if (!waiting()) {
      return false;
    }
    for (StackTraceElement frame : thread.getStackTrace()) {
      if (frame.getClassName().startsWith("io.latchkey")) {
        return !frame.getClassName().startsWith(GatedLoads.class.getName()) && waiting();
      }
      if (frame.getClassName().startsWith("java.util.concurrent.locks.")
          && !frame.getClassName().endsWith("LockSupport")
          && !frame.getMethodName().startsWith("await")) {
        return false;
      }
    }
    return waiting();
  }

  private boolean waiting() {
    Thread.State state = thread.getState();
    return state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
  }

  /** Waits for the end of the call. */
  public Outcome<T> outcome() {
    boolean inTime;
    try {
      inTime = ended.await(Patience.LIMIT_SECONDS, java.util.concurrent.TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new AssertionError("the test's own thread was interrupted", e);
    }
    Outcome<T> end = outcome;
    if (!inTime || end == null) {
      AssertionError stuck = new AssertionError("stuck: " + this);
      stuck.setStackTrace(thread.getStackTrace());
      throw stuck;
    }
    return end;
  }

  /** The value that the call returned; fails if it threw. */
  public @Nullable T value() {
    return outcome().value();
  }

  /** What the call threw; fails if it returned or threw another type. */
  public <X extends Throwable> X failure(Class<X> type) {
    return outcome().failure(type);
  }

  @Override
  public String toString() {
    return thread.getName() + " (" + thread.getState() + ")";
  }
}
