package io.latchkey.cache.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A chained hash table with the entries as its nodes.
 *
 * <ul>
 *   <li>Readers take no lock and write nothing. Slots and links are written with release and read
 *       with acquire.
 *   <li>Writers lock one stripe for a few instructions. Only {@code equals} of a key runs under it.
 *       The locks are monitors, because the virtual machine releases a monitor whatever happens to
 *       the stack; nothing blocks while holding one. Each change is one write, the last thing that
 *       can fail.
 *   <li>A stripe owns the same hashes in every array, since its number is the low bits of the hash
 *       and every array is at least as long as there are stripes.
 *   <li>Growth relinks the entries into an array of twice the length, stripe by stripe. A walk that
 *       finds its key is right whatever array it walked. A walk that finds nothing proves nothing,
 *       as it may have been led across an entry that was just relinked: {@link #find} may miss, and
 *       whoever needs to be sure looks again under the lock ({@link #findSurely}, {@link
 *       #findOrInsert}).
 *   <li>A bucket that is long although the table is large enough holds colliding keys; further ones
 *       go to an overflow map, which makes trees of comparable keys.
 * </ul>
 */
final class Table {
  /** Chain length from which further keys go to the overflow. */
  static final int MAX_CHAIN = 8;

  private static final int MAX_LENGTH = 1 << 30;
  private static final int STRIPES = 256;
  private static final int SLOTS_A_STRIPE = 8;
  private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(Entry[].class);
  private static final VarHandle GROWING;

  static {
    try {
      GROWING = MethodHandles.lookup().findVarHandle(Table.class, "growing", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** The array that readers walk first. */
  private volatile @Nullable Entry[] slots;

  /** The array that a growth under way moves the entries to. */
  private volatile @Nullable Entry @Nullable [] target;

  private final Stripe[] stripes;

  /** Held by the one thread that grows the table; given back by a write that needs no call. */
  private volatile boolean growing;

  private volatile @Nullable ConcurrentHashMap<Object, Entry> overflow;
  private volatile @Nullable String closed;

  /** A lock and what it guards: the links of the entries whose hash ends in the stripe's number. */
  private static final class Stripe {
    /** The array that holds this stripe's entries. */
    @Nullable Entry[] array;

    /** Entries in the chains of this stripe, without the overflow. */
    int count;

    /** Count from which it is worth looking whether the whole table is full. */
    private int limit;

    Stripe(@Nullable Entry[] array, int stripes) {
      this.array = array;
      limit = limit(array.length / stripes);
    }

    /**
     * Three quarters of the slots and three standard deviations of a random spread above, so that
     * an ordinary crowd does not count as a full table.
     */
    static int limit(int slots) {
      int share = slots - slots / 4;
      return share + 3 * (int) Math.sqrt(share) + 1;
    }

    boolean crowded() {
      return count > limit && (count < 64 || (count & 15) == 0);
    }
  }

  /**
   * An empty table.
   *
   * @param bound the expected largest number of entries; the table grows to it and beyond
   */
  Table(long bound) {
    int length = 64;
    while (length * 3L < Math.min(bound, 1536) * 4) {
      length *= 2;
    }
    slots = new Entry[length];
    stripes = new Stripe[Math.min(STRIPES, length / SLOTS_A_STRIPE)];
    for (int i = 0; i < stripes.length; i++) {
      stripes[i] = new Stripe(slots, stripes.length);
    }
  }

  /** The spread of ConcurrentHashMap; a stronger mix was measured to cost 40 % on dense keys. */
  static int hash(Object key) {
    int h = key.hashCode();
    return h ^ (h >>> 16);
  }

  // ---- reading

  /** The entry of a key; null proves nothing. */
  @Nullable Entry find(Object key, int hash) {
    @Nullable Entry[] array = slots;
    for (Entry entry = (Entry) SLOT.getAcquire(array, hash & (array.length - 1));
        entry != null;
        entry = entry.nextAcquire()) {
      if (entry.hash == hash && (entry.key == key || key.equals(entry.key))) {
        return entry;
      }
    }
    return target == null && overflow == null ? null : findElsewhere(key, hash);
  }

  private @Nullable Entry findElsewhere(Object key, int hash) {
    @Nullable Entry[] array = target;
    if (array != null) {
      for (Entry entry = (Entry) SLOT.getAcquire(array, hash & (array.length - 1));
          entry != null;
          entry = entry.nextAcquire()) {
        if (entry.hash == hash && (entry.key == key || key.equals(entry.key))) {
          return entry;
        }
      }
    }
    ConcurrentHashMap<Object, Entry> map = overflow;
    return map == null ? null : map.get(key);
  }

  /** The entry of a key; null means that there was none. */
  @Nullable Entry findSurely(Object key, int hash) {
    Entry entry = find(key, hash);
    if (entry != null) {
      return entry;
    }
    Stripe stripe = stripe(hash);
    synchronized (stripe) {
      return locked(stripe, key, hash);
    }
  }

  private Stripe stripe(int hash) {
    return stripes[hash & (stripes.length - 1)];
  }

  private @Nullable Entry locked(Stripe stripe, Object key, int hash) {
    @Nullable Entry[] array = stripe.array;
    for (Entry entry = array[hash & (array.length - 1)]; entry != null; entry = entry.next) {
      if (entry.hash == hash && (entry.key == key || key.equals(entry.key))) {
        return entry;
      }
    }
    ConcurrentHashMap<Object, Entry> map = overflow;
    return map == null ? null : map.get(key);
  }

  // ---- writing

  /**
   * Inserts an entry if there is none of its key.
   *
   * @return the entry of the key now: {@code mine} or the one that was there
   * @throws IllegalStateException if the table was closed
   */
  Entry findOrInsert(Entry mine) {
    Stripe stripe = stripe(mine.hash);
    boolean crowded;
    synchronized (stripe) {
      checkOpen();
      Entry there = place(stripe, mine);
      if (there != null) {
        return there;
      }
      crowded = stripe.crowded();
    }
    if (crowded) {
      growIfFull();
    }
    return mine;
  }

  /**
   * Makes {@code mine} the entry of its key, or, where the condition does not hold, removes the one
   * there is. The condition is evaluated under the stripe lock; it must not run user code.
   *
   * @return the entry that was there
   * @throws IllegalStateException if the table was closed
   */
  @Nullable Entry swap(Entry mine, BooleanSupplier keep) {
    Stripe stripe = stripe(mine.hash);
    boolean crowded;
    synchronized (stripe) {
      checkOpen();
      boolean kept = keep.getAsBoolean();
      Entry there = kept ? place(stripe, mine) : locked(stripe, mine.key, mine.hash);
      if (there != null) {
        unlink(stripe, there, kept ? mine : null);
        return there;
      }
      crowded = kept && stripe.crowded();
    }
    if (crowded) {
      growIfFull();
    }
    return null;
  }

  /** Inserts under the lock; returns the entry of the key that was there instead, if any. */
  private @Nullable Entry place(Stripe stripe, Entry mine) {
    @Nullable Entry[] array = stripe.array;
    int slot = mine.hash & (array.length - 1);
    Entry first = array[slot];
    int length = 0;
    for (Entry entry = first; entry != null; entry = entry.next) {
      if (entry.hash == mine.hash && (entry.key == mine.key || mine.key.equals(entry.key))) {
        return entry;
      }
      length++;
    }
    ConcurrentHashMap<Object, Entry> map = overflow;
    if (map != null && length < MAX_CHAIN) {
      Entry there = map.get(mine.key);
      if (there != null) {
        return there;
      }
    }
    if (length >= MAX_CHAIN) {
      Headroom.ensure(); // a ConcurrentHashMap that fails half-way loses count, or keeps a lock
      return overflow().putIfAbsent(mine.key, mine);
    }
    mine.next = first;
    SLOT.setRelease(array, slot, mine);
    stripe.count++;
    return null;
  }

  /** Removes the entry of a key. */
  @Nullable Entry remove(Object key, int hash) {
    Stripe stripe = stripe(hash);
    synchronized (stripe) {
      Entry there = locked(stripe, key, hash);
      if (there != null) {
        unlink(stripe, there, null);
      }
      return there;
    }
  }

  /**
   * Removes this very entry; false if it is not in the table. Runs no {@code equals} but for
   * overflow.
   */
  boolean remove(Entry entry) {
    Stripe stripe = stripe(entry.hash);
    synchronized (stripe) {
      return unlink(stripe, entry, null);
    }
  }

  /**
   * Removes all entries of a hash. Runs no {@code equals} but for overflow; an entry that stays
   * there because it threw is among the result if it has an object.
   */
  List<Entry> removeHash(int hash) {
    List<Entry> removed = new ArrayList<>();
    Stripe stripe = stripe(hash);
    synchronized (stripe) {
      collect(hash & (stripes.length - 1), stripe, removed);
      removed.removeIf(entry -> entry.hash != hash || !unlinkQuietly(stripe, entry));
    }
    return removed;
  }

  private boolean unlinkQuietly(Stripe stripe, Entry entry) {
    try {
      return unlink(stripe, entry, null);
    } catch (RuntimeException broken) {
      return entry.stateAcquire() == Entry.READY;
    }
  }

  /** Puts {@code mine} in the place of this very entry; false if it is not in the table. */
  boolean replace(Entry old, Entry mine) {
    Stripe stripe = stripe(old.hash);
    synchronized (stripe) {
      checkOpen();
      return unlink(stripe, old, mine);
    }
  }

  /** Takes this very entry out of its chain, with another in its place if one is given. */
  private boolean unlink(Stripe stripe, Entry old, @Nullable Entry mine) {
    @Nullable Entry[] array = stripe.array;
    int slot = old.hash & (array.length - 1);
    Entry before = null;
    for (Entry entry = array[slot]; entry != null; before = entry, entry = entry.next) {
      if (entry != old) {
        continue;
      }
      // The old entry keeps its link: a reader may be standing on it.
      Entry after = old.next;
      if (mine != null) {
        mine.next = after;
        after = mine;
      }
      if (before == null) {
        SLOT.setRelease(array, slot, after);
      } else {
        before.nextRelease(after);
      }
      if (mine == null) {
        stripe.count--;
      }
      return true;
    }
    ConcurrentHashMap<Object, Entry> map = overflow;
    if (map == null) {
      return false;
    }
    Headroom.ensure();
    return mine == null ? map.remove(old.key, old) : map.replace(old.key, old, mine);
  }

  private ConcurrentHashMap<Object, Entry> overflow() {
    ConcurrentHashMap<Object, Entry> map = overflow;
    if (map == null) {
      synchronized (stripes) {
        map = overflow;
        if (map == null) {
          map = new ConcurrentHashMap<>();
          overflow = map;
        }
      }
    }
    return map;
  }

  /**
   * Removes everything, stripe by stripe, and gives each entry to the consumer, outside the locks.
   */
  void clear(Consumer<Entry> removed) {
    for (int i = 0; i < stripes.length; i++) {
      for (Entry entry : takeStripe(i)) {
        removed.accept(entry);
      }
    }
  }

  /** From now on insertions fail with this message; what is there stays until it is cleared. */
  void close(String why) {
    closed = why;
  }

  private void checkOpen() {
    String why = closed;
    if (why != null) {
      throw new IllegalStateException(why);
    }
  }

  private List<Entry> takeStripe(int number) {
    List<Entry> taken = new ArrayList<>();
    Stripe stripe = stripes[number];
    synchronized (stripe) {
      collect(number, stripe, taken);
      @Nullable Entry[] array = stripe.array;
      for (int i = number; i < array.length; i += stripes.length) {
        if (array[i] != null) {
          SLOT.setRelease(array, i, (Entry) null);
        }
      }
      stripe.count = 0;
      ConcurrentHashMap<Object, Entry> map = overflow;
      if (map != null) {
        for (Entry entry : taken) {
          map.remove(entry.key, entry);
        }
      }
    }
    return taken;
  }

  private void collect(int number, Stripe stripe, List<Entry> to) {
    @Nullable Entry[] array = stripe.array;
    for (int i = number; i < array.length; i += stripes.length) {
      for (Entry entry = array[i]; entry != null; entry = entry.next) {
        to.add(entry);
      }
    }
    ConcurrentHashMap<Object, Entry> map = overflow;
    if (map != null) {
      for (Entry entry : map.values()) {
        if ((entry.hash & (stripes.length - 1)) == number) {
          to.add(entry);
        }
      }
    }
  }

  /** How many groups {@link #group} divides the entries into. */
  int groups() {
    return stripes.length;
  }

  /** The entries of one group as they are now, for iteration. */
  List<Entry> group(int number) {
    List<Entry> found = new ArrayList<>();
    Stripe stripe = stripes[number];
    synchronized (stripe) {
      collect(number, stripe, found);
    }
    return found;
  }

  /** Entries in the table, loading ones included; exact when nothing is under way. */
  long count() {
    long sum = 0;
    for (Stripe stripe : stripes) {
      synchronized (stripe) {
        sum += stripe.count;
      }
    }
    ConcurrentHashMap<Object, Entry> map = overflow;
    return map == null ? sum : sum + map.mappingCount();
  }

  // ---- for checks while nothing is under way

  /** The array that readers walk first. */
  @Nullable Entry[] slots() {
    return slots;
  }

  /**
   * How many entries a group says it has in its chains, or -1 if they are not in {@link #slots}.
   */
  int chained(int group) {
    Stripe stripe = stripes[group];
    synchronized (stripe) {
      return stripe.array == slots ? stripe.count : -1;
    }
  }

  /** What did not fit in chains. */
  Collection<Entry> overflowed() {
    ConcurrentHashMap<Object, Entry> map = overflow;
    return map == null ? List.of() : map.values();
  }

  /** Whether a growth is under way or was broken off. */
  boolean growthPending() {
    return growing || target != null;
  }

  // ---- growth

  /** Grows a full table; when memory or stack do not allow it, a later insertion tries again. */
  private void growIfFull() {
    try {
      if (full() && GROWING.compareAndSet(this, false, true)) {
        try {
          if (full()) {
            grow();
          }
        } finally {
          growing = false;
        }
      }
    } catch (StackOverflowError | OutOfMemoryError later) {
      // The insertion succeeded, and the table works as it is.
    }
  }

  private boolean full() {
    long sum = 0;
    for (Stripe stripe : stripes) {
      sum += stripe.count; // racy on purpose: only decides when to grow
    }
    int length = slots.length;
    return sum * 4 > length * 3L && length < MAX_LENGTH;
  }

  /** Moves all stripes to a larger array; goes on where an earlier attempt was broken off. */
  private void grow() {
    @Nullable Entry[] from = slots;
    @Nullable Entry[] to = target;
    if (to == null) {
      to = new Entry[from.length * 2];
      target = to;
    }
    int limit = Stripe.limit(to.length / stripes.length);
    for (int i = 0; i < stripes.length; i++) {
      Stripe stripe = stripes[i];
      synchronized (stripe) {
        if (stripe.array == from) {
          // Orders the contents of entries before the plain writes of their new links.
          VarHandle.releaseFence();
          relink(i, stripes.length, from, to);
          stripe.array = to;
          stripe.limit = limit;
        }
      }
    }
    slots = to;
    target = null;
  }

  /**
   * Moves one stripe. No call in here, so that an exhausted stack cannot stop it half-way. The old
   * slots are emptied: a reader that starts after a later removal must not find the entry there.
   */
  private static void relink(int first, int stride, @Nullable Entry[] from, @Nullable Entry[] to) {
    int bit = from.length;
    for (int i = first; i < bit; i += stride) {
      Entry low = null;
      Entry high = null;
      for (Entry entry = from[i]; entry != null; ) {
        Entry next = entry.next;
        if ((entry.hash & bit) == 0) {
          entry.next = low;
          low = entry;
        } else {
          entry.next = high;
          high = entry;
        }
        entry = next;
      }
      to[i] = low;
      to[i + bit] = high;
      from[i] = null;
    }
  }
}
