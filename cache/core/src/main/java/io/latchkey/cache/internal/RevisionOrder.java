package io.latchkey.cache.internal;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The cached revisions of one key, ordered by serial; the base of the table's node for the key, so
 * that a hit does not go through one more object.
 *
 * <p>Writers hold the monitor of the {@link History}; look-ups take no lock. They look at {@code
 * newest} first, and search the older ones by halves. A newer revision is appended in constant time
 * on average, since that is what a key that is changed again and again needs; the array behind has
 * room, and a look-up never looks beyond the count that was published with it. All else copies the
 * array. A revision that has left stays in its place until there are as many of those as others: it
 * is DEAD, so that a look-up that comes across it takes the long way.
 */
abstract class RevisionOrder extends Entry {
  private static final Older NONE = new Older(new RevisionEntry[0], 0);

  /** Revisions that have left and are not worth a copy yet. */
  private static final int FEW = 8;

  private volatile @Nullable RevisionEntry newest;
  private volatile Older older = NONE;
  private int alive;
  private int left;

  RevisionOrder(Object key, int hash) {
    super(key, hash, ABSENT, READY); // an outcome that no look-up sees
  }

  /** Each place below {@code count} is written once, before this record is published. */
  private record Older(@Nullable RevisionEntry[] entries, int count) {
    /** How many have a serial up to this one. */
    int upTo(long serial) {
      int low = 0;
      int high = count;
      while (low < high) {
        int middle = (low + high) >>> 1;
        RevisionEntry entry = entries[middle];
        if (entry != null && entry.serial <= serial) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    }
  }

  /** The one with the largest serial up to {@code at}; it may have left. */
  final @Nullable RevisionEntry revisionAt(long at) {
    RevisionEntry entry = newest;
    if (entry == null || entry.serial <= at) {
      return entry;
    }
    Older all = older;
    int place = all.upTo(at);
    return place == 0 ? null : all.entries[place - 1];
  }

  // ---- under the monitor

  final boolean hasNoRevisions() {
    return alive == 0;
  }

  /**
   * Those that an answer for {@code at} with this serial may overlap, in their order: from the last
   * one that began before it to the first object after it.
   */
  final List<RevisionEntry> near(long serial, long at) {
    if (alive == 0) {
      return List.of();
    }
    int first = older.upTo(serial);
    while (first > 0 && !isAlive(get(first - 1))) {
      first--;
    }
    List<RevisionEntry> found = new ArrayList<>(4);
    for (int place = Math.max(0, first - 1); place <= older.count; place++) {
      RevisionEntry entry = get(place);
      if (entry != null && isAlive(entry)) {
        found.add(entry);
        if (entry.serial > at && !entry.absent) {
          break;
        }
      }
    }
    return found;
  }

  private @Nullable RevisionEntry get(int place) {
    return place < older.count ? older.entries[place] : newest;
  }

  private static boolean isAlive(@Nullable RevisionEntry entry) {
    return entry != null && entry.placed && entry.stateAcquire() != Entry.DEAD;
  }

  /** All that have not been taken out; those that are about to be may be missing. */
  final List<RevisionEntry> revisions() {
    List<RevisionEntry> all = new ArrayList<>(alive);
    for (int place = 0; place <= older.count; place++) {
      RevisionEntry entry = get(place);
      if (entry != null && entry.placed) {
        all.add(entry);
      }
    }
    return all;
  }

  /** Puts a revision in the place of others, if there are any. */
  final void place(RevisionEntry coming, List<RevisionEntry> leaving) {
    for (RevisionEntry entry : leaving) {
      takeOut(entry);
    }
    RevisionEntry last = newest;
    coming.placed = true;
    alive++;
    if (last == null) {
      newest = coming;
    } else if (!last.placed && isAfterOlder(coming) && (leaving.isEmpty() || only(leaving, last))) {
      left--;
      newest = coming;
    } else if (last.placed && leaving.isEmpty() && coming.serial > last.serial) {
      append(last);
      newest = coming;
    } else {
      rebuild(coming);
    }
  }

  private static boolean only(List<RevisionEntry> entries, RevisionEntry entry) {
    return entries.size() == 1 && entries.get(0) == entry;
  }

  private boolean isAfterOlder(RevisionEntry coming) {
    Older all = older;
    return all.upTo(Long.MAX_VALUE) == all.upTo(coming.serial - 1);
  }

  /** What is moved is in both places for a moment, which does no look-up any harm. */
  private void append(RevisionEntry last) {
    Older all = older;
    @Nullable RevisionEntry[] entries = all.entries;
    int count = all.count;
    if (count == entries.length) {
      entries = new RevisionEntry[Math.max(4, alive * 2)];
      count = 0;
      for (int place = 0; place < all.count; place++) {
        RevisionEntry entry = all.entries[place];
        if (entry != null && entry.placed) {
          entries[count++] = entry;
        }
      }
      left -= all.count - count;
    }
    entries[count] = last;
    older = new Older(entries, count + 1);
  }

  /** Takes out a revision; false if it is not here. */
  final boolean remove(RevisionEntry entry) {
    if (!takeOut(entry)) {
      return false;
    }
    if (left > FEW && left > alive) {
      rebuild(null);
    }
    return true;
  }

  /** Takes out revisions that must not be met again. */
  final void removeAll(List<RevisionEntry> leaving) {
    if (!leaving.isEmpty()) {
      leaving.forEach(this::takeOut);
      rebuild(null);
    }
  }

  private boolean takeOut(RevisionEntry entry) {
    if (!entry.placed) {
      return false;
    }
    entry.placed = false;
    alive--;
    left++;
    if (alive == 0) {
      clear();
    }
    return true;
  }

  private void clear() {
    older = NONE;
    newest = null;
    left = 0;
  }

  /** Takes out all of them. */
  final List<RevisionEntry> drain() {
    List<RevisionEntry> all = revisions();
    for (RevisionEntry entry : all) {
      entry.placed = false;
    }
    alive = 0;
    clear();
    return all;
  }

  /** Copies what has not left, and is not about to. */
  private void rebuild(@Nullable RevisionEntry coming) {
    List<RevisionEntry> all = revisions();
    all.removeIf(entry -> entry == coming || !isAlive(entry));
    if (coming != null) {
      int place = 0;
      while (place < all.size() && all.get(place).serial < coming.serial) {
        place++;
      }
      all.add(place, coming);
    }
    int count = all.size() - 1;
    if (count < 0) {
      clear();
      return;
    }
    older =
        count == 0 ? NONE : new Older(all.subList(0, count).toArray(new RevisionEntry[0]), count);
    newest = all.get(count);
    left = 0;
  }
}
