package io.latchkey.cache.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * One cached revision of an object, or of its absence: the answer for all revisions from {@code
 * serial} to {@code head}. It stands in the {@link History} of its key, not in the table; 64 bytes,
 * and 24 for its {@link KeyAt}.
 *
 * <p>While it is loading, and until {@link History#arrive} has judged what was loaded, {@code
 * serial} and {@code head} hold what the comments there say, for the leader alone. From then on the
 * serial is fixed, and the head only ever shrinks: an open range is closed, a closed one cut
 * shorter. So whoever reads the head after it has read a cache's head, and finds its revision
 * covered by both, has a right answer.
 */
final class RevisionEntry extends Entry {
  private static final VarHandle HEAD;

  static {
    try {
      HEAD = MethodHandles.lookup().findVarHandle(RevisionEntry.class, "head", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Set when the flight enters it, and not changed then; the flight is in one history only. */
  @Nullable History history;

  /** When the flight began, see {@link Heads#epoch}. */
  final int epoch;

  /** See {@link Heads#era}. */
  final short era;

  /** Whether there is no object; known before its place among the revisions is. */
  boolean absent;

  /**
   * Whether it stands in the {@link RevisionOrder} of its key; under the monitor of the history.
   */
  boolean placed;

  private int weight = 1;

  /** Before it was judged: the head of the cache when the flight began. */
  long serial;

  /**
   * The last revision of the range; of an open one, {@link Heads#open} as it was when the range was
   * known to reach as far as the cache had been told of commits. Read opaque, so never torn;
   * written under the monitor of the history.
   */
  @SuppressWarnings("UnusedVariable") // read through HEAD
  private long head;

  RevisionEntry(KeyAt asked, int hash, Node stack, Heads heads) {
    super(asked, hash, stack);
    era = heads.era();
    epoch = heads.epoch();
    serial = heads.head();
  }

  KeyAt asked() {
    return (KeyAt) key;
  }

  long at() {
    return asked().at();
  }

  @Override
  int weight() {
    return weight;
  }

  @Override
  void weight(int units) {
    weight = units;
  }

  long head() {
    return (long) HEAD.getOpaque(this);
  }

  void head(long last) {
    HEAD.setOpaque(this, last);
  }

  /**
   * Whether this is the answer for a revision.
   *
   * @param seen the head of the cache, read before this entry's
   */
  boolean covers(long at, long seen, Heads heads) {
    if (serial > at) {
      return false;
    }
    long last = head();
    if (last >= 0) {
      return at <= last;
    }
    return at <= seen && (last == heads.open() || at <= heads.cap(last, at()));
  }

  /** The last revision that this surely covers; {@code Long.MAX_VALUE} for what is current. */
  long reach(Heads heads) {
    long last = head();
    if (last >= 0) {
      return last;
    }
    return last == heads.open() ? Long.MAX_VALUE : heads.cap(last, at());
  }

  @Override
  boolean leave(Table table) {
    History home = history;
    return home != null && home.remove(this, table);
  }
}
