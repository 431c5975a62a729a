package io.latchkey.cache.internal;

import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Entries in order of arrival, in an array that wraps around: four to eight bytes an entry instead
 * of two links in the entry itself. An entry that left stays as a tombstone until its turn comes or
 * the full array is compacted, which happens at most once in as many arrivals as are live, so that
 * every operation costs O(1) amortised. A large array that is nearly empty is given up for a
 * smaller one. Not thread-safe.
 */
final class EntryRing {
  /** Places of an array that is not worth shrinking. */
  private static final int SMALL = 1024;

  private final Predicate<Entry> member;
  private @Nullable Entry[] slots = new Entry[16];
  private int head;
  private int length;
  private int live;

  /**
   * An empty ring.
   *
   * @param member whether an entry still stands in this ring
   */
  EntryRing(Predicate<Entry> member) {
    this.member = member;
  }

  int live() {
    return live;
  }

  /** Places used, tombstones included. */
  int length() {
    return length;
  }

  /** Places there are, used or not. */
  int places() {
    return slots.length;
  }

  /** The entry at a place from 0 to {@link #length}, perhaps a tombstone. */
  Entry at(int place) {
    Entry entry = slots[(head + place) & (slots.length - 1)];
    if (entry == null) {
      throw new IndexOutOfBoundsException("place " + place + " of " + length);
    }
    return entry;
  }

  void addLast(Entry entry) {
    if (length == slots.length) {
      compact();
    }
    slots[(head + length) & (slots.length - 1)] = entry;
    length++;
    live++;
  }

  /** One entry, which was made a non-member just now, became a tombstone. */
  void buried() {
    live--;
    if (live == 0) {
      clear();
    }
  }

  /** The first member, or null. */
  @Nullable Entry peekFirst() {
    while (length > 0) {
      Entry entry = at(0);
      if (member.test(entry)) {
        return entry;
      }
      dropFirst();
    }
    return null;
  }

  /** Takes the first member. */
  @Nullable Entry pollFirst() {
    Entry entry = peekFirst();
    if (entry != null) {
      dropFirst();
      live--;
    }
    return entry;
  }

  /** Takes the first place; null when it was a tombstone. */
  @Nullable Entry takePlace() {
    Entry entry = at(0);
    dropFirst();
    if (!member.test(entry)) {
      return null;
    }
    live--;
    return entry;
  }

  /** Takes out the first place, a tombstone or not, without changing the count of members. */
  private void dropFirst() {
    slots[head] = null;
    head = (head + 1) & (slots.length - 1);
    length--;
    if (length < slots.length >> 3 && slots.length > SMALL) {
      move(slots.length >> 2); // at least an eighth of the places came and went since the last move
    }
  }

  private void clear() {
    while (length > 0) {
      dropFirst();
    }
  }

  /**
   * Takes out the tombstones, in place; to be called when they have become many, since it looks at
   * every place.
   */
  void tidy() {
    int kept = 0;
    for (int i = 0; i < length; i++) {
      Entry entry = at(i);
      if (member.test(entry)) {
        slots[(head + kept) & (slots.length - 1)] = entry;
        kept++;
      }
    }
    for (int i = kept; i < length; i++) {
      slots[(head + i) & (slots.length - 1)] = null;
    }
    length = kept;
  }

  private void compact() {
    move(live * 2 <= slots.length ? slots.length : slots.length * 2);
  }

  /** Moves the members to an array of this length. */
  private void move(int size) {
    @Nullable Entry[] next = new Entry[size];
    int kept = 0;
    for (int i = 0; i < length; i++) {
      Entry entry = at(i);
      if (member.test(entry)) {
        next[kept++] = entry;
      }
    }
    slots = next;
    head = 0;
    length = kept;
  }

  /** Shows the members in order. */
  void forEach(Consumer<Entry> visitor) {
    for (int i = 0; i < length; i++) {
      Entry entry = at(i);
      if (member.test(entry)) {
        visitor.accept(entry);
      }
    }
  }
}
