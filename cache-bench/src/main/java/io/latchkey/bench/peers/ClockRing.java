package io.latchkey.bench.peers;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Bounds a map of entries by a clock: the hand passes over entries that were used, and counts. */
final class ClockRing<K, V> {
  private static final int MAXIMUM = 1 << 28;

  private final ReentrantLock lock = new ReentrantLock();
  private final ConcurrentHashMap<K, LatchEntry<K, V>> map;
  private final @Nullable LatchEntry<K, V>[] slots;
  private int hand;

  @SuppressWarnings({"unchecked", "rawtypes"})
  ClockRing(long bound, ConcurrentHashMap<K, LatchEntry<K, V>> map) {
    if (bound < 0 || bound > MAXIMUM) {
      throw new IllegalArgumentException("bound must be from 0 to " + MAXIMUM + ", not " + bound);
    }
    this.map = map;
    slots = new LatchEntry[(int) bound];
  }

  /** Gives a place to an entry that was just put into the map, and evicts what stood there. */
  void admit(LatchEntry<K, V> entry) {
    if (slots.length == 0) {
      map.remove(entry.key, entry);
      return;
    }
    LatchEntry<K, V> evicted;
    lock.lock();
    try {
      evicted = slots[hand];
      while (evicted != null && evicted.spendUse()) {
        advance();
        evicted = slots[hand];
      }
      slots[hand] = entry;
      advance();
    } finally {
      lock.unlock();
    }
    if (evicted != null) {
      map.remove(evicted.key, evicted);
    }
  }

  private void advance() {
    hand = hand + 1 == slots.length ? 0 : hand + 1;
  }
}
