package io.latchkey.cache.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One cached key: the node of the table's chain, the latch of its load and the holder of its value.
 *
 * <p>Layout with compressed references, measured: header 12, hash 4, key 4, value 4, next 4, mark
 * 2, state 1, counter 1 = 32 bytes. The three small fields are separate, since one shared word
 * would let a racy counter update bring a dead entry back.
 *
 * <h2>States</h2>
 *
 * <pre>
 *   LOADING ---publish---> READY ----retire--> DEAD
 *      |  |                FAILED --retire--> DEAD     (a failure that is cached)
 *      |  +----drop------> DEAD                        (outcome that is not kept)
 *      |  +----detach----> DETACHED ----> DEAD         (left the table; the load goes on)
 *      +-- (stack or heap exhausted) --> ABANDONED --rescue--> DEAD
 * </pre>
 *
 * LOADING is only ever the first state; nothing returns to it. A put, a reload and a refresh
 * install a new entry. A READY value never changes until it is dropped with the transition to DEAD.
 *
 * <h2>The value field</h2>
 *
 * While LOADING or DETACHED it is the top of a lock-free stack of {@link Waiter}s with a {@link
 * Token} at the bottom. <em>Settling</em> a flight is taking the stack away:
 *
 * <ol>
 *   <li>{@link #close}: CAS of the stack to {@link #CLOSED}. Whoever succeeds owns the outcome; a
 *       time-out, a close of the cache and the leader compete here, and the losers do nothing.
 *   <li>plain write of the value;
 *   <li>CAS of the state from LOADING. It fails only if the entry was detached; then the value is
 *       dropped and only the waiters get it;
 *   <li>the waiters get the outcome through their nodes, see {@link Wake}.
 * </ol>
 *
 * A caller that wants to push and finds no stack waits for step 3, a few instructions, and looks
 * again from the start.
 *
 * <h2>Accesses that are not volatile, and what they pair with</h2>
 *
 * <table>
 *   <caption>field, access, partner</caption>
 *   <tr><td>hash, key</td><td>final</td><td>published by the release write of the slot or link</td></tr>
 *   <tr><td>next</td><td>read acquire, written release under the stripe lock; plain while relinking
 *       behind a release fence</td><td>each other</td></tr>
 *   <tr><td>value, hit</td><td>plain read after {@code state} was read READY with acquire</td><td>the
 *       plain write before the CAS of the state. A null read means that the entry died in between:
 *       the reader takes the slow path</td></tr>
 *   <tr><td>value, retire</td><td>plain write of null after the CAS to DEAD</td><td>benign: readers
 *       check for null; a reader that still sees the value read it before the retirement ended</td></tr>
 *   <tr><td>value, stack</td><td>acquire read and CAS</td><td>each other</td></tr>
 *   <tr><td>state</td><td>acquire read; CAS, or release by the sole owner of the next transition;
 *       plain writes to ABANDONED, and from it to DEAD by the one that took the stack</td><td>each other</td></tr>
 *   <tr><td>counter</td><td>plain, racy</td><td>nothing: a lost increment only makes an entry look
 *       a little colder. A hit writes it at most three times between two looks of the policy</td></tr>
 *   <tr><td>mark</td><td>plain, under the policy lock</td><td>the lock</td></tr>
 * </table>
 */
class Entry {
  static final byte LOADING = 0;
  static final byte READY = 1;
  static final byte FAILED = 2;
  static final byte DEAD = 3;
  static final byte DETACHED = 4;
  static final byte ABANDONED = 5;

  /** Saturation of the use counter. */
  static final byte MAX_COUNT = 3;

  /** Value of a READY entry whose object the storage does not have. */
  static final Object ABSENT = new Sentinel("absent");

  private static final Object CLOSED = new Sentinel("closed");

  private static final VarHandle VALUE;
  private static final VarHandle STATE;
  private static final VarHandle NEXT;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      VALUE = lookup.findVarHandle(Entry.class, "value", Object.class);
      STATE = lookup.findVarHandle(Entry.class, "state", byte.class);
      NEXT = lookup.findVarHandle(Entry.class, "next", Entry.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final int hash;
  final Object key;
  private @Nullable Object value;

  /** The chain link; other than through the methods below only by {@link Table}, under its lock. */
  @Nullable Entry next;

  /** Which queue of the policy the entry stands in and what the policy noted there. */
  short mark;

  /**
   * One of the states above. Apart from the methods below, a leader that cannot go on because its
   * stack or heap is exhausted writes ABANDONED plainly, since that needs no call. Whoever comes
   * across such an entry rescues it; waiters look for it now and then.
   */
  byte state;

  /** Uses since the policy looked last, up to {@link #MAX_COUNT}. */
  byte counter;

  /** A flight: LOADING, with this stack. */
  Entry(Object key, int hash, Node stack) {
    this.key = key;
    this.hash = hash;
    value = stack;
  }

  /** An entry that is READY or FAILED from the start. */
  Entry(Object key, int hash, Object outcome, byte state) {
    this.key = key;
    this.hash = hash;
    value = outcome;
    this.state = state;
  }

  /** What the entry counts towards the bound of its cache. */
  int weight() {
    return 1;
  }

  void weight(int weight) {}

  // ---- the place in the table

  /** Takes this entry out of where look-ups find it; false if it was not there. */
  boolean leave(Table table) {
    return table.remove(this);
  }

  /** Shows what this node of the table stands for: itself, or the revisions of a key. */
  void forEach(Consumer<Entry> visitor) {
    visitor.accept(this);
  }

  // ---- table links; the table's stripe lock guards the writes

  final @Nullable Entry nextAcquire() {
    return (Entry) NEXT.getAcquire(this);
  }

  final void nextRelease(@Nullable Entry entry) {
    NEXT.setRelease(this, entry);
  }

  // ---- hits

  final byte stateAcquire() {
    return (byte) STATE.getAcquire(this);
  }

  /** The outcome, after the state was read READY or FAILED; null when the entry died meanwhile. */
  final @Nullable Object outcomePlain() {
    return value;
  }

  /** Counts a use; writes nothing when the counter is full. */
  final void touch() {
    byte count = counter;
    if (count < MAX_COUNT) {
      counter = (byte) (count + 1);
    }
  }

  // ---- the latch

  /** Puts a waiter on the stack; false when the flight is settled or about to be. */
  final boolean push(Waiter waiter) {
    for (; ; ) {
      Node top = stack();
      if (top == null) {
        return false;
      }
      waiter.standOn(top);
      if (VALUE.compareAndSet(this, top, waiter)) {
        return true;
      }
    }
  }

  /** The stack of a flight, or null when it is settled. */
  final @Nullable Node stack() {
    return VALUE.getAcquire(this) instanceof Node node ? node : null;
  }

  /** Takes the stack; null when somebody else settled the flight. */
  final @Nullable Node close() {
    for (; ; ) {
      Node top = stack();
      if (top == null || VALUE.compareAndSet(this, top, CLOSED)) {
        return top;
      }
    }
  }

  /** Takes the stack if this is still its top. */
  final boolean close(Node top) {
    return VALUE.compareAndSet(this, top, CLOSED);
  }

  /**
   * Gives a closed flight an outcome to keep.
   *
   * @param top the stack that {@link #close} returned
   * @return false when the entry was detached; it is DEAD then, and only the waiters get the
   *     outcome
   */
  final boolean keep(Node top, Object outcome, byte settled) {
    try {
      value = outcome;
      if (STATE.compareAndSet(this, LOADING, settled)) {
        return true;
      }
      value = null;
      STATE.setRelease(this, DEAD);
      return false;
    } catch (Throwable exhausted) {
      value = top;
      state = ABANDONED;
      throw exhausted;
    }
  }

  /** Lets a closed flight end without keeping its outcome; true if it was still in the table. */
  final boolean drop() {
    if (STATE.compareAndSet(this, LOADING, DEAD)) {
      value = null;
      return true;
    }
    STATE.setRelease(this, DEAD);
    value = null;
    return false;
  }

  /** The entry left the table while it was loading; false when it is not loading any more. */
  final boolean detach() {
    return STATE.compareAndSet(this, LOADING, DETACHED);
  }

  /**
   * Ends a READY or FAILED entry.
   *
   * @return the outcome it had, or null when it was not alive
   */
  final @Nullable Object retire() {
    for (; ; ) {
      byte now = stateAcquire();
      if (now != READY && now != FAILED) {
        return null;
      }
      Object outcome = value;
      if (STATE.compareAndSet(this, now, DEAD)) {
        value = null;
        return outcome;
      }
    }
  }

  /**
   * Takes over an abandoned flight.
   *
   * @return the stack for one caller, who must then end the flight; null for all others
   */
  final @Nullable Node rescue(Node none) {
    if (stateAcquire() != ABANDONED) {
      return null;
    }
    Node top = stack();
    if (top == null) {
      if (!STATE.compareAndSet(this, ABANDONED, DEAD)) {
        return null;
      }
      value = null;
      return none;
    }
    if (!close(top)) {
      return null;
    }
    value = null; // plain writes, as the rescuer may be short of stack itself
    state = DEAD;
    return top;
  }

  /** Waits out the few instructions between the closing of the stack and the new state. */
  final void awaitSettled() {
    for (int spins = 0; stack() == null; spins++) {
      byte now = stateAcquire();
      if (now != LOADING && now != DETACHED) {
        return;
      }
      if (spins < 64) {
        Thread.onSpinWait();
      } else {
        Thread.yield();
      }
    }
  }

  private record Sentinel(String name) {
    @Override
    public String toString() {
      return name;
    }
  }
}
