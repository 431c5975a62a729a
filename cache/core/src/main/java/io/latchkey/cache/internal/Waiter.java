package io.latchkey.cache.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One caller that waits for a flight; a node of the entry's stack.
 *
 * <pre>
 *   WAITING --claim by a waker--> WOKEN      the outcome is in the anchor
 *           --claim by a leader-> PROMOTED   the waiter runs the load now
 *           --the waiter leaves-> GONE       interrupted, timed out, cancelled
 *   PROMOTED ------------------> GONE        leadership was handed on
 * </pre>
 *
 * All transitions are by CAS on {@code state}, except that a thread whose stack is exhausted leaves
 * by a plain write of GONE, from whatever state, since that needs no call. {@code next} of a node
 * changes only to skip GONE nodes and, for the anchor of a closed stack, to pop (see {@link Wake});
 * a node is never pushed twice, so there is no ABA. {@code outcome} and {@code failed} of an
 * anchor, and {@code anchor} of every node, are written plainly before the CAS to WOKEN and read
 * after WOKEN was seen.
 */
abstract class Waiter extends Node {
  static final byte WAITING = 0;
  static final byte WOKEN = 1;
  static final byte PROMOTED = 2;
  static final byte GONE = 3;

  /** Pushes between two prunings of a stack in which hardly anyone lives. */
  private static final int PRUNE_EVERY = 32;

  private static final VarHandle NEXT;
  private static final VarHandle STATE;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      NEXT = lookup.findVarHandle(Waiter.class, "next", Node.class);
      STATE = lookup.findVarHandle(Waiter.class, "state", byte.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private @Nullable Node next;
  @Nullable Waiter anchor;

  @Nullable Object outcome;

  /** Further nodes that may be pushed onto this one before the stack is pruned. */
  private short unpruned;

  /** One of the above; written other than by the methods below only by a thread that deserts. */
  volatile byte state;

  boolean failed;

  final byte state() {
    return state;
  }

  /** Whether nobody waits here any more. */
  boolean gone() {
    return state == GONE;
  }

  final boolean claim(byte to) {
    return STATE.compareAndSet(this, WAITING, to);
  }

  /** Gives up waiting; false when a waker or a leader was faster. */
  final boolean leave() {
    return claim(GONE);
  }

  /** A promoted waiter has handed its leadership on. */
  final boolean resign() {
    return STATE.compareAndSet(this, PROMOTED, GONE);
  }

  final @Nullable Node nextAcquire() {
    return (Node) NEXT.getAcquire(this);
  }

  final boolean casNext(Node from, @Nullable Node to) {
    return NEXT.compareAndSet(this, from, to);
  }

  /**
   * Makes {@code top} the node below this one, which is not pushed yet. Nodes that are gone are
   * skipped. After as many pushes as there were live waiters, and some more, all that are gone are
   * unlinked, so that the stack stays proportional to the live waiters at a constant cost for each
   * push.
   */
  final void standOn(Node top) {
    Node below = top;
    while (below instanceof Waiter waiter && waiter.gone()) {
      Node under = waiter.nextAcquire();
      if (under == null) {
        break;
      }
      below = under;
    }
    next = below;
    int left = below instanceof Waiter waiter ? waiter.unpruned - 1 : PRUNE_EVERY;
    unpruned = (short) (left < 0 ? Math.min(Short.MAX_VALUE, prune() + PRUNE_EVERY) : left);
  }

  /**
   * Unlinks the gone nodes below. Safe beside other pruners: a link only ever moves past nodes that
   * are gone, so a stale write can bring a gone node back but never lose a live one.
   *
   * @return how many nodes are left below
   */
  private int prune() {
    int live = 0;
    Waiter last = this;
    Node node = next;
    while (node instanceof Waiter waiter) {
      Node under = waiter.nextAcquire();
      if (waiter.gone() && under != null) {
        NEXT.setRelease(last, under);
      } else {
        live++;
        last = waiter;
      }
      node = under;
    }
    return live;
  }

  /** Tells the waiter that its state changed; true if it is a thread that will wake others. */
  abstract boolean signal();

  /** Whether this waiter can run the load itself when the leader cannot. */
  boolean mayLead() {
    return false;
  }

  /** Who runs the load while this waiter is PROMOTED. */
  @Nullable Leader leader() {
    return null;
  }

  /** A thread that waits for one flight. */
  static class OfThread extends Waiter {
    final Thread thread = Thread.currentThread();
    volatile @Nullable Leader leader;

    private OfThread() {}

    static OfThread create(boolean mayLead) {
      return mayLead ? new OfThread() : new Bystander();
    }

    @Override
    boolean signal() {
      LockSupport.unpark(thread);
      return true;
    }

    @Override
    boolean mayLead() {
      return true;
    }

    @Override
    @Nullable Leader leader() {
      return leader;
    }

    /** One that does not load itself: its thread must be able to leave at any time. */
    private static final class Bystander extends OfThread {
      @Override
      boolean mayLead() {
        return false;
      }
    }
  }

  /** A caller that holds a future; its future is its own, so cancelling it affects nobody. */
  static final class OfFuture extends Waiter {
    final CompletableFuture<@Nullable Object> future = new CompletableFuture<>();

    /** The next in a batch of futures to complete; used by the one thread that collects them. */
    @Nullable OfFuture batch;

    @Override
    boolean signal() {
      return false;
    }

    @Override
    boolean gone() {
      return future.isDone() || super.gone();
    }
  }

  /** A bulk load's interest in one of the flights that it joined. */
  static final class OfBulk extends Waiter {
    final BulkWait wait;

    OfBulk(BulkWait wait) {
      this.wait = wait;
    }

    @Override
    boolean signal() {
      if (state() == PROMOTED) {
        wait.promoted = true;
      }
      LockSupport.unpark(wait.thread);
      return false;
    }

    @Override
    boolean mayLead() {
      return wait.mayLead;
    }

    @Override
    @Nullable Leader leader() {
      return wait.leader;
    }
  }

  /** What the nodes of one bulk load share. */
  static final class BulkWait {
    final Thread thread = Thread.currentThread();
    final boolean mayLead;

    /** Set before the thread is unparked; one of its nodes is PROMOTED. */
    volatile boolean promoted;

    volatile @Nullable Leader leader;

    BulkWait(boolean mayLead) {
      this.mayLead = mayLead;
    }
  }

  /** Not a caller: the value of a put that detached the flight, should the load fail. */
  static final class PutMark extends Waiter {
    PutMark(Object value) {
      outcome = value;
      claim(WOKEN);
    }

    @Override
    boolean signal() {
      return false;
    }
  }

  /** Not a caller: the task that leads the flight now instead of the token at the bottom. */
  static final class LeaderMark extends Waiter {
    final Token token;

    LeaderMark(Token token) {
      this.token = token;
      claim(PROMOTED);
    }

    @Override
    boolean signal() {
      return false;
    }

    @Override
    @Nullable Leader leader() {
      return token.leader();
    }
  }
}
