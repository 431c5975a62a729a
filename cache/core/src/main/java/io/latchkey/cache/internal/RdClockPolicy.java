package io.latchkey.cache.internal;

import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * RD-Clock: a FIFO window in front of a CLOCK main queue, with admission to main by reuse distance.
 *
 * <p>The reuse distance of an entry is counted in misses since it was last known to be used; that
 * of an evicted one is kept in a {@link GhostTable}. An entry that comes back enters main if it
 * comes back sooner than main's head was last used, times a patience that grows when entries so
 * admitted turn out not to be used again. A head that is not displaced stays where it is: that is
 * what lets a part of a loop survive. The share of the window adapts to which queue's victims come
 * back soonest.
 *
 * <p>Hits only raise the counter of the entry, up to three. Sizes are in weight; the clock, its
 * units and the ghosts are in entries.
 *
 * <pre>
 *   mark:  bits 0-1 queue (none, window, main)   bit 2 fresh   bits 3-15 coarse time of last known use
 * </pre>
 */
final class RdClockPolicy implements EvictionPolicy {
  private static final int WINDOW = 1;
  private static final int MAIN = 2;
  private static final int QUEUE_MASK = 3;
  private static final int FRESH = 4;
  private static final int STAMP_SHIFT = 3;
  private static final int STAMP_MASK = (1 << 13) - 1;

  private static final int DISPLACE_STEPS = 8;
  private static final int EVICT_STEPS = 16;
  private static final double EXPECTED_SUCCESS = 0.55;
  private static final double AVERAGE = 1 / 64.0;
  private static final double REFUSED_WEIGHT = 0.13;
  private static final double MAX_LOG_PATIENCE = 4;
  private static final double SHRINK = 0.002;

  private final EntryRing window = new EntryRing(entry -> queue(entry) == WINDOW);
  private final EntryRing main = new EntryRing(entry -> queue(entry) == MAIN);

  /** Entries that are out of the queues and wait to be collected. */
  private final ArrayDeque<Entry> victims = new ArrayDeque<>();

  private long capacity;

  /** The bound was lowered; what main has no use of leaves, though main would have room for it. */
  private boolean shrinking;

  private long windowWeight;
  private long mainWeight;

  /** Misses so far. */
  private long now;

  /** The capacity in entries that the tables below are made for; 0 before the first eviction. */
  private long scale;

  private long ghostUnit = 1;
  private long stampUnit = 1;
  private GhostTable ghosts = new GhostTable(1);
  private short[] nearWindow = new short[1];
  private short[] nearMain = new short[1];

  private double success = EXPECTED_SUCCESS;
  private double patience = 1;
  private double windowTarget;
  private long windowSize;

  RdClockPolicy(long maximum) {
    resize(maximum);
  }

  private static int queue(Entry entry) {
    return entry.mark & QUEUE_MASK;
  }

  private static boolean fresh(Entry entry) {
    return (entry.mark & FRESH) != 0;
  }

  private void mark(Entry entry, int bits, int stamp) {
    entry.mark = (short) (stamp << STAMP_SHIFT | bits);
  }

  private static int stamp(Entry entry) {
    return entry.mark >>> STAMP_SHIFT & STAMP_MASK;
  }

  private int stampNow() {
    return (int) (now / stampUnit) & STAMP_MASK;
  }

  /** Misses since the entry was last known to be used; short of the truth after 8192 units. */
  private long age(Entry entry) {
    return ((stampNow() - stamp(entry)) & STAMP_MASK) * stampUnit;
  }

  /** A hash whose every bit depends on every bit of the entry's. */
  private static long hash(Entry entry) {
    long h = entry.hash * 0x9E3779B97F4A7C15L;
    h = (h ^ (h >>> 32)) * 0xD6E8FEB86659FD93L;
    h = (h ^ (h >>> 32)) * 0xD6E8FEB86659FD93L;
    return h ^ (h >>> 32);
  }

  @Override
  public void resize(long maximum) {
    shrinking = windowWeight + mainWeight > maximum;
    capacity = maximum;
    windowSize = Math.max(1, (long) (0.05 * maximum));
    windowTarget = windowSize;
    scale = 0;
    units(maximum);
  }

  /**
   * Chooses the coarse times so that they reach back far enough: those of ghosts eight times the
   * capacity, those of entries sixteen times. A time that wraps makes an old entry look young, and
   * keeps it.
   */
  private void units(long entries) {
    ghostUnit = Math.max(1, entries / 32);
    stampUnit = Math.max(1, (entries + 511) / 512);
  }

  /** Makes the tables when the cache is full for the first time, or holds twice as many entries. */
  private void fitTables() {
    long entries = Math.max(1, size());
    if (scale != 0 && entries <= 2 * scale) {
      return;
    }
    scale = entries;
    long unit = stampUnit;
    units(entries);
    if (stampUnit != unit) {
      forEach(entry -> mark(entry, entry.mark & (QUEUE_MASK | FRESH), stampNow()));
    }
    ghosts = new GhostTable(3 * entries);
    int near = (int) Math.max(1, Math.min(1 << 28, entries * 3 / 100));
    nearWindow = new short[near];
    nearMain = new short[near];
  }

  // ---- admission

  @Override
  public void admit(Entry entry) {
    long weight = entry.weight();
    now++;
    boolean full = windowWeight + mainWeight + weight > capacity;
    int age = -1;
    if (full) {
      fitTables();
      moveWindow(-SHRINK * step());
    }
    if (scale != 0) {
      long hash = hash(entry);
      learnFromNear(hash);
      age = ghosts.take(hash, (int) (now / ghostUnit));
    }
    boolean toMain = age >= 0 && displace(Math.max(1, age * ghostUnit), weight);
    while (windowWeight + mainWeight + weight > capacity && size() > 0) {
      evict();
    }
    if (toMain) {
      mark(entry, MAIN | FRESH, stampNow());
      entry.counter = 0;
      main.addLast(entry);
      mainWeight += weight;
    } else {
      mark(entry, WINDOW, stampNow());
      entry.counter = (byte) (age >= 0 ? Math.max(1, entry.counter) : entry.counter);
      window.addLast(entry);
      windowWeight += weight;
    }
  }

  private void enterMain(Entry entry) {
    entry.counter = 0;
    mark(entry, MAIN, stampNow());
    main.addLast(entry);
    mainWeight += entry.weight();
  }

  private double step() {
    return Math.max(1, capacity / 1000.0);
  }

  private void learnFromNear(long hash) {
    int slot = near(hash);
    short print = print(hash);
    if (nearWindow[slot] == print) {
      nearWindow[slot] = 0;
      moveWindow(step());
    } else if (nearMain[slot] == print) {
      nearMain[slot] = 0;
      moveWindow(-step());
    }
  }

  private int near(long hash) {
    return (int) (((hash & 0xffffffffL) * nearWindow.length) >>> 32);
  }

  private static short print(long hash) {
    return (short) (hash >>> 40 | 1);
  }

  private void moveWindow(double by) {
    // Not Math.floor: a class that is first met on an exhausted stack stays unusable.
    double least = Math.max(1, (long) (0.01 * capacity));
    double most = Math.max(1, (long) (0.8 * capacity));
    windowTarget = Math.max(least, Math.min(most, windowTarget + by));
    windowSize = (long) windowTarget;
  }

  /**
   * Whether an entry that was used {@code distance} misses ago may enter main; makes room for it.
   */
  private boolean displace(long distance, long weight) {
    for (int i = 0; i < DISPLACE_STEPS; i++) {
      if (mainWeight + weight <= capacity - windowSize) {
        return true;
      }
      Entry head = main.peekFirst();
      if (head == null) {
        return false;
      }
      if (head.counter > 0) {
        rotate(head);
      } else if (age(head) >= patience * distance) {
        drop(takeMain(), nearMain);
        if (weight <= 1) {
          return true;
        }
      } else {
        if (patience > 1) {
          learn(EXPECTED_SUCCESS, REFUSED_WEIGHT);
        }
        return false; // the hand stays on the head
      }
    }
    return false;
  }

  // ---- eviction

  private void evict() {
    Entry first = windowWeight >= windowSize || main.live() == 0 ? window.pollFirst() : null;
    if (first != null) {
      long weight = first.weight();
      windowWeight -= weight;
      boolean room = mainWeight + weight <= capacity - windowSize;
      if (room
          ? !shrinking || first.counter > 0
          : first.counter >= 2 && displace(age(first), weight)) {
        enterMain(first);
      } else {
        drop(first, nearWindow);
      }
      return;
    }
    for (int i = 0; i < EVICT_STEPS; i++) {
      Entry head = main.peekFirst();
      if (head == null || head.counter == 0) {
        break;
      }
      rotate(head);
    }
    if (main.live() > 0) {
      drop(takeMain(), nearMain);
    }
  }

  private Entry takeMain() {
    Entry head = main.pollFirst();
    if (head == null) {
      throw new IllegalStateException("main is empty");
    }
    mainWeight -= head.weight();
    return head;
  }

  private void rotate(Entry head) {
    if (fresh(head)) {
      learn(1, 1);
    }
    head.counter--;
    main.pollFirst();
    mark(head, MAIN, stampNow());
    main.addLast(head);
  }

  /** Throws an entry out of its queue, which it has left already, and leaves a ghost. */
  private void drop(Entry entry, short[] near) {
    if (near == nearMain && fresh(entry)) {
      learn(0, 1);
    }
    if (scale == 0) {
      fitTables();
    }
    long hash = hash(entry);
    long age = Math.min(age(entry), 4 * scale);
    (near == nearMain ? nearMain : nearWindow)[near(hash)] = print(hash);
    int coarse = (int) (now / ghostUnit);
    ghosts.put(hash, coarse - (int) (age / ghostUnit), coarse);
    entry.mark = NONE;
    victims.add(entry);
  }

  private void learn(double target, double weight) {
    success += (target - success) * weight * AVERAGE;
    patience = Math.exp(Math.max(0, Math.min(MAX_LOG_PATIENCE, 10 * (EXPECTED_SUCCESS - success))));
  }

  // ---- the rest of the seam

  @Override
  public void remove(Entry entry) {
    long weight = entry.weight();
    boolean inWindow = queue(entry) == WINDOW;
    entry.mark = NONE;
    if (inWindow) {
      windowWeight -= weight;
      window.buried();
    } else {
      mainWeight -= weight;
      main.buried();
    }
  }

  @Override
  public @Nullable Entry victim() {
    while (victims.isEmpty() && windowWeight + mainWeight > capacity) {
      evict();
    }
    Entry victim = victims.poll();
    shrinking &= victim != null;
    return victim;
  }

  @Override
  public boolean over() {
    return !victims.isEmpty() || windowWeight + mainWeight > capacity;
  }

  @Override
  public long size() {
    return (long) window.live() + main.live();
  }

  @Override
  public long weight() {
    return windowWeight + mainWeight;
  }

  @Override
  public void forEach(Consumer<Entry> visitor) {
    boolean full = windowWeight + mainWeight >= capacity;
    long room = full ? capacity - windowSize - mainWeight : 0;
    int moving = 0; // places at the window's head that main has room for, once the next one comes
    for (; moving < window.length() && room > 0; moving++) {
      Entry entry = window.at(moving);
      room -= queue(entry) == WINDOW ? entry.weight() : 0;
    }
    show(moving, window.length(), visitor);
    main.forEach(visitor);
    show(0, moving, visitor);
  }

  private void show(int from, int to, Consumer<Entry> visitor) {
    for (int i = from; i < to; i++) {
      Entry entry = window.at(i);
      if (queue(entry) == WINDOW) {
        visitor.accept(entry);
      }
    }
  }
}
