package io.latchkey.cache.internal;

import io.latchkey.cache.RemovalCause;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jctools.queues.varhandle.unpadded.MpscVarHandleUnpaddedArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the eviction policy and the order of expiry in step with the table, under one lock that
 * only misses, writes and removals take.
 *
 * <p>A thread that finds the lock taken leaves its entry in a queue of {@value #QUEUE} places, and
 * whoever holds the lock works it off; when the queue is full the thread takes the lock. The queue
 * does not say what to do with an entry: one that is alive and not held by the policy is admitted,
 * one that is dead and still held is removed. So order does not matter, nor does a second mention.
 *
 * <p>Lock order: this lock, then a stripe of the table. No user code runs under it; victims are
 * unlinked and listeners told after it is released. It is a field with the owner, taken by CAS and
 * given back by a plain field write, which works however full the stack is; a thread that must have
 * it yields until it is free, since it is never held for longer than some bookkeeping. Should the
 * stack or the heap give out in the middle of that, the books are marked as damaged, and the next
 * thread rebuilds them from the table.
 */
final class Admission {
  /** Admissions that may be under way beyond the bound. */
  static final int QUEUE = 128;

  /** Victims beside the first that are collected before the lock is given back. */
  private static final int BATCH = 256;

  private static final long KEEP = -1;

  private static final VarHandle OWNER;

  static {
    try {
      OWNER = MethodHandles.lookup().findVarHandle(Admission.class, "owner", Thread.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** The thread that holds the lock. Guards what follows the final fields. */
  private volatile @Nullable Thread owner;

  private final Table table;
  private final Departures departures;
  private final Supplier<EvictionPolicy> newPolicy;
  private final @Nullable Supplier<ExpiryIndex> newIndex;
  private final Predicate<Entry> held;
  private volatile MpscVarHandleUnpaddedArrayQueue<Entry> queue =
      new MpscVarHandleUnpaddedArrayQueue<>(QUEUE);

  /** For the next thread that has more than one victim; null while it is in use. */
  private volatile @Nullable Leavers spare;

  private EvictionPolicy policy;
  private @Nullable ExpiryIndex index;

  /**
   * The books may disagree with the table and must be made anew. Also set, by a write that needs no
   * call, by a thread that took entries out of the table and then could not go on.
   */
  volatile boolean damaged;

  private long evictions;
  private long evictedWeight;

  /** Written under the lock, read without. */
  private volatile long maximum;

  /**
   * Bookkeeping for an empty table.
   *
   * @param newIndex makes the order of expiry, or null in a cache without expiry
   * @param held entries that the sweep leaves alone for now
   */
  Admission(
      Table table,
      Departures departures,
      long maximum,
      Supplier<EvictionPolicy> newPolicy,
      @Nullable Supplier<ExpiryIndex> newIndex,
      Predicate<Entry> held) {
    this.table = table;
    this.departures = departures;
    this.maximum = maximum;
    this.newPolicy = newPolicy;
    this.newIndex = newIndex;
    this.held = held;
    policy = newPolicy.get();
    index = newIndex == null ? null : newIndex.get();
  }

  long maximum() {
    return maximum;
  }

  /** Whether an object of this weight can be kept at all. */
  boolean fits(int weight) {
    long bound = maximum;
    return bound > 0 && weight <= bound;
  }

  long evictions() {
    lock();
    long count = evictions;
    owner = null;
    return count;
  }

  long evictedWeight() {
    lock();
    long sum = evictedWeight;
    owner = null;
    return sum;
  }

  /** Entries held, expired ones that no sweep has found yet included. */
  long size(long now) {
    lock();
    boolean done = false;
    try {
      if (damaged) {
        rebuild(now);
      }
      drain(now);
      done = true;
      return policy.size();
    } finally {
      if (!done) {
        damaged = true;
      }
      owner = null;
    }
  }

  /**
   * The entry became READY or FAILED, or it died; adjusts the books and evicts what is too much.
   *
   * @param now the cache's clock, where it has one
   */
  void changed(Entry entry, long now) {
    Thread me = Thread.currentThread();
    try {
      if (tryLock()) {
        settle(entry, now);
      } else if (!offer(entry)) {
        lock();
        settle(entry, now);
      }
      // An offer may come just after the holder of the lock looked at the queue for the last time.
      while (!queue.isEmpty() && tryLock()) {
        settle(null, now);
      }
    } finally {
      if (owner == me) { // the stack gave out between the lock and its use
        damaged = true;
        owner = null;
      }
    }
  }

  private boolean offer(Entry entry) {
    try {
      MpscVarHandleUnpaddedArrayQueue<Entry> to = queue;
      return to.offer(entry) && queue == to; // else the books are being made anew, without it
    } catch (VirtualMachineError broken) {
      damaged = true;
      throw broken;
    }
  }

  /** Works off everything that is due. */
  void cleanUp(long now) {
    adjust(KEEP, now);
  }

  /** Changes the bound and works off everything that is due then. */
  void resize(long bound, long now) {
    adjust(bound, now);
  }

  private void adjust(long bound, long now) {
    Thread me = Thread.currentThread();
    try {
      lock();
      if (bound != KEEP) {
        maximum = bound;
        policy.resize(bound);
      }
      settle(null, now);
    } finally {
      if (owner == me) {
        damaged = true;
        owner = null;
      }
    }
  }

  /** Shows what the policy holds, in the order of its queues. */
  void forEach(Consumer<Entry> visitor) {
    lock();
    try {
      policy.forEach(visitor);
    } finally {
      owner = null;
    }
  }

  /** Whether no thread is at work here and no entry waits in the queue. */
  boolean idle() {
    return owner == null && queue.isEmpty();
  }

  /** Shows the books to a check, under the lock. */
  void inspect(BiConsumer<EvictionPolicy, @Nullable ExpiryIndex> check) {
    lock();
    try {
      check.accept(policy, index);
    } finally {
      owner = null;
    }
  }

  private boolean tryLock() {
    return owner == null && OWNER.compareAndSet(this, null, Thread.currentThread());
  }

  private void lock() {
    assert owner != Thread.currentThread() : "the policy lock is not reentrant";
    for (int tries = 0; !tryLock(); tries++) {
      if (tries < 32) {
        Thread.onSpinWait();
      } else if (tries < 256) {
        Thread.yield();
      } else {
        LockSupport.parkNanos(this, 50_000); // the owner has lost its processor
      }
    }
  }

  /**
   * Runs the bookkeeping; the lock is held on entry and released on the way. All that is due is
   * done in one go, as giving the lock back and taking it again for each victim makes two busy
   * threads wait for each other all the time.
   */
  private void settle(@Nullable Entry first, long now) {
    Entry entry = first;
    boolean more = true;
    while (more) {
      Entry victim = null;
      Object outcome = null;
      Leavers others = null;
      try {
        if (damaged) {
          rebuild(now);
          if (entry != null && !alive(entry)) {
            entry = null; // the new books do not have it
          }
        }
        // Before the admissions, since what has expired makes room; and only while no victim waits
        // for its collection, because the policy would be told a second time that it left.
        if (index != null && !policy.over()) {
          others = expire(index, now);
        }
        drain(now);
        if (entry != null) {
          apply(entry, now);
          entry = null;
        }
        victim = policy.victim();
        if (victim != null) {
          outcome = evicted(victim);
          if (policy.over()) {
            others = others == null ? leavers() : others;
            evictMore(others);
          }
        }
        more = policy.over();
      } catch (Throwable broken) {
        damaged = true;
        more = false;
        if (!(broken instanceof VirtualMachineError)) {
          throw broken;
        }
      } finally {
        owner = null;
      }
      if (victim != null || others != null) {
        takeOut(victim, outcome, others);
      }
      if (more) {
        lock();
      }
    }
  }

  private void evictMore(Leavers to) {
    for (int i = 0; i < BATCH && policy.over(); i++) {
      Entry victim = policy.victim();
      if (victim != null) {
        to.add(victim, evicted(victim));
      }
    }
  }

  private Leavers leavers() {
    Leavers empty = spare;
    if (empty == null) {
      return new Leavers();
    }
    spare = null;
    return empty;
  }

  /** Ends a victim of the policy; returns what it had, or null if it died before. */
  private @Nullable Object evicted(Entry victim) {
    Object outcome = victim.retire();
    if (index != null) {
      index.remove(victim);
    }
    if (outcome != null) {
      evictions++;
      evictedWeight += victim.weight();
    }
    return outcome;
  }

  private void takeOut(@Nullable Entry victim, @Nullable Object outcome, @Nullable Leavers others) {
    boolean done = false;
    try {
      if (victim != null) {
        takeOut(victim, outcome, RemovalCause.EVICTED);
      }
      if (others != null) {
        for (int i = 0; i < others.count(); i++) {
          takeOut(
              others.entry(i),
              others.outcome(i),
              others.expired(i) ? RemovalCause.EXPIRED : RemovalCause.EVICTED);
        }
        if (others.reset()) {
          spare = others;
        }
      }
      done = true;
    } finally {
      if (!done) {
        damaged = true; // dead entries are left in the table
      }
    }
  }

  private void takeOut(Entry gone, @Nullable Object outcome, RemovalCause cause) {
    unlink(gone);
    if (outcome != null) {
      departures.left(gone, outcome, cause);
    }
  }

  /**
   * Takes a dead entry out of the table. One whose key's {@code equals} throws stays until somebody
   * comes across it: that is no matter of the thread that happens to do the bookkeeping.
   */
  private void unlink(Entry dead) {
    try {
      dead.leave(table);
    } catch (RuntimeException broken) {
      // as said
    }
  }

  private void drain(long now) {
    for (Entry entry = queue.relaxedPoll(); entry != null; entry = queue.relaxedPoll()) {
      apply(entry, now);
    }
  }

  private void apply(Entry entry, long now) {
    assert owner == Thread.currentThread() : "needs the policy lock";
    boolean alive = alive(entry);
    if (alive == (entry.mark != EvictionPolicy.NONE)) {
      return;
    }
    if (alive) {
      policy.admit(entry);
      if (index != null) {
        index.add(entry, now);
      }
    } else {
      policy.remove(entry);
      if (index != null) {
        index.remove(entry);
      }
    }
  }

  private static boolean alive(Entry entry) {
    byte state = entry.stateAcquire();
    return state == Entry.READY || state == Entry.FAILED;
  }

  private @Nullable Leavers expire(ExpiryIndex due, long now) {
    Leavers expired = null;
    for (Entry entry = due.poll(now, held); entry != null; entry = due.poll(now, held)) {
      policy.remove(entry);
      Object outcome = entry.retire();
      if (outcome != null) {
        expired = expired == null ? leavers() : expired;
        expired.add(entry, outcome);
      }
    }
    if (expired != null) {
      expired.endExpired();
    }
    return expired;
  }

  /** Makes the books anew from what is alive in the table. */
  private void rebuild(long now) {
    queue = new MpscVarHandleUnpaddedArrayQueue<>(QUEUE); // first: what comes later is not missed
    forget();
    EvictionPolicy fresh = newPolicy.get();
    fresh.resize(maximum);
    ExpiryIndex order = newIndex == null ? null : newIndex.get();
    List<Entry> dead = new ArrayList<>();
    for (int i = 0; i < table.groups(); i++) {
      for (Entry node : table.group(i)) {
        node.forEach(
            entry -> {
              entry.mark = EvictionPolicy.NONE;
              if (alive(entry)) {
                fresh.admit(entry);
                if (order != null) {
                  order.add(entry, now);
                }
              } else if (entry.stateAcquire() == Entry.DEAD) {
                dead.add(entry);
              }
            });
      }
    }
    policy = fresh;
    index = order;
    dead.forEach(this::unlink);
    damaged = false;
  }

  /** Takes the marks off the entries in the old books: some of them have left the table. */
  private void forget() {
    try {
      policy.forEach(entry -> entry.mark = EvictionPolicy.NONE);
    } catch (RuntimeException broken) {
      // The books are damaged, after all; what they still name is all that can be forgotten.
    }
  }
}
