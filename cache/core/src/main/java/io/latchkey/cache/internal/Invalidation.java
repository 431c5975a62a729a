package io.latchkey.cache.internal;

import io.latchkey.cache.RemovalCause;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Throws out what may be stale; never waits for a load. */
final class Invalidation<K> implements Feed.Target<K> {
  private final Flights flights;
  private final @Nullable Writes writes;

  Invalidation(Flights flights, @Nullable Writes writes) {
    this.flights = flights;
    this.writes = writes;
  }

  /**
   * Loads and puts of the key that began before are not kept; a flight goes on for its callers.
   *
   * @return the object that could be served until now
   */
  @Nullable Object invalidate(Object key) {
    int hash = Table.hash(key);
    if (writes != null) {
      writes.invalidated(key);
    }
    return drop(key, hash, flights.now());
  }

  /** The same without regard to writes: the end of a removal, or of a store that failed. */
  @Nullable Object drop(Object key, int hash, long now) {
    Entry entry = flights.table.remove(key, hash);
    return entry == null ? null : dropped(entry, now);
  }

  /** Drops every key of this hash, without a look at the keys. */
  void purge(int hash, long now) {
    flights.admission.damaged = true;
    for (Entry entry : flights.table.removeHash(hash)) {
      flights.removed(entry, RemovalCause.INVALIDATED, null, now);
    }
  }

  /** Ends an entry that was just taken out of the table; returns what could be served until now. */
  @Nullable Object dropped(Entry entry, long now) {
    Lifetimes times = flights.lifetimes;
    Object before = Flights.servable(entry);
    boolean expired = before != null && times != null && times.expired(entry, now);
    flights.removed(entry, expired ? RemovalCause.EXPIRED : RemovalCause.INVALIDATED, null, now);
    return expired ? null : before;
  }

  /** Ends this very entry; false if it is not in the table any more. */
  boolean invalidateThis(Entry entry) {
    if (writes != null) {
      writes.invalidated(entry.key);
    }
    long now = flights.now();
    boolean removed = flights.table.remove(entry);
    if (removed) {
      flights.removed(entry, RemovalCause.INVALIDATED, null, now);
    }
    return removed;
  }

  @Override
  public void invalidateAll() {
    Headroom.ensure();
    long now = flights.now();
    if (writes != null) {
      writes.allInvalidated();
    }
    boolean done = false;
    try {
      clear(now);
      done = true;
    } finally {
      if (!done) {
        flights.admission.damaged = true;
      }
    }
  }

  private void clear(long now) {
    flights.table.clear(entry -> flights.removed(entry, RemovalCause.INVALIDATED, null, now));
  }

  @Override
  public void changed(Collection<? extends K> keys) {
    for (K key : keys) {
      if (writes == null || !writes.echo(key)) {
        invalidate(key);
      }
    }
  }

  @Override
  public void gap(boolean open) {
    flights.gap = open;
  }
}
