package io.latchkey.cache.internal;

import io.latchkey.cache.Cache;
import io.latchkey.cache.CacheException;
import io.latchkey.storage.Storage;
import io.latchkey.storage.Subscription;
import io.latchkey.storage.WatchableStorage;
import io.latchkey.storage.WritableStorage;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The parts of a cache of current objects. */
public final class CacheParts<K, V> extends CacheCore<K, V> {
  final BulkReads bulkReads;
  final Invalidation<K> invalidation;
  final Puts puts;
  final @Nullable Writes writes;
  private volatile @Nullable Subscription subscription;

  private CacheParts(Settings<K, V> settings) {
    super(settings, core -> new Flights(core, settings));
    Storage<K, V> storage = settings.storage();
    boolean singly = !overrides(storage, Storage.class, "loadAll", Set.class);
    bulkReads = new BulkReads(flights, launcher, joins, reads, singly);
    writes = storage instanceof WritableStorage<?, ?> ? new Writes() : null;
    invalidation = new Invalidation<>(flights, writes);
    puts = new Puts(flights, invalidation, storage, writes);
  }

  /** Builds a cache; if that fails, what was opened for it is closed. */
  public static <K, V> Cache<K, V> build(Settings<K, V> settings) {
    Headroom.ensure();
    CacheParts<K, V> parts = new CacheParts<>(settings);
    boolean built = false;
    try {
      if (settings.storage() instanceof WatchableStorage<K, V> watchable) {
        parts.watch(watchable);
      }
      built = true;
      return new LatchCache<>(parts);
    } finally {
      if (!built) {
        parts.close();
      }
    }
  }

  private void watch(WatchableStorage<K, V> storage) {
    flights.gap = true;
    try {
      subscription = storage.watch(new Feed<>(invalidation, flights.storageName));
    } catch (Exception thrown) {
      if (thrown instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      throw new CacheException(
          "watching the feed of " + flights.storageName + " failed: " + Flights.reason(thrown),
          thrown);
    }
  }

  @Override
  void closeFeed() {
    Subscription feed = subscription;
    if (feed != null) {
      feed.close();
    }
  }

  @Override
  void closeWaits() {
    if (writes != null) {
      writes.close(closedMessage());
    }
  }
}
