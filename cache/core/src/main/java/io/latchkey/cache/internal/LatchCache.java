package io.latchkey.cache.internal;

import io.latchkey.cache.Cache;
import io.latchkey.cache.CacheInterruptedException;
import io.latchkey.cache.CachePolicy;
import io.latchkey.cache.CacheStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/** The cache: hits are served here, everything else is passed on. */
final class LatchCache<K, V> implements Cache<K, V> {
  private final Table table;
  private final @Nullable Lifetimes lifetimes;
  private final Counters counters;
  private final boolean recording;
  private final Flights flights;
  private final boolean loadsHere;
  private final Reads reads;
  final CacheParts<K, V> parts;

  LatchCache(CacheParts<K, V> parts) {
    this.parts = parts;
    table = parts.table;
    lifetimes = parts.lifetimes;
    counters = parts.counters;
    recording = counters.recording;
    flights = parts.flights;
    loadsHere = parts.loadsHere;
    reads = parts.reads;
  }

  // ---- look-ups

  @Override
  public @Nullable V get(K key) {
    int hash = Table.hash(Objects.requireNonNull(key, "key"));
    Entry entry = table.find(key, hash);
    Object hit = entry == null ? null : hit(entry);
    if (hit != null) {
      return served(hit);
    }
    // With an entry there, most likely a flight to join, nothing is allocated to lead one.
    Object outcome = entry == null && loadsHere ? flights.leadNew(key, hash, true) : null;
    return object(key, outcome != null ? outcome : reads.get(key, hash, entry));
  }

  /** What a caller gets of an outcome that an entry was READY with. */
  @SuppressWarnings("unchecked")
  private @Nullable V served(Object hit) {
    return hit == Entry.ABSENT ? null : (V) hit;
  }

  /** The outcome of an entry that can be served as it is; null sends the caller the long way. */
  private @Nullable Object hit(Entry entry) {
    if (entry.stateAcquire() != Entry.READY) {
      return null;
    }
    Object outcome = entry.outcomePlain();
    if (outcome == null) {
      return null;
    }
    if (lifetimes != null) {
      long now = lifetimes.now();
      if (!lifetimes.young(entry, now)) {
        return timedHit(entry, lifetimes, now);
      }
    }
    entry.touch();
    if (recording) {
      counters.hit();
    }
    return outcome;
  }

  private @Nullable Object timedHit(Entry entry, Lifetimes times, long now) {
    Object outcome = times.expired(entry, now) ? null : reads.use(entry, now);
    if (outcome != null && recording) {
      counters.hit();
    }
    return outcome;
  }

  @SuppressWarnings("unchecked")
  private @Nullable V object(Object key, Object outcome) {
    return (V) flights.answer(key, outcome);
  }

  @Override
  public @Nullable V get(K key, Duration timeout) {
    int hash = Table.hash(Objects.requireNonNull(key, "key"));
    long nanos = nanos(timeout);
    Entry entry = table.find(key, hash);
    Object hit = entry == null ? null : hit(entry);
    if (hit == null) {
      boolean timed = nanos != Long.MAX_VALUE;
      hit = reads.getWithin(key, hash, false, timed, timed ? System.nanoTime() + nanos : 0);
    }
    return object(key, hit);
  }

  static long nanos(Duration timeout) {
    Objects.requireNonNull(timeout, "timeout");
    if (timeout.isNegative()) {
      throw new IllegalArgumentException("timeout must not be negative, but is " + timeout);
    }
    try {
      return timeout.toNanos();
    } catch (ArithmeticException tooLong) {
      return Long.MAX_VALUE;
    }
  }

  @Override
  @SuppressWarnings("unchecked")
  public CompletableFuture<@Nullable V> getAsync(K key) {
    int hash = Table.hash(Objects.requireNonNull(key, "key"));
    Entry entry = table.find(key, hash);
    Object hit = entry == null ? null : hit(entry);
    return (CompletableFuture<@Nullable V>)
        (hit != null ? Reads.completed(hit) : reads.getAsync(key, hash));
  }

  @Override
  @SuppressWarnings("unchecked")
  public Map<K, V> getAll(Collection<? extends K> keys) {
    checkOpen();
    return Collections.unmodifiableMap(
        (Map<K, V>) parts.bulkReads.getAll(Objects.requireNonNull(keys, "keys")));
  }

  @Override
  public @Nullable V getIfPresent(K key) {
    int hash = Table.hash(Objects.requireNonNull(key, "key"));
    checkOpen();
    Object outcome = present(key, hash);
    if (outcome == null) {
      counters.miss();
    } else {
      counters.hit();
    }
    return outcome == null || outcome instanceof Failure ? null : object(key, outcome);
  }

  /** The outcome of a key's entry if it can be served; uses it. */
  @Nullable Object present(Object key, int hash) {
    for (; ; ) {
      Entry entry = table.findSurely(key, hash);
      if (entry == null) {
        return null;
      }
      long now = flights.now();
      Reads.Look look = reads.look(entry, now);
      Object outcome = look == Reads.Look.HIT ? reads.use(entry, now) : null;
      // An entry that died meanwhile proves nothing: another one may have taken its place.
      if (outcome != null || (look != Reads.Look.HIT && look != Reads.Look.GONE)) {
        return outcome;
      }
    }
  }

  @Override
  @SuppressWarnings("unchecked")
  public CompletableFuture<@Nullable V> refresh(K key) {
    int hash = Table.hash(Objects.requireNonNull(key, "key"));
    checkOpen();
    return (CompletableFuture<@Nullable V>) reads.refresh(key, hash);
  }

  @Override
  public void prefetch(Collection<? extends K> keys) {
    checkOpen();
    parts.bulkReads.prefetch(Objects.requireNonNull(keys, "keys"));
  }

  // ---- writes

  @Override
  public void put(K key, V value) {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(value, "value");
    checkOpen();
    parts.puts.put(key, value);
  }

  @Override
  public void putAll(Map<? extends K, ? extends V> entries) {
    checkOpen();
    parts.puts.putAll(Objects.requireNonNull(entries, "entries"));
  }

  @Override
  public void remove(K key) {
    Objects.requireNonNull(key, "key");
    checkOpen();
    parts.puts.remove(key);
  }

  // ---- invalidation

  @Override
  public void invalidate(K key) {
    Objects.requireNonNull(key, "key");
    checkOpen();
    parts.invalidation.invalidate(key);
  }

  @Override
  public void invalidateAll(Collection<? extends K> keys) {
    checkOpen();
    List<Object> all = new ArrayList<>();
    for (Object key : Objects.requireNonNull(keys, "keys")) {
      all.add(Objects.requireNonNull(key, "keys must not contain null"));
    }
    all.forEach(parts.invalidation::invalidate);
  }

  @Override
  public void invalidateAll() {
    checkOpen();
    parts.invalidation.invalidateAll();
  }

  // ---- views and upkeep

  @Override
  public ConcurrentMap<K, V> asMap() {
    checkOpen();
    return new MapView<>(this, parts);
  }

  @Override
  public long estimatedSize() {
    checkOpen();
    return parts.admission.size(flights.now());
  }

  @Override
  public CacheStats stats() {
    return counters.stats(parts.admission);
  }

  @Override
  public CachePolicy<K, V> policy() {
    checkOpen();
    return new PolicyView<>(this, parts);
  }

  @Override
  public void cleanUp() {
    checkOpen();
    parts.admission.cleanUp(flights.now());
  }

  void checkOpen() {
    parts.checkOpen();
  }

  @Override
  public void close() {
    parts.close();
  }

  @Override
  public String toString() {
    return "Cache " + parts.name + " over " + flights.storageName;
  }

  static CacheInterruptedException interruptedWrite(Throwable cause, String storageName) {
    Thread.currentThread().interrupt();
    return new CacheInterruptedException("interrupted while writing to " + storageName, cause);
  }
}
