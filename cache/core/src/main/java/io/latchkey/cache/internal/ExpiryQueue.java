package io.latchkey.cache.internal;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The order of expiry where all entries live equally long: a queue in order of admission, whose
 * expired entries are a prefix that binary search finds.
 *
 * <p>Threads read the clock before they reach the queue, so neighbours may stand in the wrong order
 * by little; an entry is then swept a little late, never early, because each one is checked when it
 * is taken. A clock that was set back leaves entries with times ahead of it; these are put aside
 * and looked at one by one until it has caught up with them.
 */
final class ExpiryQueue implements ExpiryIndex {
  /** Disorder that counts as a clock set back, in nanoseconds. */
  private static final long SET_BACK = 1_000_000_000L;

  /** Tombstones that are not worth taking out. */
  private static final int FEW = 64;

  private final Lifetimes lifetimes;
  private final EntryRing queue = new EntryRing(ExpiryQueue::alive);
  private final List<Entry> aside = new ArrayList<>();
  private long last;
  private boolean any;

  /** Places at the front that are known to be expired; used up before the lock is released. */
  private int due;

  ExpiryQueue(Lifetimes lifetimes) {
    this.lifetimes = lifetimes;
  }

  private static boolean alive(Entry entry) {
    byte state = entry.stateAcquire();
    return state == Entry.READY || state == Entry.FAILED;
  }

  private static long time(Entry entry) {
    return ((TimedEntry) entry).time();
  }

  @Override
  public void add(Entry entry, long now) {
    long time = time(entry);
    if (any && last - time > SET_BACK) {
      for (Entry ahead = queue.pollFirst(); ahead != null; ahead = queue.pollFirst()) {
        aside.add(ahead);
      }
    }
    last = time;
    any = true;
    queue.addLast(entry);
  }

  @Override
  public void remove(Entry entry) {
    if (aside.isEmpty() || !aside.remove(entry)) {
      queue.buried();
      // Dead entries are as large as live ones. Taking them out looks at five places for each.
      int dead = queue.length() - queue.live();
      if (due == 0 && dead > FEW && dead > queue.live() / 4) {
        queue.tidy();
      }
    }
  }

  @Override
  public @Nullable Entry poll(long now, Predicate<Entry> held) {
    Entry first = aside.isEmpty() ? null : pollAside(now, held);
    if (first != null) {
      return first;
    }
    while (due > 0 || (due = expired(now)) > 0) {
      int rest = queue.length() - 1;
      Entry entry = queue.takePlace();
      // A ring that moves to a smaller array leaves its tombstones behind, counted ones among them.
      due = queue.length() == rest ? due - 1 : 0;
      if (entry == null) {
        continue;
      }
      if (lifetimes.over(entry, now) && !held.test(entry)) {
        return entry;
      }
      aside.add(entry);
    }
    return null;
  }

  /** Entries that it keeps alive, those that left and are still in the queue included. */
  int kept() {
    return queue.length() + aside.size();
  }

  @Override
  public void forEach(Consumer<Entry> visitor) {
    aside.forEach(visitor);
    queue.forEach(visitor);
  }

  /** The length of the expired prefix; one look when there is none. */
  private int expired(long now) {
    Entry first = queue.peekFirst();
    if (first == null || !lifetimes.over(first, now)) {
      return 0;
    }
    int low = 1;
    int high = queue.length();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (lifetimes.over(queue.at(middle), now)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private @Nullable Entry pollAside(long now, Predicate<Entry> held) {
    for (Iterator<Entry> each = aside.iterator(); each.hasNext(); ) {
      Entry entry = each.next();
      if (alive(entry) && lifetimes.over(entry, now) && !held.test(entry)) {
        each.remove();
        return entry;
      }
    }
    return null;
  }
}
