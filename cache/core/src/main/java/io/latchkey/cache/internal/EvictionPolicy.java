package io.latchkey.cache.internal;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Decides what leaves a full cache; the seam behind which policies are exchanged. {@link Admission}
 * calls every method under its lock, on entries that are READY or FAILED when admitted. A policy
 * keeps what it needs to know of an entry in {@code mark} and reads {@code counter}; a mark of
 * {@link #NONE} means that the policy does not hold the entry.
 */
interface EvictionPolicy {
  short NONE = 0;

  /** Takes an entry in; it may make {@link #victim} return others, or this one. */
  void admit(Entry entry);

  /** Forgets an entry that left for another reason than eviction; cost O(1). */
  void remove(Entry entry);

  /** The next entry to leave, taken out of the policy; null when all fits. */
  @Nullable Entry victim();

  /** Whether {@link #victim} has another one. */
  boolean over();

  /** Changes the bound, in entries or weight. */
  void resize(long maximum);

  /** Entries held. */
  long size();

  /** Weight held. */
  long weight();

  /** Shows the entries in the order of the queues, first what leaves first unless it is used. */
  void forEach(Consumer<Entry> visitor);
}
