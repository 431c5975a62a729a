package io.latchkey.cache.internal;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a flight has loaded, while it is found out for which revisions it is the answer. Lives for
 * one {@link History#arrive}, under its monitor.
 *
 * <p>The storage tells a serial, and perhaps the next one; the feed told commits of the key; the
 * revisions that are cached say what was loaded before. Where they cannot all be right, the storage
 * has contradicted itself. The serial of an absence is taken for a hint, since a storage may have
 * forgotten when it deleted an object: an absence begins after whatever is known to be later.
 */
final class Arrival {
  private static final long CURRENT = Long.MAX_VALUE;

  private final RevisionEntry entry;
  private final boolean absent;
  private final long at;

  /** The next serial as the storage told it, or 0 if it told none that is final. */
  private final long next;

  /** With no next serial: no other one is there up to this revision. */
  private final long known;

  private long serial;

  /** What an open range depends on, see {@link RevisionEntry#head}. */
  private long open;

  /** The revisions that are the same as this one, or that contradict it. */
  private List<RevisionEntry> replaced = List.of();

  /** The last revision for which this is the answer; {@link #CURRENT} if none is known. */
  private long last;

  /** Of an entry in which {@link RevisionFlights} has left what the storage told. */
  Arrival(RevisionEntry entry) {
    this.entry = entry;
    absent = entry.absent;
    at = entry.at();
    serial = entry.serial;
    long told = entry.head();
    next = Math.max(0, told);
    known = told < 0 ? told(told) : at;
    last = at;
  }

  /** The form of {@code known} in the head of an entry that has not been judged. */
  static long told(long known) {
    return -1 - known;
  }

  RevisionEntry entry() {
    return entry;
  }

  /**
   * Compares with the commits that the feed told.
   *
   * @param times those of the key, see {@link CommitTail#of}; read before {@code from}
   * @param seen the head of the cache
   * @return null or the contradiction
   */
  @Nullable String judge(long[] times, long from, long seen, Heads heads) {
    long after = CURRENT;
    for (int i = 1; i < times.length && after == CURRENT; i++) {
      long commit = times[i];
      if (commit > at) {
        after = commit;
      } else if (commit > serial) {
        if (!absent) {
          return "it tells serial " + serial + ", and told of a commit at " + commit;
        }
        serial = commit;
      }
    }
    if (next != 0) {
      if (after < next && !absent) {
        return "it tells next serial " + next + ", and told of a commit at " + after;
      }
      last = Math.min(next, after) - 1;
    } else if (heads.vouches(entry.epoch)
        && Math.max(from, times[0]) <= known
        && at <= seen) { // else something may have come between
      open = -entry.epoch;
      last = after == CURRENT ? CURRENT : after - 1;
    }
    return null;
  }

  /**
   * Compares with the other revisions of the key, which do not overlap.
   *
   * @return null or the contradiction
   */
  @Nullable String compare(List<RevisionEntry> others, long seen, Heads heads) {
    String contradiction = null;
    for (RevisionEntry other : others) {
      boolean same = !absent && !other.absent && other.serial == serial;
      if (same) {
        replace(other);
      } else if (contradicts(other, seen, heads)) {
        if (contradiction == null) {
          replaced = List.of();
        }
        replace(other);
        contradiction = "it tells " + text(serial, absent) + ", and told " + text(other, heads);
      }
    }
    if (contradiction == null) {
      for (RevisionEntry other : replaced) {
        merge(other, heads);
      }
      for (RevisionEntry other : others) {
        if (absent && other.absent && overlaps(other, heads)) {
          replace(other);
          merge(other, heads);
        } else if (other.serial > at) {
          last = Math.min(last, other.serial - 1);
        }
      }
    }
    return contradiction;
  }

  private void replace(RevisionEntry other) {
    if (replaced.isEmpty()) {
      replaced = new ArrayList<>(2);
    }
    replaced.add(other);
  }

  /** The revisions that are to leave for this one, or that it contradicts. */
  List<RevisionEntry> replaced() {
    return replaced;
  }

  /** It takes nobody's place. */
  void keepOthers() {
    replaced = List.of();
  }

  private boolean contradicts(RevisionEntry other, long seen, Heads heads) {
    if (absent && other.absent) {
      return false;
    }
    if (other.serial > at) {
      return next != 0 && other.serial < next && !other.absent;
    }
    long reach = other.reach(heads);
    if (absent) {
      return !beginsAfter(other, reach, seen);
    }
    if (other.serial >= serial) {
      return true; // it was changed later than this, and not after the revision that was asked for
    }
    if (reach < serial) {
      return false;
    }
    if (reach == CURRENT && serial > seen) {
      other.head(seen); // its end will be told only later, and may not be told at all
      return false;
    }
    return true;
  }

  /** Whether the absence can have begun after an object that was there; it then did. */
  private boolean beginsAfter(RevisionEntry other, long reach, long seen) {
    if (reach < at) {
      serial = Math.max(serial, reach + 1);
      return true;
    }
    if (reach == CURRENT && at > seen) {
      serial = serial > seen ? serial : at;
      other.head(seen);
      return true;
    }
    return false;
  }

  private boolean overlaps(RevisionEntry other, Heads heads) {
    return other.serial <= last && other.reach(heads) >= serial;
  }

  private void merge(RevisionEntry other, Heads heads) {
    long reach = other.reach(heads);
    serial = Math.min(serial, other.serial);
    if (reach > last) {
      last = reach;
      open = other.head();
    }
    if (other.counter > entry.counter) {
      entry.counter = other.counter;
    }
  }

  /** Writes the range to the entry. */
  void settle() {
    entry.serial = serial;
    entry.head(last == CURRENT ? open : last);
  }

  private static String text(RevisionEntry entry, Heads heads) {
    long reach = entry.reach(heads);
    return text(entry.serial, entry.absent)
        + (reach == CURRENT ? ", current" : ", valid up to revision " + reach);
  }

  private static String text(long serial, boolean absent) {
    return (absent ? "no object since " : "serial ") + serial;
  }
}
