package io.latchkey.cache.internal;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What was thrown out under one hold of the policy's lock, to be taken out of the table when the
 * lock is free again: first what had expired, then what was evicted. Used again and again, so that
 * evictions allocate nothing. Belongs to one thread at a time.
 */
final class Leavers {
  /** Entries beyond which the arrays are not worth keeping. */
  private static final int LARGE = 512;

  private @Nullable Entry[] entries = new Entry[32];
  private @Nullable Object[] outcomes = new Object[32];
  private int count;
  private int expired;

  int count() {
    return count;
  }

  /** Adds an entry with what it had, or null if it was dead already. */
  void add(Entry entry, @Nullable Object outcome) {
    if (count == entries.length) {
      entries = Arrays.copyOf(entries, count * 2);
      outcomes = Arrays.copyOf(outcomes, count * 2);
    }
    outcomes[count] = outcome;
    entries[count] = entry;
    count++;
  }

  /** All that is there so far has expired. */
  void endExpired() {
    expired = count;
  }

  boolean expired(int number) {
    return number < expired;
  }

  Entry entry(int number) {
    Entry entry = entries[number];
    if (entry == null) {
      throw new IndexOutOfBoundsException("entry " + number + " of " + count);
    }
    return entry;
  }

  @Nullable Object outcome(int number) {
    return outcomes[number];
  }

  /** Forgets everything; false if it has become too large to be kept for another time. */
  boolean reset() {
    boolean small = entries.length <= LARGE;
    if (small) {
      Arrays.fill(entries, 0, count, null);
      Arrays.fill(outcomes, 0, count, null);
    }
    count = 0;
    expired = 0;
    return small;
  }
}
