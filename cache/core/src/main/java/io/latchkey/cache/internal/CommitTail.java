package io.latchkey.cache.internal;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The last commits that a cache was told of, by key: when a load ends, it tells which of the
 * commits since the load's revision changed its object.
 *
 * <p>Bounded: it remembers at most {@value #MENTIONS} keys of commits, and of each key the last
 * {@value #TIMES} commits. It knows all commits after {@link #from}, and of one key all after the
 * first number in what {@link #of} returns.
 *
 * <p>Only the feed writes, one event after the other. Readers take no lock: a commit is forgotten
 * by raising {@code from} first and taking it out then, so a reader that looks at the key and then
 * at {@code from} knows what it may have missed.
 */
final class CommitTail {
  static final int MENTIONS = 1 << 16;
  static final int TIMES = 16;

  private static final long[] NOTHING = {0};

  /** Ascending revisions by key; the first is that of the last commit left out, or 0. */
  private final ConcurrentHashMap<Object, long[]> times = new ConcurrentHashMap<>();

  private final ArrayDeque<Commit> commits = new ArrayDeque<>();
  private int mentions;

  /** The last commit taken in; one that comes late has a smaller number. */
  private long newest;

  private volatile long from;

  private record Commit(long revision, Collection<?> keys) {}

  CommitTail(long head) {
    from = head;
  }

  /** All commits after this revision, up to the last one told, are known. */
  long from() {
    return from;
  }

  /**
   * The commits of a key.
   *
   * @return the revision up to which commits of this key may be missing, whatever {@link #from}
   *     says, and then the known ones, ascending; not to be changed
   */
  long[] of(Object key) {
    long[] known = times.get(key);
    return known == null ? NOTHING : known;
  }

  /** Forgets everything; what follows this revision will be told. */
  void restart(long head) {
    from = head;
    newest = head;
    times.clear();
    commits.clear();
    mentions = 0;
  }

  /** Takes in a commit. One that is older than what is known changes nothing. */
  void add(long revision, Collection<?> keys) {
    if (revision <= from) {
      return;
    }
    newest = Math.max(newest, revision);
    if (keys.size() > MENTIONS) {
      restart(newest);
      return;
    }
    for (Object key : keys) {
      times.merge(key, new long[] {0, revision}, CommitTail::merged);
    }
    if (!keys.isEmpty()) {
      commits.add(new Commit(revision, keys));
      mentions += keys.size();
    }
    while (mentions > MENTIONS) {
      forgetOldest();
    }
  }

  private void forgetOldest() {
    Commit oldest = commits.remove();
    from = Math.max(from, oldest.revision);
    mentions -= oldest.keys.size();
    for (Object key : oldest.keys) {
      times.computeIfPresent(key, (same, known) -> known[known.length - 1] <= from ? null : known);
    }
  }

  /** The commits of a key with another one, which is nearly always the newest. */
  private static long[] merged(long[] known, long[] more) {
    long revision = more[1];
    int place = known.length;
    while (place > 1 && known[place - 1] >= revision) {
      place--;
    }
    if (place < known.length && known[place] == revision) {
      return known;
    }
    if (place == 1 && revision <= known[0]) {
      return known;
    }
    long[] all = Arrays.copyOf(known, known.length + 1);
    System.arraycopy(known, place, all, place + 1, known.length - place);
    all[place] = revision;
    if (all.length <= TIMES + 1) {
      return all;
    }
    return Arrays.copyOfRange(all, 1, all.length); // the oldest becomes the one left out
  }
}
