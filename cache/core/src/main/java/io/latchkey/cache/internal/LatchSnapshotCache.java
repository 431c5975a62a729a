package io.latchkey.cache.internal;

import io.latchkey.cache.CacheLoadException;
import io.latchkey.cache.CacheStats;
import io.latchkey.cache.CacheWriteException;
import io.latchkey.cache.Snapshot;
import io.latchkey.cache.SnapshotCache;
import io.latchkey.cache.Transaction;
import io.latchkey.storage.ConflictException;
import io.latchkey.storage.SnapshotTooOldException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The cache over revisions: hits are served here, everything else is passed on. */
final class LatchSnapshotCache<K, V> implements SnapshotCache<K, V> {
  private static final long FIRST_PAUSE_NANOS = 50_000;
  private static final long LONGEST_PAUSE_NANOS = 10_000_000;

  private final Table table;
  private final Heads heads;
  private final Counters counters;
  private final boolean recording;
  private final Reads reads;
  final SnapshotParts<K, V> parts;

  LatchSnapshotCache(SnapshotParts<K, V> parts) {
    this.parts = parts;
    table = parts.table;
    heads = parts.heads;
    counters = parts.counters;
    recording = counters.recording;
    reads = parts.reads;
  }

  // ---- look-ups

  @Override
  public @Nullable V get(K key, long at) {
    int hash = Table.hash(Objects.requireNonNull(key, "key"));
    Object hit = hit(key, hash, at);
    return hit != null ? served(hit) : load(key, hash, at);
  }

  /** The outcome of a revision that answers; null sends the caller the long way. */
  private @Nullable Object hit(Object key, int hash, long at) {
    Entry place = table.find(key, hash);
    RevisionEntry entry = place == null ? null : ((History) place).covering(at, heads);
    if (entry == null || entry.stateAcquire() != Entry.READY) {
      return null;
    }
    Object outcome = entry.outcomePlain();
    if (outcome != null) {
      entry.touch();
      if (recording) {
        counters.hit();
      }
    }
    return outcome;
  }

  @SuppressWarnings("unchecked")
  private @Nullable V served(Object hit) {
    return hit == Entry.ABSENT ? null : (V) hit;
  }

  private @Nullable V load(K key, int hash, long at) {
    KeyAt asked = asked(key, at);
    return object(asked, reads.get(asked, hash, null));
  }

  @SuppressWarnings("unchecked")
  private @Nullable V object(KeyAt asked, Object outcome) {
    return (V) parts.flights.answer(asked, outcome);
  }

  private static KeyAt asked(Object key, long at) {
    return new KeyAt(key, revision("at", at));
  }

  private static long revision(String what, long revision) {
    if (revision < 0) {
      throw new IllegalArgumentException(what + " is " + revision + ": revisions begin at 0");
    }
    return revision;
  }

  @Override
  public @Nullable V get(K key, long at, Duration timeout) {
    int hash = Table.hash(Objects.requireNonNull(key, "key"));
    long nanos = LatchCache.nanos(timeout);
    Object hit = hit(key, hash, at);
    if (hit != null) {
      return served(hit);
    }
    boolean timed = nanos != Long.MAX_VALUE;
    KeyAt asked = asked(key, at);
    long deadline = timed ? System.nanoTime() + nanos : 0;
    return object(asked, reads.getWithin(asked, hash, false, timed, deadline));
  }

  @Override
  @SuppressWarnings("unchecked")
  public CompletableFuture<@Nullable V> getAsync(K key, long at) {
    int hash = Table.hash(Objects.requireNonNull(key, "key"));
    Object hit = hit(key, hash, at);
    return (CompletableFuture<@Nullable V>)
        (hit != null ? Reads.completed(hit) : reads.getAsync(asked(key, at), hash));
  }

  @Override
  @SuppressWarnings("unchecked")
  public Map<K, V> getAll(Collection<? extends K> keys, long at) {
    Map<K, @Nullable Object> found = new LinkedHashMap<>();
    List<KeyAt> missing = new ArrayList<>();
    parts.checkOpen();
    revision("at", at);
    for (K key : Objects.requireNonNull(keys, "keys")) {
      int hash = Table.hash(Objects.requireNonNull(key, "keys must not contain null"));
      if (!found.containsKey(key)) {
        Object hit = hit(key, hash, at);
        found.put(key, hit);
        if (hit == null) {
          missing.add(asked(key, at));
        }
      }
    }
    if (!missing.isEmpty()) {
      Map<Object, Object> loaded = parts.bulkReads.getAll(missing);
      for (KeyAt each : missing) {
        found.put((K) each.key(), loaded.get(each));
      }
    }
    found.values().removeIf(outcome -> outcome == null || outcome == Entry.ABSENT);
    return Collections.unmodifiableMap((Map<K, V>) found);
  }

  @Override
  public void prefetch(Collection<? extends K> keys, long at) {
    parts.checkOpen();
    revision("at", at);
    List<KeyAt> missing = new ArrayList<>();
    for (K key : Objects.requireNonNull(keys, "keys")) {
      missing.add(asked(Objects.requireNonNull(key, "keys must not contain null"), at));
    }
    parts.bulkReads.prefetch(missing);
  }

  // ---- snapshots

  @Override
  public long head() {
    parts.checkOpen();
    return heads.head();
  }

  @Override
  public void awaitHead(long revision, Duration timeout) {
    revision("revision", revision);
    long nanos = LatchCache.nanos(timeout);
    parts.checkOpen();
    heads.await(revision, nanos, parts.storageName);
  }

  /** See {@link Heads#era}. */
  short era() {
    return heads.era();
  }

  @Override
  public Snapshot<K, V> snapshot() {
    parts.checkOpen();
    short era = heads.era(); // before the head, so that a head of a later one is noticed
    return new OpenSnapshot<>(this, heads.head(), era);
  }

  @Override
  public Snapshot<K, V> snapshotAt(long revision) {
    parts.checkOpen();
    return new OpenSnapshot<>(this, revision("revision", revision), heads.era());
  }

  // ---- transactions

  @Override
  public Transaction<K, V> begin() {
    parts.checkOpen();
    short era = heads.era();
    return new OpenTransaction<>(this, heads.head(), era);
  }

  @Override
  public long transact(int attempts, Consumer<? super Transaction<K, V>> work)
      throws ConflictException {
    Objects.requireNonNull(work, "work");
    if (attempts < 1) {
      throw new IllegalArgumentException("attempts must be at least 1, not " + attempts);
    }
    Transaction<K, V> transaction = begin();
    for (int attempt = 1; ; attempt++) {
      try (Transaction<K, V> now = transaction) {
        work.accept(now);
        return now.commit();
      } catch (ConflictException conflict) {
        if (attempt == attempts) {
          throw conflict;
        }
      } catch (CacheLoadException | CacheWriteException failure) {
        if (attempt == attempts || !(failure.getCause() instanceof SnapshotTooOldException)) {
          throw failure;
        }
      }
      pause(attempt);
      transaction = beginAgain();
    }
  }

  /** Apart from those that this one met, for a random time that doubles. */
  private void pause(int attempt) {
    long longest = Math.min(LONGEST_PAUSE_NANOS, FIRST_PAUSE_NANOS << Math.min(attempt, 10));
    LockSupport.parkNanos(this, ThreadLocalRandom.current().nextLong(longest));
  }

  /** A transaction that sees what the one before met, even if the feed has not told it yet. */
  private Transaction<K, V> beginAgain() {
    parts.checkOpen();
    short era = heads.era();
    long head = SnapshotParts.head(parts.storage);
    return new OpenTransaction<>(this, Math.max(head, heads.head()), era);
  }

  /** Commits changes; whatever is thrown other than a conflict leaves the outcome unknown. */
  long commit(Map<K, Optional<V>> changes, long base) throws ConflictException {
    parts.checkOpen();
    try {
      return parts.storage.commit(changes, base);
    } catch (ConflictException conflict) {
      throw conflict;
    } catch (Throwable thrown) {
      if (Flights.interruption(thrown)) {
        throw LatchCache.interruptedWrite(thrown, parts.storageName);
      }
      throw new CacheWriteException(
          "committing to " + parts.storageName + " failed: " + Flights.reason(thrown), thrown);
    }
  }

  // ---- upkeep

  @Override
  public long estimatedSize() {
    parts.checkOpen();
    return parts.admission.size(parts.flights.now());
  }

  @Override
  public CacheStats stats() {
    return counters.stats(parts.admission);
  }

  @Override
  public void cleanUp() {
    parts.checkOpen();
    parts.admission.cleanUp(parts.flights.now());
  }

  @Override
  public void close() {
    parts.close();
  }

  @Override
  public String toString() {
    return "Snapshot cache " + parts.name + " over " + parts.storageName;
  }
}
