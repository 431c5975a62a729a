package io.latchkey.cache.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Hands the outcome of a settled flight to the waiters on its closed stack.
 *
 * <p>The top node is the anchor: it carries the outcome, and its {@code next} is the cursor from
 * which all wakers pop. The leader wakes a bounded number of threads; each woken thread calls
 * {@link #passOn} before it looks at anything else and wakes a bounded number more, so that the
 * leader's cost does not grow with the number of waiters and the last of n is reached in log n
 * steps. Nodes that are gone do not count. Futures are collected and completed on the executor,
 * after the threads.
 */
final class Wake {
  /** Threads that the leader wakes, whose own call must not take longer for many waiters. */
  private static final int QUOTA = 2;

  /**
   * Threads that each woken one wakes. Where processors are short, each step of the chain waits for
   * one; so the chain is made short, at the price of some microseconds for who passes the wake on.
   */
  private static final int PASS_ON = 32;

  /** Waiters other than threads that one waker looks after before the executor goes on. */
  private static final int BATCH = 64;

  private static final VarHandle UNFINISHED;

  static {
    try {
      UNFINISHED = MethodHandles.lookup().findVarHandle(Wake.class, "unfinished", Object[].class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Executor executor;

  /**
   * Nodes whose waking broke off because the thread that did it had no stack left: anchors, first
   * futures of a batch, and nodes that were popped and not told. A list of pairs, a node and the
   * rest of the list, since making an array needs no call; doing one of them twice does no harm. If
   * two threads without a stack meet here, what one of them leaves is lost, and threads that wait
   * look for themselves.
   */
  volatile @Nullable Object @Nullable [] unfinished;

  Wake(Executor executor) {
    this.executor = executor;
  }

  /**
   * Starts the waking; called once for a stack, by whoever closed it. If it throws, the caller must
   * put the stack among the {@link #unfinished}.
   *
   * @param here whether futures may be completed on this thread, because it is the executor's
   */
  void start(Node top, Object outcome, boolean failed, boolean here) {
    if (unfinished != null) {
      finish();
    }
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
    if (anchor == null) {
      return;
    }
    boolean done = false;
    try {
      pop(anchor, PASS_ON, null, false);
      done = true;
    } finally {
      if (!done) {
        unfinished = new @Nullable Object[] {anchor, unfinished};
      }
    }
  }

  /** Does what threads without a stack have left undone. */
  void finish() {
    @Nullable Object[] rest = (Object[]) UNFINISHED.getAndSet(this, null);
    boolean done = false;
    try {
      for (; rest != null; rest = (Object[]) rest[1]) {
        Waiter waiter = (Waiter) rest[0];
        Waiter anchor = waiter == null ? null : waiter.anchor;
        if (waiter != null && anchor != null) {
          anchor.claim(Waiter.WOKEN);
          anchor.signal();
          waiter.claim(Waiter.WOKEN);
          waiter.signal();
          pop(anchor, QUOTA, waiter instanceof Waiter.OfFuture future ? future : null, false);
        }
      }
      done = true;
    } finally {
      for (; !done && rest != null; rest = (Object[]) rest[1]) {
        unfinished = new @Nullable Object[] {rest[0], unfinished};
      }
    }
  }

  private void pop(Waiter anchor, int quota, Waiter.@Nullable OfFuture first, boolean here) {
    Waiter.OfFuture batch = first;
    Waiter popped = null;
    boolean done = false;
    try {
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
        popped = waiter;
        waiter.anchor = anchor;
        if (waiter.claim(Waiter.WOKEN)) {
          if (waiter instanceof Waiter.OfFuture future) {
            popped = null;
            future.batch = batch;
            batch = future;
          }
          if (waiter.signal()) {
            threads--;
          } else {
            others--;
          }
        }
        popped = null;
      }
      if (batch != null || more) {
        deliver(anchor, batch, more, here);
      }
      done = true;
    } finally {
      if (!done && batch != null) {
        unfinished = new @Nullable Object[] {batch, unfinished};
      }
      if (!done && popped != null) {
        unfinished = new @Nullable Object[] {popped, unfinished};
      }
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
      Headroom.ensure();
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
