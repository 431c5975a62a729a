package io.latchkey.cache.internal;

import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The order of expiry where each entry has a time of its own: a hierarchical timer wheel (Varghese
 * and Lauck, 1987). An entry is put in a bucket by the time it has left; when the bucket is due,
 * the entry is looked at, and either its time is over or it goes to another bucket. So a renewed
 * life costs nothing until then, and adding and removing cost O(1).
 *
 * <p>Time in the wheel is nanoseconds since its start, which may wrap around after jumps of the
 * clock, but never goes back; the decision whether an entry is over is made by its own times and
 * the real clock.
 */
final class TimerWheel implements ExpiryIndex {
  /**
   * Width of a bucket on each level as a power of two of nanoseconds: 1 ms, 67 ms, 4 s, 5 min, 5 h.
   */
  private static final int[] SHIFT = {20, 26, 32, 38, 44};

  private static final int BUCKETS = 64;

  /** From here on, nanoseconds, a clock that stands behind counts as set back, not as read late. */
  private static final long SET_BACK = 1_000_000_000L;

  private final Lifetimes lifetimes;
  private final ExpiringEntry[][] buckets = new ExpiringEntry[SHIFT.length][BUCKETS];
  private final ExpiringEntry due = bucket();
  private long started;
  private boolean running;
  private long time;

  TimerWheel(Lifetimes lifetimes) {
    this.lifetimes = lifetimes;
    for (ExpiringEntry[] level : buckets) {
      for (int i = 0; i < BUCKETS; i++) {
        level[i] = bucket();
      }
    }
  }

  /** A bucket is a ring of entries with one that stands for none. */
  private static ExpiringEntry bucket() {
    ExpiringEntry none = new ExpiringEntry("bucket", 0, Entry.ABSENT, Entry.DEAD);
    none.before = none;
    none.after = none;
    return none;
  }

  private static void link(ExpiringEntry bucket, ExpiringEntry entry) {
    ExpiringEntry last = before(bucket);
    entry.before = last;
    entry.after = bucket;
    last.after = entry;
    bucket.before = entry;
  }

  private static void unlink(ExpiringEntry entry) {
    ExpiringEntry before = entry.before;
    ExpiringEntry after = entry.after;
    if (before != null && after != null) {
      before.after = after;
      after.before = before;
      entry.before = null;
      entry.after = null;
    }
  }

  private static ExpiringEntry before(ExpiringEntry entry) {
    return entry.before == null ? entry : entry.before;
  }

  private static ExpiringEntry after(ExpiringEntry entry) {
    return entry.after == null ? entry : entry.after;
  }

  @Override
  public void add(Entry entry, long now) {
    advance(now);
    schedule((ExpiringEntry) entry, lifetimes.removal(entry, now));
  }

  /**
   * Puts an entry in the bucket that is due in {@code left} nanoseconds. One that never expires is
   * in none, unless a use may give it an end; then it is looked at as seldom as can be.
   */
  private void schedule(ExpiringEntry entry, long left) {
    if (left == Long.MAX_VALUE && !lifetimes.useChangesLife()) {
      return;
    }
    long at = time + Math.max(left, 1L << SHIFT[0]);
    for (int level = 0; level < SHIFT.length; level++) {
      long ticks = ticks(level, at);
      if (ticks < BUCKETS || level == SHIFT.length - 1) {
        long tick = (time >>> SHIFT[level]) + Math.min(ticks, BUCKETS - 1);
        link(buckets[level][(int) (tick & (BUCKETS - 1))], entry);
        return;
      }
    }
  }

  /** How many buckets of a level lie between the wheel's time and a later one. */
  private long ticks(int level, long later) {
    int shift = SHIFT[level];
    return ((later >>> shift) - (time >>> shift)) & (-1L >>> shift);
  }

  @Override
  public void remove(Entry entry) {
    unlink((ExpiringEntry) entry);
  }

  @Override
  public @Nullable Entry poll(long now, Predicate<Entry> held) {
    advance(now);
    for (ExpiringEntry entry = after(due); entry != due; entry = after(due)) {
      unlink(entry);
      long left = lifetimes.removal(entry, now);
      if (left <= 0 && !held.test(entry)) {
        return entry;
      }
      schedule(entry, left);
    }
    return null;
  }

  @Override
  public void forEach(Consumer<Entry> visitor) {
    show(due, visitor);
    for (ExpiringEntry[] level : buckets) {
      for (ExpiringEntry bucket : level) {
        show(bucket, visitor);
      }
    }
  }

  private static void show(ExpiringEntry bucket, Consumer<Entry> visitor) {
    for (ExpiringEntry entry = after(bucket); entry != bucket; entry = after(entry)) {
      visitor.accept(entry);
    }
  }

  /** Moves the time on and gathers the buckets that became due; a jump visits each bucket once. */
  private void advance(long now) {
    if (!running || time - (now - started) > SET_BACK) {
      running = true;
      started = now - time;
    }
    long next = now - started;
    if (next - time <= 0) {
      return;
    }
    for (int level = 0; level < SHIFT.length; level++) {
      long ticks = ticks(level, next);
      if (ticks == 0) {
        break;
      }
      long from = time >>> SHIFT[level];
      for (long tick = Math.max(1, ticks - BUCKETS + 1); tick <= ticks; tick++) {
        gather(buckets[level][(int) ((from + tick) & (BUCKETS - 1))]);
      }
    }
    time = next;
  }

  /** Appends a whole bucket to those due; O(1). */
  private void gather(ExpiringEntry bucket) {
    ExpiringEntry first = after(bucket);
    if (first == bucket) {
      return;
    }
    ExpiringEntry last = before(bucket);
    ExpiringEntry end = before(due);
    end.after = first;
    first.before = end;
    last.after = due;
    due.before = last;
    bucket.before = bucket;
    bucket.after = bucket;
  }
}
