package io.latchkey.cache.internal;

import io.latchkey.cache.CacheLoadException;
import io.latchkey.cache.Snapshot;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads at one revision. Nothing but a number: it holds no revision in the cache or the storage.
 *
 * <p>What was read counts only if the storage's history is still the one in which the snapshot was
 * taken; so that is looked at after each read.
 */
class OpenSnapshot<K, V> implements Snapshot<K, V> {
  final LatchSnapshotCache<K, V> cache;
  private final long at;
  private final short era;
  private volatile boolean closed;

  OpenSnapshot(LatchSnapshotCache<K, V> cache, long at, short era) {
    this.cache = cache;
    this.at = at;
    this.era = era;
  }

  @Override
  public @Nullable V get(K key) {
    if (closed) {
      throw closedException();
    }
    V value;
    try {
      value = cache.get(key, at);
    } catch (CacheLoadException failed) {
      throw explained(failed);
    }
    if (cache.era() != era) {
      throw eraException(null);
    }
    return value;
  }

  @Override
  public Map<K, V> getAll(Collection<? extends K> keys) {
    if (closed) {
      throw closedException();
    }
    Map<K, V> values;
    try {
      values = cache.getAll(keys, at);
    } catch (CacheLoadException failed) {
      throw explained(failed);
    }
    if (cache.era() != era) {
      throw eraException(null);
    }
    return values;
  }

  @Override
  public void prefetch(Collection<? extends K> keys) {
    checkUsable();
    cache.prefetch(keys, at);
  }

  @Override
  public long at() {
    return at;
  }

  final void checkUsable() {
    if (closed) {
      throw closedException();
    }
    cache.parts.checkOpen();
    if (cache.era() != era) {
      throw eraException(null);
    }
  }

  /** A storage that was set back may fail in any way where it is asked for what it had before. */
  private CacheLoadException explained(CacheLoadException failed) {
    return cache.era() == era ? failed : eraException(failed);
  }

  private IllegalStateException closedException() {
    return new IllegalStateException(this + " is closed");
  }

  private CacheLoadException eraException(@Nullable CacheLoadException failed) {
    return new CacheLoadException(
        cache.parts.storageName
            + " has begun another history since "
            + this
            + " was opened: open a new one",
        failed);
  }

  @Override
  public void close() {
    closed = true;
  }

  @Override
  public String toString() {
    return "the snapshot at revision " + at;
  }
}
