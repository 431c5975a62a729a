package io.latchkey.cache.internal;

import io.latchkey.cache.CacheWriteException;
import io.latchkey.cache.RemovalCause;
import io.latchkey.storage.WritableStorage;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Writes: first to the storage, where it can be written, then to the cache. */
final class Puts {
  private final Flights flights;
  private final Invalidation<?> invalidation;
  private final @Nullable WritableStorage<Object, Object> storage;
  private final @Nullable Writes writes;

  @SuppressWarnings("unchecked")
  Puts(Flights flights, Invalidation<?> invalidation, Object storage, @Nullable Writes writes) {
    this.flights = flights;
    this.invalidation = invalidation;
    this.storage =
        storage instanceof WritableStorage<?, ?> ? (WritableStorage<Object, Object>) storage : null;
    this.writes = writes;
  }

  /** A call on the storage. */
  private interface StorageCall {
    void run() throws Exception;
  }

  /** An entry made ready before anything is stored, so that a bad weigher stops the put in time. */
  private record Prepared(Entry entry, Object value, boolean keep, long now) {}

  void put(Object key, Object value) {
    Prepared prepared = prepare(key, value);
    WritableStorage<Object, Object> to = storage;
    if (to == null || writes == null) {
      install(prepared, () -> true);
      return;
    }
    write(writes, Map.of(key, prepared), () -> to.store(key, value));
  }

  void putAll(Map<?, ?> entries) {
    Map<Object, Object> copy = new LinkedHashMap<>();
    entries.forEach(
        (key, value) ->
            copy.put(
                Objects.requireNonNull(key, "entries must not contain a null key"),
                Objects.requireNonNull(value, "entries must not contain a null value")));
    if (copy.isEmpty()) {
      return;
    }
    Map<Object, Prepared> prepared = new LinkedHashMap<>();
    copy.forEach((key, value) -> prepared.put(key, prepare(key, value)));
    WritableStorage<Object, Object> to = storage;
    if (to == null || writes == null) {
      prepared.values().forEach(each -> install(each, () -> true));
      return;
    }
    write(writes, prepared, () -> to.storeAll(copy));
  }

  /**
   * Stores and installs in the turn of this write. What follows from that, listeners included,
   * comes when the next write of the keys may go on.
   */
  private void write(Writes lanes, Map<Object, Prepared> prepared, StorageCall call) {
    Headroom.ensure(); // a stack that ends after the store would leave old objects cached
    List<Installation> installations = new ArrayList<>(prepared.size());
    Throwable broken = null;
    try {
      Writes.Write write = begin(lanes, prepared.keySet());
      try {
        boolean stored = false;
        try {
          store(prepared.keySet(), call);
          stored = true;
        } finally {
          if (!stored) {
            prepared.forEach((key, each) -> discard(key, each.entry.hash, each.now));
          }
        }
        int i = 0;
        for (Prepared each : prepared.values()) {
          Throwable thrown = installStored(each, write.kept(i), installations);
          broken = broken == null ? thrown : broken;
          i++;
        }
      } finally {
        write.end();
      }
      installations.forEach(Installation::settle);
    } finally {
      installations.forEach(Installation::abandonUnsettled);
    }
    if (broken != null) {
      raise(broken);
    }
  }

  /** Whatever the key's {@code equals} or the ticker throw, no object stays that is not stored. */
  private @Nullable Throwable installStored(
      Prepared prepared, BooleanSupplier condition, List<Installation> installations) {
    try {
      Installation installation = new Installation(prepared);
      installation.run(condition);
      installations.add(installation);
      return null;
    } catch (Throwable thrown) {
      invalidation.purge(prepared.entry.hash, prepared.now);
      return thrown;
    }
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <T extends Throwable> void raise(Throwable thrown) throws T {
    throw (T) thrown;
  }

  void remove(Object key) {
    WritableStorage<Object, Object> to = storage;
    if (to == null || writes == null) {
      invalidation.invalidate(key);
      return;
    }
    Headroom.ensure();
    int hash = Table.hash(key);
    long now = flights.now();
    Entry removed = null;
    Writes.Write write = begin(writes, List.of(key));
    try {
      boolean taken = false;
      try {
        store(List.of(key), () -> to.delete(key));
        removed = flights.table.remove(key, hash);
        taken = true;
      } finally {
        if (!taken) {
          discard(key, hash, now);
        }
      }
    } finally {
      write.end();
    }
    if (removed != null) {
      invalidation.dropped(removed, now);
    }
  }

  /** Nobody knows what the storage has for a key; leaves nothing cached. */
  private void discard(Object key, int hash, long now) {
    try {
      invalidation.drop(key, hash, now);
    } catch (Throwable broken) {
      invalidation.purge(hash, now); // the key's equals threw; what led here is being thrown
    }
  }

  private Writes.Write begin(Writes lanes, Collection<?> keys) {
    try {
      return lanes.begin(keys);
    } catch (InterruptedException interrupted) {
      throw LatchCache.interruptedWrite(interrupted, flights.storageName);
    }
  }

  /** Runs the storage's part. */
  private void store(Collection<?> keys, StorageCall call) {
    try {
      call.run();
    } catch (Throwable thrown) {
      if (Flights.interruption(thrown)) {
        throw LatchCache.interruptedWrite(thrown, flights.storageName);
      }
      throw new CacheWriteException(
          "writing "
              + (keys.size() == 1 ? Failure.text(keys.iterator().next()) : keys.size() + " keys")
              + " to "
              + flights.storageName
              + " failed: "
              + Flights.reason(thrown),
          thrown);
    }
  }

  // ---- the cache's part

  private Prepared prepare(Object key, Object value) {
    Entry entry = flights.ready(key, Table.hash(key), value);
    try {
      long now = flights.now();
      return new Prepared(entry, value, flights.prepare(entry, value, now), now);
    } catch (Throwable thrown) {
      throw flights.preparationFailure(key, thrown).exception();
    }
  }

  /** Puts an object in the cache alone; returns the object that was there. */
  @Nullable Object putCached(Object key, Object value) {
    return install(prepare(key, value), () -> true);
  }

  /** Puts an object in the cache if its key has no object there. */
  @Nullable Entry putIfVacant(Object key, Object value) {
    Prepared prepared = prepare(key, value);
    Entry mine = prepared.entry;
    if (!prepared.keep || flights.gap) {
      return null;
    }
    long now = flights.now();
    Entry there = flights.table.findOrInsert(mine);
    if (there == mine) {
      admit(mine, now);
      return null;
    }
    return there;
  }

  /** Puts an object in the place of this very entry; false if that is not in the table any more. */
  boolean replaceThis(Entry old, Object value) {
    Prepared prepared = prepare(old.key, value);
    boolean kept = prepared.keep && !flights.gap;
    long now = flights.now();
    boolean replaced =
        kept ? flights.table.replace(old, prepared.entry) : flights.table.remove(old);
    if (replaced) {
      flights.removed(old, RemovalCause.REPLACED, value, now);
      if (kept) {
        admit(prepared.entry, now);
      }
    }
    return replaced;
  }

  /** Makes a prepared entry the one of its key; returns what could be served until now. */
  private @Nullable Object install(Prepared prepared, BooleanSupplier condition) {
    Installation installation = new Installation(prepared);
    try {
      installation.run(condition);
      return installation.settle();
    } finally {
      installation.abandonUnsettled();
    }
  }

  /**
   * A put's part in the cache, in two steps: the entry gets its place in the table, which may have
   * to be in the turn of a write, and what it replaced is dealt with, which runs listeners.
   */
  private final class Installation {
    private final Prepared prepared;
    private final long now = flights.now();
    private @Nullable Entry old;
    private boolean kept;
    private boolean settled;

    Installation(Prepared prepared) {
      this.prepared = prepared;
    }

    void run(BooleanSupplier condition) {
      Entry mine = prepared.entry;
      if (flights.lifetimes != null) {
        Lifetimes.restamp(mine, now);
      }
      old =
          flights.table.swap(
              mine, () -> kept = prepared.keep && !flights.gap && condition.getAsBoolean());
      if (old != null && old.stateAcquire() == Entry.LOADING) {
        old.push(new Waiter.PutMark(prepared.value)); // in case its load fails before settle
      }
    }

    /** Returns what could be served until now. */
    @Nullable Object settle() {
      Object before = null;
      Entry replaced = old;
      if (replaced != null) {
        RemovalCause cause = cause(replaced, now);
        before = cause == RemovalCause.EXPIRED ? null : Flights.servable(replaced);
        flights.removed(replaced, cause, prepared.value, now);
      }
      if (kept) {
        flights.admission.changed(prepared.entry, now);
      }
      settled = true;
      return before;
    }

    /** An exhausted stack came in between: the entry is of no use. */
    void abandonUnsettled() {
      if (!settled) {
        prepared.entry.state = Entry.ABANDONED;
        flights.admission.damaged = true;
      }
    }
  }

  private RemovalCause cause(Entry old, long now) {
    Lifetimes times = flights.lifetimes;
    byte state = old.stateAcquire();
    boolean expired =
        times != null && (state == Entry.READY || state == Entry.FAILED) && times.expired(old, now);
    return expired ? RemovalCause.EXPIRED : RemovalCause.REPLACED;
  }

  private void admit(Entry mine, long now) {
    boolean admitted = false;
    try {
      flights.admission.changed(mine, now);
      admitted = true;
    } finally {
      if (!admitted) {
        mine.state = Entry.ABANDONED;
      }
    }
  }
}
