package io.latchkey.cache.internal;

import io.latchkey.cache.CacheInterruptedException;
import io.latchkey.cache.CacheTimeoutException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * How far a cache over revisions has been told of commits, and how far it was at each of the last
 * gaps of the feed.
 *
 * <p>Every gap ends an epoch, and with it all ranges that were open in it, without a look at any of
 * them: they end at the head that the cache had then, the epoch's cap.
 *
 * <p>Memory order: all fields are volatile. The feed closes ranges before it writes the head, and a
 * reader reads the head before the ranges, so whoever sees a head sees all commits up to it. A gap
 * writes the cap before the epoch, and the next head after it; so a reader that read a head and
 * then finds an entry's epoch to be the cache's read a head of that epoch or an earlier one.
 */
final class Heads {
  /** Caps that are remembered; an entry from before them covers the revision it was loaded for. */
  private static final int CAPS = 64;

  private volatile long head;

  /** The negative of the epoch, which is even while the feed is whole, and odd in a gap. */
  private volatile long open = -1;

  /**
   * Counts how often the storage began another history under the same numbers, by two each time: it
   * is odd while what is cached of the one before is being dropped.
   */
  private volatile short era;

  private volatile Caps caps = new Caps(0, new long[CAPS]);

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition advanced = lock.newCondition();

  /** Threads in {@link #await}. */
  private final AtomicInteger waiting = new AtomicInteger();

  private volatile @Nullable String closed;

  /** The caps of the even epochs up to {@code newest}, each in its place modulo their number. */
  private record Caps(int newest, long[] heads) {}

  Heads(long head) {
    this.head = head;
  }

  long head() {
    return head;
  }

  int epoch() {
    return (int) -open;
  }

  /** The head of a range that is open in the epoch of now. */
  long open() {
    return open;
  }

  short era() {
    return era;
  }

  /**
   * Whether what began in this era is of the storage's history. While the one before is being
   * dropped, nothing is: it may have seen some of both.
   */
  boolean lasts(short began) {
    return (began & 1) == 0 && began == era;
  }

  /** Whether a flight that began in this epoch may become an open range. */
  boolean vouches(int began) {
    return (began & 1) == 0 && began == epoch();
  }

  /**
   * The last revision of an open range whose epoch is over.
   *
   * @param opened what {@link #open} was
   * @param at a revision that it surely covers
   */
  long cap(long opened, long at) {
    int ended = (int) -opened;
    Caps known = caps;
    boolean remembered = (known.newest >> 1) - (ended >> 1) < CAPS && ended <= known.newest;
    return remembered ? known.heads[(ended >> 1) % CAPS] : at;
  }

  // ---- the feed; its events come one after the other

  /** Commits may be missing from here on. */
  void gap() {
    int ends = epoch();
    if ((ends & 1) == 0) {
      long[] heads = Arrays.copyOf(caps.heads, CAPS);
      heads[(ends >> 1) % CAPS] = head;
      caps = new Caps(ends, heads);
      open = -(ends + 1L);
    }
  }

  /** No commit is missing from here on. */
  void whole() {
    int now = epoch();
    if ((now & 1) == 1) {
      open = -(now + 1L);
    }
  }

  /** The revisions that are cached are of a history that the storage does not have any more. */
  void endEra() {
    era = (short) (era | 1);
  }

  /** They have been dropped, and the head is one of the new history. */
  void beginEra() {
    era = (short) (era + 1);
  }

  /** Everything up to this revision was told. */
  void head(long revision) {
    head = revision;
    if (waiting.get() != 0) {
      signal();
    }
  }

  private void signal() {
    lock.lock();
    try {
      advanced.signalAll();
    } finally {
      lock.unlock();
    }
  }

  // ---- waiting for a head

  void close(String why) {
    closed = why;
    signal();
  }

  /** Waits until the head is at least this revision. */
  void await(long revision, long nanos, String storageName) {
    if (head >= revision) {
      return;
    }
    long left = nanos;
    lock.lock();
    try {
      waiting.incrementAndGet();
      while (head < revision) {
        String why = closed;
        if (why != null) {
          throw new IllegalStateException(why);
        }
        if (left <= 0) {
          throw late(revision, storageName);
        }
        left = advanced.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CacheInterruptedException(
          "interrupted while waiting for revision " + revision + " of " + storageName, e);
    } finally {
      waiting.decrementAndGet();
      lock.unlock();
    }
  }

  private CacheTimeoutException late(long revision, String storageName) {
    return new CacheTimeoutException(
        "time is up while waiting for revision "
            + revision
            + " of "
            + storageName
            + ((epoch() & 1) == 1
                ? ", whose feed is lost; the last one told is "
                : "; the head is ")
            + head,
        null);
  }
}
