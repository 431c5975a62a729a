package io.latchkey.cache.internal;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Hands the outcome of a settled flight to the waiters on its closed stack.
 *
 * <p>The top node is the anchor: it carries the outcome, and its {@code next} is the cursor from
 * which all wakers pop. The leader wakes a bounded number of threads; each woken thread calls
 * {@link #passOn} before it looks at anything else and wakes as many again, so that the leader's
 * cost does not grow with the number of waiters and the last of n is reached in log n steps. Nodes
 * that are gone do not count. Futures are collected and completed on the executor, after the
 * threads.
 */
final class Wake {
  /** Threads that each waker wakes. */
  private static final int QUOTA = 2;

  /** Waiters other than threads that one waker looks after before the executor goes on. */
  private static final int BATCH = 64;

  private final Executor executor;

  Wake(Executor executor) {
    this.executor = executor;
  }

  /**
   * Starts the waking; called once for a stack, by whoever closed it.
   *
   * @param here whether futures may be completed on this thread, because it is the executor's
   */
  void start(Node top, Object outcome, boolean failed, boolean here) {
    if (!(top instanceof Waiter anchor)) {
      return;
    }
    anchor.outcome = outcome;
    anchor.failed = failed;
    anchor.anchor = anchor;
    Waiter.OfFuture batch = null;
    int quota = QUOTA;
    if (anchor.claim(Waiter.WOKEN)) {
      if (anchor.signal()) {
        quota--;
      }
      if (anchor instanceof Waiter.OfFuture future) {
        batch = future;
      }
    }
    pop(anchor, quota, batch, here);
  }

  /** Wakes the next ones; every woken thread owes this first. */
  void passOn(Waiter woken) {
    Waiter anchor = woken.anchor;
    if (anchor != null) {
      pop(anchor, QUOTA, null, false);
    }
  }

  private void pop(Waiter anchor, int quota, Waiter.@Nullable OfFuture first, boolean here) {
    Waiter.OfFuture batch = first;
    int threads = quota;
    int others = here ? Integer.MAX_VALUE : BATCH;
    boolean more = false;
    while (anchor.nextAcquire() instanceof Waiter waiter) {
      if (threads == 0) {
        break;
      }
      if (others == 0) {
        more = true;
        break;
      }
      if (!anchor.casNext(waiter, waiter.nextAcquire())) {
        continue;
      }
      waiter.anchor = anchor;
      if (!waiter.claim(Waiter.WOKEN)) {
        continue;
      }
      if (waiter.signal()) {
        threads--;
      } else {
        others--;
        if (waiter instanceof Waiter.OfFuture future) {
          future.batch = batch;
          batch = future;
        }
      }
    }
    if (batch != null || more) {
      deliver(anchor, batch, more, here);
    }
  }

  private void deliver(Waiter anchor, Waiter.@Nullable OfFuture batch, boolean more, boolean here) {
    Runnable delivery =
        () -> {
          complete(anchor, batch);
          if (more) {
            pop(anchor, QUOTA, null, true);
          }
        };
    if (here) {
      delivery.run();
      return;
    }
    try {
      executor.execute(delivery);
    } catch (Throwable refused) {
      delivery.run(); // by an error too, such as a thread that cannot be started
    }
  }

  private static void complete(Waiter anchor, Waiter.@Nullable OfFuture batch) {
    for (Waiter.OfFuture waiter = batch; waiter != null; waiter = waiter.batch) {
      Object outcome = anchor.outcome;
      if (anchor.failed && outcome instanceof Failure failure) {
        waiter.future.completeExceptionally(failure.exception());
      } else {
        waiter.future.complete(outcome == Entry.ABSENT ? null : outcome);
      }
    }
  }
}
