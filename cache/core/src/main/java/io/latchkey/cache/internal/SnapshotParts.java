package io.latchkey.cache.internal;

import io.latchkey.cache.CacheException;
import io.latchkey.cache.CacheLoadException;
import io.latchkey.cache.SnapshotCache;
import io.latchkey.storage.RevisionStorage;
import io.latchkey.storage.Subscription;
import java.lang.invoke.MethodHandles;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The parts of a cache over revisions. */
public final class SnapshotParts<K, V> extends CacheCore<K, V> {
  static {
    try {
      MethodHandles.lookup().ensureInitialized(RevisionEntry.class); // see Headroom
      MethodHandles.lookup().ensureInitialized(History.class);
    } catch (IllegalAccessException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final RevisionStorage<K, V> storage;
  final Heads heads;
  final RevisionFlights revisions;
  final BulkReads bulkReads;
  private volatile @Nullable Subscription subscription;

  private SnapshotParts(Settings<K, V> settings, RevisionStorage<K, V> storage, Heads heads) {
    super(settings, core -> new RevisionFlights(core, settings, storage, heads));
    this.storage = storage;
    this.heads = heads;
    revisions = (RevisionFlights) flights;
    boolean singly = !overrides(storage, RevisionStorage.class, "loadAllAt", Set.class, long.class);
    bulkReads = new BulkReads(flights, launcher, joins, reads, singly);
  }

  /** Builds a cache; if that fails, what was opened for it is closed. */
  public static <K, V> SnapshotCache<K, V> build(
      Settings<K, V> settings, RevisionStorage<K, V> storage) {
    Headroom.ensure();
    SnapshotParts<K, V> parts = null;
    boolean built = false;
    try {
      Heads heads = new Heads(head(storage));
      parts = new SnapshotParts<>(settings, storage, heads);
      parts.subscribe();
      built = true;
      return new LatchSnapshotCache<>(parts);
    } finally {
      if (!built) {
        if (parts != null) {
          parts.close();
        } else if (settings.ownsStorage()) {
          storage.close();
        }
      }
    }
  }

  private void subscribe() {
    try {
      subscription = storage.commits(heads.head(), new Commits<>(revisions));
    } catch (Exception thrown) {
      if (thrown instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      throw new CacheException(
          "listening to the commits of " + storageName + " failed: " + Flights.reason(thrown),
          thrown);
    }
  }

  /** The head of a storage, which may throw anything. */
  static long head(RevisionStorage<?, ?> storage) {
    try {
      return storage.head();
    } catch (Exception thrown) {
      if (thrown instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      throw new CacheLoadException(
          "the head of " + storageName(storage) + " could not be read: " + Flights.reason(thrown),
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
    heads.close(closedMessage());
  }
}
