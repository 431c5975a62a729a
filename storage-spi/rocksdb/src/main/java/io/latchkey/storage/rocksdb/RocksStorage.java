package io.latchkey.storage.rocksdb;

import io.latchkey.storage.Codec;
import io.latchkey.storage.CommitFeed;
import io.latchkey.storage.CommitListener;
import io.latchkey.storage.ConflictException;
import io.latchkey.storage.FeedListener;
import io.latchkey.storage.LocalFeed;
import io.latchkey.storage.Revision;
import io.latchkey.storage.RevisionStorage;
import io.latchkey.storage.SnapshotTooOldException;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.Subscription;
import io.latchkey.storage.WatchableStorage;
import io.latchkey.storage.WritableStorage;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A storage in a folder, by RocksDB, for more data than fits into memory. Opened by URL as {@code
 * rocksdb:FOLDER}, {@link io.latchkey.storage.StorageUrl} says how the folder is written there, or
 * by {@link #open}.
 *
 * <pre>{@code
 * try (RocksStorage<Long, String> users =
 *     RocksStorage.open(folder, Codec.int64(), Codec.utf8())) {
 *   users.store(1L, "Ada");
 * }
 * }</pre>
 *
 * <p><b>Durability.</b> A write that has returned survives the end of the process, by {@code kill
 * -9} too: it is in RocksDB's log, with the operating system. With the option {@code sync} it
 * survives a power failure too, at the price of waiting for the disk. Without it a power failure
 * can lose the last seconds; what is left is the state after some earlier commit. Each write is
 * atomic, also a {@code storeAll} of many objects.
 *
 * <p><b>Threads.</b> Safe for any number of threads. Loads run beside each other and beside writes;
 * writes come one after the other. Interrupting a thread neither ends its call nor harms the
 * storage; its flag stays set.
 *
 * <p><b>Failures.</b> Calls throw {@link StorageException}. When the disk is full or fails, the
 * write throws and changes nothing that can be seen; what was acknowledged before can still be
 * read, and some seconds after there is room again writes work again. A damaged block, found by its
 * checksum, fails the loads that need it. Opening refuses, and leaves as they are: files, folders
 * with something else in them, databases of other programs, and folders that this or another
 * process has open. A database that RocksDB finds damaged is refused as well.
 *
 * <p><b>Revisions.</b> Each write is a commit, numbered on over closing and reopening. The folder
 * keeps what the last 1,000 commits replaced, or as many as the option {@code history} says, also
 * while it is closed; older ones are deleted little by little, with the commits that follow. The
 * epoch stays over closing and reopening, and is another one after an end without a close.
 *
 * <p><b>Changes</b> are told by the feed on the thread that makes them, before the write returns,
 * see {@link LocalFeed}. Only this storage can have the folder open, so there are no others.
 *
 * <p><b>Cost.</b> A load is a look-up in memory and, for what is not cached, about one read from
 * the disk; {@link #loadAll} and {@link #loadAllAt} look all keys up in one call. A write looks up
 * what it replaces, appends to the log, and writes the object replaced to the history. Files are
 * merged by threads of RocksDB's own.
 *
 * @param <K> the type of the keys, equal when their bytes are
 * @param <V> the type of the objects
 */
public final class RocksStorage<K, V>
    implements WritableStorage<K, V>, WatchableStorage<K, V>, RevisionStorage<K, V> {
  private final String name;
  private final Codec<K> keys;
  private final Codec<V> values;
  private final Database database;
  private final Revisions revisions;
  private final LocalFeed<K> feed = new LocalFeed<>();
  private final CommitFeed<byte[]> commits;

  private RocksStorage(
      String name, Codec<K> keys, Codec<V> values, Database database, RocksOptions options)
      throws StorageException {
    this.name = name;
    this.keys = keys;
    this.values = values;
    this.database = database;
    this.revisions = Revisions.open(database, options.history(), this::committed, name);
    this.commits = new CommitFeed<>(revisions.epoch(), revisions.head(), this::logged);
  }

  private void committed(long revision, List<byte[]> changed) {
    commits.committed(revision, changed);
  }

  private @Nullable List<byte[]> logged(long revision) throws StorageException {
    return revisions.keys(revision);
  }

  /**
   * Opens the folder with the default options, and creates it if it is missing.
   *
   * @param folder the folder; the one that it is in exists
   * @param keys turns keys to bytes and back
   * @param values turns objects to bytes and back
   * @param <K> the type of the keys
   * @param <V> the type of the objects
   * @return the storage, to be closed
   * @throws NullPointerException if an argument is null
   * @throws StorageException if the folder cannot be opened; the message names it and the mend
   */
  public static <K, V> RocksStorage<K, V> open(Path folder, Codec<K> keys, Codec<V> values)
      throws StorageException {
    return open(folder, keys, values, RocksOptions.defaults());
  }

  /**
   * Opens the folder, and creates it if it is missing.
   *
   * @param folder the folder; the one that it is in exists
   * @param keys turns keys to bytes and back
   * @param values turns objects to bytes and back
   * @param options how it is opened
   * @param <K> the type of the keys
   * @param <V> the type of the objects
   * @return the storage, to be closed
   * @throws NullPointerException if an argument is null
   * @throws StorageException if the folder cannot be opened; the message names it and the mend
   */
  public static <K, V> RocksStorage<K, V> open(
      Path folder, Codec<K> keys, Codec<V> values, RocksOptions options) throws StorageException {
    Objects.requireNonNull(folder, "folder");
    Objects.requireNonNull(keys, "keys");
    Objects.requireNonNull(values, "values");
    Objects.requireNonNull(options, "options");
    String name = "rocksdb:" + folder;
    Database.loadLibrary(name);
    Folder.prepare(folder, name);
    Database database =
        Database.open(folder, name, options, Revisions.families(options.columnFamily()));
    boolean opened = false;
    try {
      RocksStorage<K, V> storage = new RocksStorage<>(name, keys, values, database, options);
      opened = true;
      return storage;
    } finally {
      if (!opened) {
        database.close();
      }
    }
  }

  @Override
  public @Nullable V load(K key) throws StorageException {
    byte[] found = revisions.current(keys.encode(Objects.requireNonNull(key, "key")));
    return found == null ? null : decode(found);
  }

  /**
   * {@inheritDoc}
   *
   * <p>All of them are looked up in one call.
   */
  @Override
  public Map<K, V> loadAll(Set<? extends K> wanted) throws StorageException {
    List<K> asked = new ArrayList<>(Objects.requireNonNull(wanted, "keys"));
    List<byte[]> encoded = encodeAll(asked);
    Map<K, V> found = new LinkedHashMap<>();
    if (encoded.isEmpty()) {
      database.checkOpen();
      return found;
    }
    List<byte @Nullable []> objects = revisions.current(encoded);
    for (int i = 0; i < asked.size(); i++) {
      byte[] object = objects.get(i);
      if (object != null) {
        found.put(asked.get(i), decode(object));
      }
    }
    return found;
  }

  private List<byte[]> encodeAll(List<K> all) {
    List<byte[]> encoded = new ArrayList<>(all.size());
    for (K key : all) {
      encoded.add(keys.encode(Objects.requireNonNull(key, "key")));
    }
    return encoded;
  }

  @Override
  public Revision<V> loadAt(K key, long at) throws StorageException {
    byte[] encoded = keys.encode(Objects.requireNonNull(key, "key"));
    checkRevision("at", at);
    return decode(loadAt(List.of(encoded), at).get(0));
  }

  /**
   * {@inheritDoc}
   *
   * <p>What is current is looked up in one call.
   */
  @Override
  public Map<K, Revision<V>> loadAllAt(Set<? extends K> wanted, long at) throws StorageException {
    List<K> asked = new ArrayList<>(Objects.requireNonNull(wanted, "keys"));
    List<byte[]> encoded = encodeAll(asked);
    checkRevision("at", at);
    Map<K, Revision<V>> found = new LinkedHashMap<>();
    if (!encoded.isEmpty()) {
      List<Revision<byte[]>> all = loadAt(encoded, at);
      for (int i = 0; i < asked.size(); i++) {
        found.put(asked.get(i), decode(all.get(i)));
      }
    }
    return found;
  }

  private List<Revision<byte[]>> loadAt(List<byte[]> encoded, long at) throws StorageException {
    List<Revision<byte[]>> found = revisions.at(encoded, at);
    if (found == null) {
      throw tooOld(at);
    }
    return found;
  }

  private SnapshotTooOldException tooOld(long revision) {
    return new SnapshotTooOldException(name, revision, revisions.oldest());
  }

  private void checkRevision(String what, long revision) throws StorageException {
    RevisionStorage.checkRevision(name, what, revision, head());
  }

  private Revision<V> decode(Revision<byte[]> found) throws StorageException {
    byte[] bytes = found.value();
    return new Revision<>(bytes == null ? null : decode(bytes), found.serial(), found.nextSerial());
  }

  private V decode(byte[] bytes) throws StorageException {
    try {
      return values.decode(bytes);
    } catch (RuntimeException e) {
      throw new StorageException(
          name,
          "an object in "
              + name
              + " cannot be decoded: "
              + StorageException.reason(e)
              + "; open the storage with the codec that it was stored with",
          e,
          false);
    }
  }

  @Override
  public long head() throws StorageException {
    database.checkOpen();
    return revisions.head();
  }

  @Override
  public void store(K key, V value) throws StorageException {
    Map<ByteBuffer, byte @Nullable []> changes = new LinkedHashMap<>();
    put(changes, key, Objects.requireNonNull(value, "value"));
    write(changes, List.of(key), Revisions.BLIND);
  }

  @Override
  public void delete(K key) throws StorageException {
    Map<ByteBuffer, byte @Nullable []> changes = new LinkedHashMap<>();
    put(changes, key, null);
    write(changes, List.of(key), Revisions.BLIND);
  }

  /**
   * {@inheritDoc}
   *
   * <p>All of them are stored, in one commit, or none.
   */
  @Override
  public void storeAll(Map<? extends K, ? extends V> entries) throws StorageException {
    Objects.requireNonNull(entries, "entries");
    Map<ByteBuffer, byte @Nullable []> changes = new LinkedHashMap<>();
    List<K> changed = new ArrayList<>(entries.size());
    for (Map.Entry<? extends K, ? extends V> entry : entries.entrySet()) {
      put(changes, entry.getKey(), Objects.requireNonNull(entry.getValue(), "value"));
      changed.add(entry.getKey());
    }
    write(changes, changed, Revisions.BLIND);
  }

  @Override
  public long commit(Map<K, Optional<V>> changes, long base) throws StorageException {
    Objects.requireNonNull(changes, "changes");
    Map<ByteBuffer, byte @Nullable []> encoded = new LinkedHashMap<>();
    List<K> changed = new ArrayList<>(changes.size());
    for (Map.Entry<K, Optional<V>> entry : changes.entrySet()) {
      Optional<V> value = Objects.requireNonNull(entry.getValue(), "value");
      put(encoded, entry.getKey(), value.orElse(null));
      changed.add(entry.getKey());
    }
    checkRevision("base", base);
    return write(encoded, changed, base);
  }

  /** Keys that differ may have the same bytes; the last one counts. */
  private void put(Map<ByteBuffer, byte @Nullable []> changes, K key, @Nullable V value) {
    ByteBuffer encoded = ByteBuffer.wrap(keys.encode(Objects.requireNonNull(key, "key")));
    changes.put(encoded, value == null ? null : values.encode(value));
  }

  private long write(Map<ByteBuffer, byte @Nullable []> changes, List<K> changed, long base)
      throws StorageException {
    if (changes.isEmpty()) {
      return head();
    }
    Revisions.Applied applied = revisions.apply(changes, base);
    if (applied.baseForgotten()) {
      throw tooOld(base);
    }
    if (!applied.conflicts().isEmpty()) {
      throw new ConflictException(name, decodeAll(applied.conflicts(), keys), base);
    }
    commits.deliver();
    feed.changed(changed);
    return applied.revision();
  }

  private static <K> List<K> decodeAll(Collection<? extends byte[]> encoded, Codec<K> keys) {
    List<K> decoded = new ArrayList<>(encoded.size());
    for (byte[] key : encoded) {
      decoded.add(keys.decode(key.clone()));
    }
    return decoded;
  }

  @Override
  public Subscription watch(FeedListener<K> listener) throws StorageException {
    Objects.requireNonNull(listener, "listener");
    database.checkOpen();
    try {
      return feed.watch(listener);
    } catch (IllegalStateException e) {
      database.checkOpen();
      throw e;
    }
  }

  @Override
  public Subscription commits(long from, CommitListener<K> listener) throws StorageException {
    Objects.requireNonNull(listener, "listener");
    checkRevision("from", from);
    try {
      return commits.subscribe(from, new CommitDecoding<>(listener, keys));
    } catch (IllegalStateException e) {
      database.checkOpen();
      throw e;
    }
  }

  /** Gives the listener its own type of keys. */
  private record CommitDecoding<K>(CommitListener<K> listener, Codec<K> keys)
      implements CommitListener<byte[]> {
    @Override
    public void committed(long epoch, long revision, Collection<? extends byte[]> encoded) {
      listener.committed(epoch, revision, decodeAll(encoded, keys));
    }

    @Override
    public void lost(String reason) {
      listener.lost(reason);
    }

    @Override
    public void whole(long epoch, long head) {
      listener.whole(epoch, head);
    }
  }

  @Override
  public String name() {
    return name;
  }

  /**
   * Ends the storage: calls under way are finished, later ones fail. Waits for that, also when
   * another thread began it; an interrupt does not end the wait. Never throws: what was
   * acknowledged is in the log before.
   */
  @Override
  public void close() {
    try {
      revisions.end();
    } catch (StorageException e) {
      // Closed already, or the disk is full: the next opening then takes another epoch.
    }
    database.close();
    commits.close();
    feed.close();
  }
}
