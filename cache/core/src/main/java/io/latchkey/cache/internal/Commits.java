package io.latchkey.cache.internal;

import io.latchkey.storage.CommitListener;
import java.lang.System.Logger;
import java.util.Collection;

/**
 * What a cache over revisions does with the commits that its storage tells.
 *
 * <p>A commit goes to the tail, then the open ranges of its keys are closed, then the head of the
 * cache advances; so whoever sees the head sees all of the commit, and a load that ends between
 * those steps finds the commit in the tail.
 *
 * <p>The storage should tell each commit once and in order, but nothing that it does makes the
 * cache wrong. A commit beyond the next one means that some were missed: that is a gap that ends
 * with it. One from the past, or told a second time, closes what it should have closed. A new epoch
 * means that the storage may have begun another history under the same numbers, so everything that
 * is cached is dropped.
 *
 * @param <K> the type of the keys
 */
final class Commits<K> implements CommitListener<K> {
  private static final Logger LOG = System.getLogger("io.latchkey.cache");

  private final RevisionFlights flights;
  private final Heads heads;
  private final CommitTail tail;

  /** Whether {@code epoch} is known; the monitor guards these. */
  private boolean known;

  private long epoch;

  /** The largest head that a reader may have seen, also of a history that is over. */
  private long shown;

  /** Until the first {@code whole}, and from {@code lost} to the next one. */
  private boolean gap = true;

  Commits(RevisionFlights flights) {
    this.flights = flights;
    heads = flights.heads;
    tail = flights.tail;
  }

  @Override
  public synchronized void committed(long epoch, long revision, Collection<? extends K> keys) {
    Headroom.ensure(); // a commit is not to be taken in by half
    if (gap) {
      return; // the next whole says where to begin
    }
    long head = heads.head();
    if (epoch != this.epoch) {
      begin(epoch, revision);
    } else if (revision > head + 1) {
      missed(revision);
    } else {
      tail.add(revision, keys);
      for (K key : keys) {
        close(key, revision);
      }
      if (revision > head) {
        advance(revision);
      }
    }
  }

  private void close(Object key, long revision) {
    Entry place = flights.table.findSurely(key, Table.hash(key));
    if (place != null) {
      ((History) place).close(revision, heads);
    }
  }

  @Override
  public synchronized void lost(String reason) {
    LOG.log(Logger.Level.INFO, "the commits of {0} are lost: {1}", flights.storageName, reason);
    gap = true;
    heads.gap();
  }

  @Override
  public synchronized void whole(long epoch, long head) {
    Headroom.ensure();
    if (known && epoch != this.epoch) {
      begin(epoch, head);
    } else if (gap || head > heads.head()) {
      missed(Math.max(head, heads.head()));
    }
    known = true;
    this.epoch = epoch;
    gap = false;
  }

  /** There may have been commits that were not told; from this revision on they are. */
  private void missed(long head) {
    heads.gap();
    tail.restart(head);
    advance(head);
  }

  /**
   * As long as the head is below one that was shown before the storage was set back, nothing is
   * open: a reader that still has that head in hand would take it for current.
   */
  private void advance(long head) {
    heads.head(head);
    if (head >= shown) {
      shown = head;
      heads.whole();
    }
  }

  /** The storage may have another history; what is loaded from here on is of that. */
  private void begin(long epoch, long head) {
    LOG.log(
        Logger.Level.INFO,
        "{0} tells commits of another epoch: everything cached is dropped",
        flights.storageName);
    heads.gap();
    heads.endEra();
    flights.dropAll();
    tail.restart(head);
    advance(head);
    heads.beginEra();
    this.epoch = epoch; // last, so that if dropping fails, it is done again when this is told again
  }
}
