package io.latchkey.cache.internal;

import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Finds the entries whose time is over. {@link Admission} calls it under its lock. */
interface ExpiryIndex {
  /** Takes in an entry that was admitted. */
  void add(Entry entry, long now);

  /** Forgets an entry that is DEAD. */
  void remove(Entry entry);

  /**
   * Takes out one entry whose time is over.
   *
   * @param held entries to leave alone for now
   * @return null when there is none
   */
  @Nullable Entry poll(long now, Predicate<Entry> held);

  /** Shows every entry it holds, in no order, to a check. */
  void forEach(Consumer<Entry> visitor);
}
