package io.latchkey.cache.internal;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The cached revisions of one key, and the flights that load further ones; the node of the table
 * for that key. It is there as long as it has any.
 *
 * <p>Look-ups take no lock, see {@link RevisionOrder}: they may miss a revision that is being
 * moved, but never find a wrong one. Misses look again under the monitor.
 *
 * <p>Ranges of one key never overlap. A revision takes its place here just before it becomes READY,
 * so that of two loads that contradict each other one sees the other.
 *
 * <p>Lock order: the policy lock, this monitor, a stripe of the table. Under it runs no user code
 * but, in the look-up of commits, {@code hashCode} and {@code equals} of the key.
 */
final class History extends RevisionOrder {
  /** Linked by {@code next}, which entries outside of the table do not need. */
  private @Nullable RevisionEntry flights;

  /** Set when it has left the table for good. */
  private boolean gone;

  /** An empty one. */
  History(Object key, int hash) {
    super(key, hash);
  }

  // ---- look-ups

  /** The revision that answers for {@code at}; null proves nothing. */
  @Nullable RevisionEntry covering(long at, Heads heads) {
    long seen = heads.head(); // before the ranges
    RevisionEntry entry = revisionAt(at);
    return entry != null && entry.covers(at, seen, heads) ? entry : null;
  }

  /** The revision or the flight that a look-up is to use; null means that there is none. */
  synchronized @Nullable RevisionEntry find(long at, boolean waits, Heads heads, CommitTail tail) {
    RevisionEntry entry = covering(at, heads);
    return entry != null && entry.placed ? entry : flight(at, waits, heads, tail);
  }

  private @Nullable RevisionEntry flight(long at, boolean waits, Heads heads, CommitTail tail) {
    // What is cached of a revision that was told does not depend on what is told later.
    boolean others = waits && at <= heads.head();
    RevisionEntry other = null;
    for (RevisionEntry flight = flights; flight != null; flight = after(flight)) {
      if (flight.at() == at) {
        return flight;
      }
      if (others && other == null && flight.era == heads.era() && mayCover(flight, at, tail)) {
        other = flight;
      }
    }
    return other;
  }

  /** Whether no commit is known that separates the flight's revision from this one. */
  private boolean mayCover(RevisionEntry flight, long at, CommitTail tail) {
    long first = Math.min(at, flight.at());
    long last = Math.max(at, flight.at());
    long[] times = tail.of(key);
    for (int i = 1; i < times.length; i++) {
      if (times[i] > first && times[i] <= last) {
        return false;
      }
    }
    return true;
  }

  /**
   * Takes in a flight, unless there is a revision or a flight to use instead.
   *
   * @return the flight or what there is; null when this history has left the table
   */
  synchronized @Nullable RevisionEntry enter(
      RevisionEntry mine, boolean waits, Heads heads, CommitTail tail) {
    if (gone) {
      return null;
    }
    RevisionEntry there = find(mine.at(), waits, heads, tail);
    if (there != null) {
      return there;
    }
    mine.history = this;
    mine.next = flights;
    flights = mine;
    return mine;
  }

  // ---- what a load brings

  /**
   * Judges what a flight has loaded and finds out for which revisions it is the answer. If it is to
   * be kept, it takes its place among the revisions, with those of the same serial merged into it.
   *
   * @param loaded what the storage told, which answers the flight's revision
   * @param keep whether it is to be kept
   * @return null, or in which way the storage has contradicted itself
   */
  synchronized @Nullable String arrive(Arrival loaded, boolean keep, Heads heads, CommitTail tail) {
    RevisionEntry mine = loaded.entry();
    unlink(mine);
    String contradiction = null;
    boolean kept = false;
    if (heads.lasts(mine.era)) {
      long seen = heads.head(); // before the ranges of the others
      List<RevisionEntry> others = near(mine.serial, mine.at());
      long[] times = tail.of(key);
      contradiction = loaded.judge(times, tail.from(), seen, heads);
      if (contradiction == null) {
        contradiction = loaded.compare(others, seen, heads);
      }
      kept = contradiction == null && keep && !gone;
    }
    loaded.settle();
    if (kept) {
      place(mine, loaded.replaced());
    } else if (contradiction != null) {
      removeAll(loaded.replaced());
    } else {
      loaded.keepOthers();
    }
    return contradiction;
  }

  /** The object was changed at this revision: what reached further ends before it. */
  synchronized void close(long revision, Heads heads) {
    RevisionEntry entry = revisionAt(revision - 1);
    if (entry != null) {
      shorten(entry, revision, heads);
    }
  }

  private static void shorten(RevisionEntry entry, long revision, Heads heads) {
    if (entry.reach(heads) >= revision) {
      entry.head(revision - 1);
    }
  }

  // ---- leaving

  /** Takes out a revision or a flight; the last one takes the history out of the table. */
  synchronized boolean remove(RevisionEntry entry, Table table) {
    boolean was = unlink(entry) || remove(entry);
    if (!gone && hasNoRevisions() && flights == null) {
      gone = true;
      table.remove(this);
    }
    return was;
  }

  /** The history has left the table with all that is in it. */
  synchronized List<RevisionEntry> dissolve() {
    gone = true;
    List<RevisionEntry> all = drain();
    while (flights != null) {
      RevisionEntry flight = flights;
      flights = after(flight);
      flight.next = null;
      all.add(flight);
    }
    return all;
  }

  @Override
  void forEach(Consumer<Entry> visitor) {
    List<RevisionEntry> all;
    synchronized (this) {
      all = revisions();
      for (RevisionEntry flight = flights; flight != null; flight = after(flight)) {
        all.add(flight);
      }
    }
    all.forEach(visitor);
  }

  // ---- under the monitor

  private static @Nullable RevisionEntry after(RevisionEntry flight) {
    return (RevisionEntry) flight.next;
  }

  private boolean unlink(RevisionEntry flight) {
    RevisionEntry before = null;
    for (RevisionEntry each = flights; each != null; before = each, each = after(each)) {
      if (each == flight) {
        if (before == null) {
          flights = after(each);
        } else {
          before.next = each.next;
        }
        each.next = null;
        return true;
      }
    }
    return false;
  }
}
