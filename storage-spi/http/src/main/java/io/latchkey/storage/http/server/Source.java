package io.latchkey.storage.http.server;

import io.latchkey.storage.AsyncStorage;
import io.latchkey.storage.Codec;
import io.latchkey.storage.ConflictException;
import io.latchkey.storage.FeedListener;
import io.latchkey.storage.Revision;
import io.latchkey.storage.RevisionStorage;
import io.latchkey.storage.SnapshotTooOldException;
import io.latchkey.storage.Storage;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.Subscription;
import io.latchkey.storage.WatchableStorage;
import io.latchkey.storage.WritableStorage;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A storage as the server's cache sees it: keys as bytes, objects as answers.
 *
 * <p>It can always be written and watched, so that one class is enough; the server writes only if
 * {@link #writable} says so, and over a storage without a feed this one has nothing to tell. Events
 * go to the cache first and then to the {@link ChangeRing}, so that who is told of a change and
 * reads again does not get the old object from the cache.
 *
 * <p>Over a {@link RevisionStorage} objects are tagged by the commit that wrote them and written by
 * commits; over others they are tagged by their content.
 */
class Source<K, V>
    implements WritableStorage<ObjectKey, StoredObject>, WatchableStorage<ObjectKey, StoredObject> {
  /** How often a read or write is repeated that others got ahead of. */
  private static final int ATTEMPTS = 100;

  private static final long UNCONDITIONAL = -1;

  private final Storage<K, V> storage;
  private final Codec<K> keys;
  private final Codec<V> values;
  private final ChangeRing ring;
  private final @Nullable RevisionStorage<K, V> revisions;
  private final @Nullable WritableStorage<K, V> writable;

  /** The revision that the writes of this thread depend on. */
  @SuppressWarnings("ThreadLocalUsage") // what one source depends on is nothing to another
  private final ThreadLocal<Long> base = ThreadLocal.withInitial(() -> UNCONDITIONAL);

  /** What is stored under a key now: its tag, or null, and the revision at which that is so. */
  record Current(@Nullable String etag, long revision) {}

  Source(Storage<K, V> storage, Codec<K> keys, Codec<V> values, ChangeRing ring) {
    this.storage = storage;
    this.keys = keys;
    this.values = values;
    this.ring = ring;
    this.revisions = storage instanceof RevisionStorage<K, V> able ? able : null;
    this.writable = storage instanceof WritableStorage<K, V> able ? able : null;
  }

  static <K, V> Source<K, V> of(
      Storage<K, V> storage, Codec<K> keys, Codec<V> values, ChangeRing ring) {
    if (storage instanceof AsyncStorage<K, V> able && !(storage instanceof RevisionStorage)) {
      return new Async<>(able, keys, values, ring);
    }
    return loadsInBulk(storage)
        ? new Bulk<>(storage, keys, values, ring)
        : new Source<>(storage, keys, values, ring);
  }

  /** Whether several objects are read in one call, and not one after the other. */
  private static boolean loadsInBulk(Storage<?, ?> storage) {
    try {
      Class<?> type = storage.getClass();
      return storage instanceof RevisionStorage
          ? type.getMethod("loadAllAt", Set.class, long.class).getDeclaringClass()
              != RevisionStorage.class
          : type.getMethod("loadAll", Set.class).getDeclaringClass() != Storage.class;
    } catch (NoSuchMethodException e) {
      throw new AssertionError("every storage has loadAll", e);
    }
  }

  /** Whether {@link #store} and its like may be called. */
  boolean writable() {
    return writable != null || revisions != null;
  }

  /** Whether the storage tells what changed. */
  boolean watchable() {
    return storage instanceof WatchableStorage || revisions != null;
  }

  @Override
  public String name() {
    return storage.name();
  }

  @Override
  public @Nullable StoredObject load(ObjectKey key) throws Exception {
    K decoded = decode(key);
    if (revisions != null) {
      return versionedObject(atHead(head -> revisions.loadAt(decoded, head)));
    }
    V value = storage.load(decoded);
    return value == null ? null : object(value).sealByContent();
  }

  /** Reads at the newest revision, once more if that is forgotten meanwhile. */
  private <R> R atHead(AtRevision<R> read) throws Exception {
    RevisionStorage<K, V> history = versioned();
    for (int attempt = 1; ; attempt++) {
      try {
        return read.at(history.head());
      } catch (SnapshotTooOldException e) {
        if (attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private interface AtRevision<R> {
    R at(long revision) throws Exception;
  }

  private RevisionStorage<K, V> versioned() {
    RevisionStorage<K, V> history = revisions;
    if (history == null) {
      throw new IllegalStateException(name() + " has no revisions");
    }
    return history;
  }

  private WritableStorage<K, V> target() {
    WritableStorage<K, V> target = writable;
    if (target == null) {
      throw new IllegalStateException(name() + " cannot be written");
    }
    return target;
  }

  /** What is stored under a key now, asked of the storage itself. */
  Current current(ObjectKey key) throws Exception {
    if (revisions == null) {
      StoredObject object = load(key);
      return new Current(object == null ? null : object.etag(), UNCONDITIONAL);
    }
    K decoded = decode(key);
    return atHead(
        head -> {
          Revision<V> found = revisions.loadAt(decoded, head);
          return new Current(found.isAbsent() ? null : "\"" + found.serial() + "\"", head);
        });
  }

  /** Makes the next write of this thread fail if its key was changed after what was read. */
  void dependOn(Current current) {
    base.set(current.revision());
  }

  /** Ends {@link #dependOn}. */
  void dependOnNothing() {
    base.remove();
  }

  @Override
  public void store(ObjectKey key, StoredObject object) throws Exception {
    K decoded = decode(key);
    V value = decode(object);
    if (revisions != null) {
      object.sealBySerial(commit(Map.of(decoded, Optional.of(value))));
    } else {
      target().store(decoded, value);
      object.sealByContent();
    }
  }

  @Override
  public void delete(ObjectKey key) throws Exception {
    K decoded = decode(key);
    if (revisions != null) {
      commit(Map.of(decoded, Optional.empty()));
    } else {
      target().delete(decoded);
    }
  }

  @Override
  public void storeAll(Map<? extends ObjectKey, ? extends StoredObject> entries) throws Exception {
    Map<K, Optional<V>> changes = new LinkedHashMap<>();
    Map<K, V> plain = new LinkedHashMap<>();
    for (Map.Entry<? extends ObjectKey, ? extends StoredObject> entry : entries.entrySet()) {
      K decoded = decode(entry.getKey());
      V value = decode(entry.getValue());
      changes.put(decoded, Optional.of(value));
      plain.put(decoded, value);
    }
    if (revisions != null) {
      long serial = commit(changes);
      entries.values().forEach(object -> object.sealBySerial(serial));
    } else {
      target().storeAll(plain);
      entries.values().forEach(StoredObject::sealByContent);
    }
  }

  private long commit(Map<K, Optional<V>> changes) throws Exception {
    RevisionStorage<K, V> history = versioned();
    long depends = base.get();
    if (depends != UNCONDITIONAL) {
      return history.commit(changes, depends);
    }
    for (int attempt = 1; ; attempt++) {
      try {
        return history.commit(changes, history.head());
      } catch (ConflictException | SnapshotTooOldException e) {
        // Somebody else's commit came between the two calls; this write depends on nothing.
        if (attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  @Override
  public Subscription watch(FeedListener<ObjectKey> listener) throws Exception {
    FeedRelay<K> relay = new FeedRelay<>(listener, ring, keys);
    if (storage instanceof WatchableStorage<K, V> feed) {
      return feed.watch(relay);
    }
    if (revisions != null) {
      return revisions.commits(revisions.head(), relay.commits());
    }
    listener.whole(0, 0);
    return () -> {};
  }

  K decode(ObjectKey key) {
    try {
      return keys.decode(key.bytes().clone());
    } catch (IllegalArgumentException e) {
      throw new Refusal(
          400, "the key " + key + " is none of this storage: " + StorageException.reason(e));
    }
  }

  private V decode(StoredObject object) {
    try {
      return values.decode(object.unsealed().clone());
    } catch (IllegalArgumentException e) {
      throw new Refusal(
          400, "the body is no object of this storage: " + StorageException.reason(e));
    }
  }

  StoredObject object(V value) {
    return new StoredObject(values.encode(value));
  }

  private @Nullable StoredObject versionedObject(Revision<V> revision) {
    V value = revision.value();
    return value == null ? null : object(value).sealBySerial(revision.serial());
  }

  /** Over a storage that reads several objects in one call. */
  private static class Bulk<K, V> extends Source<K, V> {
    private final Storage<K, V> storage;

    Bulk(Storage<K, V> storage, Codec<K> keys, Codec<V> values, ChangeRing ring) {
      super(storage, keys, values, ring);
      this.storage = storage;
    }

    @Override
    public Map<ObjectKey, StoredObject> loadAll(Set<? extends ObjectKey> keys) throws Exception {
      Map<K, ObjectKey> asked = new LinkedHashMap<>();
      for (ObjectKey key : keys) {
        asked.put(decode(key), key);
      }
      Map<ObjectKey, StoredObject> found = new LinkedHashMap<>();
      if (super.revisions != null) {
        Map<K, Revision<V>> loaded =
            super.atHead(head -> super.versioned().loadAllAt(asked.keySet(), head));
        loaded.forEach((key, value) -> put(found, asked.get(key), super.versionedObject(value)));
      } else {
        storage
            .loadAll(asked.keySet())
            .forEach((key, value) -> put(found, asked.get(key), object(value).sealByContent()));
      }
      return found;
    }

    private static void put(
        Map<ObjectKey, StoredObject> found,
        @Nullable ObjectKey key,
        @Nullable StoredObject object) {
      if (key != null && object != null) {
        found.put(key, object);
      }
    }
  }

  /** Over a storage whose loads hold no thread. */
  private static final class Async<K, V> extends Bulk<K, V>
      implements AsyncStorage<ObjectKey, StoredObject> {
    private final AsyncStorage<K, V> storage;

    Async(AsyncStorage<K, V> storage, Codec<K> keys, Codec<V> values, ChangeRing ring) {
      super(storage, keys, values, ring);
      this.storage = storage;
    }

    @Override
    public CompletionStage<@Nullable StoredObject> loadAsync(ObjectKey key) {
      return storage
          .loadAsync(decode(key))
          .thenApply(value -> value == null ? null : object(value).sealByContent());
    }
  }
}
