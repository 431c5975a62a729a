package io.latchkey.bench.peers;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Bounds a map by evicting the key that came in first: a ring with a slot for each key that may
 * stay. An admission costs an atomic add and a swap, and allocates nothing.
 */
final class FifoRing<K> {
  private static final int MAXIMUM = 1 << 28;

  private final AtomicReferenceArray<@Nullable K> slots;
  private final AtomicLong admissions = new AtomicLong();

  FifoRing(long bound) {
    if (bound < 0 || bound > MAXIMUM) {
      throw new IllegalArgumentException("bound must be from 0 to " + MAXIMUM + ", not " + bound);
    }
    slots = new AtomicReferenceArray<>((int) bound);
  }

  /** Notes a key that was just put into the map, and removes the one whose place it takes. */
  void admit(K key, ConcurrentHashMap<K, ?> map) {
    if (slots.length() == 0) {
      map.remove(key);
      return;
    }
    int slot = (int) (admissions.getAndIncrement() % slots.length());
    K oldest = slots.getAndSet(slot, key);
    if (oldest != null && !oldest.equals(key)) {
      map.remove(oldest);
    }
  }
}
