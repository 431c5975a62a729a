package io.latchkey.storage.testkit;

import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * One call that a gated storage holds until the test says how it ends.
 *
 * <p>Exactly one of {@link #release}, {@link #fail} and {@link #run} may be called, once; a second
 * one throws {@link IllegalStateException}, because a test that ends a call twice is wrong about
 * what it tests. The methods do not wait for the held thread to leave. Thread-safe.
 *
 * @param <K> the type of the keys
 * @param <R> what the call returns: the object of a load, the map of a bulk load, nothing for a
 *     write
 */
public final class GatedCall<K, R> {
  private final Set<K> keys;
  private final Thread thread = Thread.currentThread();

  /** Ends the hold: what the held thread runs to get its result. */
  private final CompletableFuture<Callable<? extends @Nullable R>> ending =
      new CompletableFuture<>();

  /** Written by the held thread as it leaves, read by the test. */
  private volatile boolean ended;

  GatedCall(Set<K> keys) {
    this.keys = keys;
  }

  /**
   * The keys that the call is about: one, or those of a bulk in their order.
   *
   * @return an unmodifiable set
   */
  public Set<K> keys() {
    return keys;
  }

  /**
   * The thread that made the call.
   *
   * @return the thread, possibly ended
   */
  public Thread thread() {
    return thread;
  }

  /**
   * Whether the call is still at the gate: not released, and its thread not interrupted away.
   *
   * @return true while it is held
   */
  public boolean isHeld() {
    return !ended && !ending.isDone();
  }

  /**
   * Whether the call has left the gate, by a release or by an interrupt.
   *
   * @return true once its thread is past the gate
   */
  public boolean hasEnded() {
    return ended;
  }

  /**
   * Lets the call return this result.
   *
   * @param result what the call returns; null is "absent" for a load
   * @throws IllegalStateException if the call was let go before, or left by an interrupt
   */
  public void release(@Nullable R result) {
    run(() -> result);
  }

  /**
   * Lets the call throw.
   *
   * @param failure thrown as it is: any {@code Throwable}, checked ones and errors included
   * @throws IllegalStateException if the call was let go before, or left by an interrupt
   */
  public void fail(Throwable failure) {
    run(
        () -> {
          throw Sneaky.raise(failure);
        });
  }

  /**
   * Lets the held thread run this code and return, or throw, what it does. Shows what a storage may
   * do that calls back into its cache.
   *
   * @param body runs on {@link #thread()}, outside any lock
   * @throws IllegalStateException if the call was let go before, or left by an interrupt
   */
  public void run(Callable<? extends @Nullable R> body) {
    if (ended) {
      throw new IllegalStateException("the call for " + keys + " has left the gate already");
    }
    if (!ending.complete(body)) {
      throw new IllegalStateException("the call for " + keys + " was let go before");
    }
  }

  /** Holds the current thread; on an interrupt the call leaves and cannot be released any more. */
  Callable<? extends @Nullable R> hold(boolean interruptible) throws InterruptedException {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return ending.get();
        } catch (InterruptedException e) {
          // A release that came first stands: the interrupt is then left for the caller to see.
          if (interruptible && ending.completeExceptionally(e)) {
            throw e;
          }
          interrupted = true;
        } catch (ExecutionException e) {
          throw new IllegalStateException("only the held thread ends a call this way", e);
        }
      }
    } finally {
      ended = true;
      if (interrupted) {
        thread.interrupt();
      }
    }
  }

  @Override
  public String toString() {
    return keys + " by " + thread.getName() + (isHeld() ? " (held)" : "");
  }
}
