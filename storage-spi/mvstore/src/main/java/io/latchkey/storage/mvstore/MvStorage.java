package io.latchkey.storage.mvstore;

import io.latchkey.storage.Codec;
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
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.h2.mvstore.MVStoreException;
import org.jspecify.annotations.Nullable;

/**
 * A storage in one file, by H2's MVStore. Opened by URL as {@code mvstore:FILE}, {@link
 * io.latchkey.storage.StorageUrl} says how the file is written there, or by {@link #open}.
 *
 * <pre>{@code
 * try (MvStorage<Long, String> users = MvStorage.open(file, Codec.int64(), Codec.utf8())) {
 *   users.store(1L, "Ada");
 * }
 * }</pre>
 *
 * <p><b>Durability.</b> A store, delete, storeAll or clear that has returned survives the end of
 * the process, by {@code kill -9} too: its bytes are with the operating system, in a file that can
 * be opened at any point. With the option {@code sync} it survives a power failure too, at the
 * price of waiting for the disk. Without it a power failure or a crash of the operating system can
 * lose the last seconds, and can leave a file that is refused as damaged until it is opened with
 * {@code recover}. A {@code storeAll} is atomic on disk: all of it or nothing; while it is under
 * way a load may see some of the objects before the others, and before they are durable.
 *
 * <p><b>Threads.</b> Safe for any number of threads. Loads run beside each other and beside writes,
 * without waiting for these. One thread of the storage does the writing; writes that come at the
 * same time share one commit. Interrupting a thread neither ends its call nor harms the storage;
 * its flag stays set.
 *
 * <p><b>Failures.</b> Writes and loads throw {@link StorageException}. When the disk is full or
 * fails, the write throws and, unless it failed at the very end, is undone; what was acknowledged
 * before can still be read, and writes work again as soon as the disk does. The feed tells the
 * objects concerned as changed, because a load may have seen them. A damaged page, found by its
 * checksum, fails the loads that need it. Opening refuses, and leaves as they are: directories,
 * files of other programs, damaged files, and files that this or another process has open.
 *
 * <p><b>Revisions.</b> Each write is a commit, numbered on over closing and reopening. The file
 * keeps what the last 1,000 commits replaced, or as many as the option {@code history} says, so
 * that the revisions before them can be read; closing forgets them, so that a closed file holds
 * what is live, and its revision. {@link #loadAt} and {@link #head} show only what is durable as
 * said above, and all of a commit or nothing; {@link #load} may be ahead of that. Files from before
 * there were revisions are opened as revision 0. A file opened with {@code recover} whose end was
 * lost gets another epoch.
 *
 * <p><b>Changes</b> are told by the feed on the thread that makes them, before the write returns,
 * see {@link LocalFeed}. Only this process can have the file open, so there are no others.
 *
 * <p><b>Cost.</b> A load is a search in a tree of pages, in memory when the page is in the cache. A
 * write costs a commit of one to several pages, shared with the writes beside it. The file keeps
 * room for about twice the live data and the history; garbage is rewritten while writing goes on,
 * and closing shrinks the file for a fraction of a second.
 *
 * @param <K> the type of the keys, equal when their bytes are
 * @param <V> the type of the objects
 */
public final class MvStorage<K, V>
    implements WritableStorage<K, V>, WatchableStorage<K, V>, RevisionStorage<K, V> {
  private final String name;
  private final Codec<K> keys;
  private final Codec<V> values;
  private final CommitThread commits;
  private final LocalFeed<K> feed = new LocalFeed<>();

  private MvStorage(String name, Codec<K> keys, Codec<V> values, FileBytes bytes, MvOptions options)
      throws StorageException {
    this.name = name;
    this.keys = keys;
    this.values = values;
    this.commits = new CommitThread(bytes, name, options, this::logged);
  }

  private @Nullable List<byte[]> logged(long revision) throws StorageException {
    return read(engine -> engine.revisions().keys(revision));
  }

  /**
   * Opens the file with the default options, and creates it if it is missing.
   *
   * @param file the file; its directory exists
   * @param keys turns keys to bytes and back
   * @param values turns objects to bytes and back
   * @param <K> the type of the keys
   * @param <V> the type of the objects
   * @return the storage, to be closed
   * @throws NullPointerException if an argument is null
   * @throws StorageException if the file cannot be opened; the message names it and the mend
   */
  public static <K, V> MvStorage<K, V> open(Path file, Codec<K> keys, Codec<V> values)
      throws StorageException {
    return open(file, keys, values, MvOptions.defaults());
  }

  /**
   * Opens the file, and creates it if it is missing.
   *
   * @param file the file; its directory exists
   * @param keys turns keys to bytes and back
   * @param values turns objects to bytes and back
   * @param options how it is opened
   * @param <K> the type of the keys
   * @param <V> the type of the objects
   * @return the storage, to be closed
   * @throws NullPointerException if an argument is null
   * @throws StorageException if the file cannot be opened; the message names it and the mend
   */
  public static <K, V> MvStorage<K, V> open(
      Path file, Codec<K> keys, Codec<V> values, MvOptions options) throws StorageException {
    return open(file, keys, values, options, bytes -> bytes);
  }

  /** Opens the file through a layer that a test puts between. */
  static <K, V> MvStorage<K, V> open(
      Path file, Codec<K> keys, Codec<V> values, MvOptions options, UnaryOperator<FileBytes> layer)
      throws StorageException {
    Objects.requireNonNull(file, "file");
    Objects.requireNonNull(keys, "keys");
    Objects.requireNonNull(values, "values");
    Objects.requireNonNull(options, "options");
    String name = "mvstore:" + file;
    LockedFile locked = LockedFile.open(file, name);
    boolean wasEmpty = false;
    boolean opened = false;
    try {
      wasEmpty = locked.size() == 0;
      MvStorage<K, V> storage = new MvStorage<>(name, keys, values, layer.apply(locked), options);
      opened = true;
      return storage;
    } catch (IOException e) {
      throw new StorageException(
          name, "cannot read " + file + ": " + StorageException.reason(e), e, true);
    } finally {
      if (!opened) {
        abandon(locked, wasEmpty);
      }
    }
  }

  /** A file that could not be set up is left as empty as it was, so that it can be tried again. */
  private static void abandon(LockedFile locked, boolean wasEmpty) {
    try {
      if (wasEmpty) {
        locked.truncate(0);
      }
    } catch (IOException e) {
      System.getLogger("io.latchkey.storage")
          .log(System.Logger.Level.WARNING, "A file that could not be set up is not empty", e);
    } finally {
      locked.close();
    }
  }

  @Override
  public @Nullable V load(K key) throws StorageException {
    byte[] encoded = keys.encode(Objects.requireNonNull(key, "key"));
    byte[] bytes = read(engine -> engine.get(encoded));
    return bytes == null ? null : decode(bytes);
  }

  @Override
  public Revision<V> loadAt(K key, long at) throws StorageException {
    byte[] encoded = keys.encode(Objects.requireNonNull(key, "key"));
    checkRevision("at", at);
    Revision<byte[]> found = read(engine -> engine.revisions().at(encoded, at));
    if (found == null) {
      throw tooOld(at);
    }
    byte[] bytes = found.value();
    // The next one may be on its way and not committed yet.
    long next = found.nextSerial() > commits.head() ? Revision.NO_NEXT : found.nextSerial();
    return new Revision<>(bytes == null ? null : decode(bytes), found.serial(), next);
  }

  private SnapshotTooOldException tooOld(long revision) throws StorageException {
    Long oldest = read(engine -> engine.revisions().oldest());
    return new SnapshotTooOldException(name, revision, oldest == null ? 0 : oldest);
  }

  private void checkRevision(String what, long revision) throws StorageException {
    RevisionStorage.checkRevision(name, what, revision, head());
  }

  @Override
  public long head() throws StorageException {
    commits.engine();
    return commits.head();
  }

  @Override
  public Subscription commits(long from, CommitListener<K> listener) throws StorageException {
    Objects.requireNonNull(listener, "listener");
    checkRevision("from", from);
    return commits.feed().subscribe(from, new CommitDecoding<>(listener, keys));
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

  private static <K> List<K> decodeAll(Collection<? extends byte[]> encoded, Codec<K> keys) {
    List<K> decoded = new ArrayList<>(encoded.size());
    for (byte[] key : encoded) {
      decoded.add(keys.decode(key.clone()));
    }
    return decoded;
  }

  @Override
  public long commit(Map<K, Optional<V>> changes, long base) throws StorageException {
    Objects.requireNonNull(changes, "changes");
    List<Change.Entry> entries = new ArrayList<>(changes.size());
    List<K> changed = new ArrayList<>(changes.size());
    for (Map.Entry<K, Optional<V>> entry : changes.entrySet()) {
      K key = Objects.requireNonNull(entry.getKey(), "key");
      Optional<V> value = Objects.requireNonNull(entry.getValue(), "value");
      entries.add(
          new Change.Entry(
              keys.encode(key), value.isPresent() ? values.encode(value.get()) : null));
      changed.add(key);
    }
    checkRevision("base", base);
    Revisions.Applied applied = write(Change.commit(entries, base), changed);
    if (applied.baseForgotten()) {
      throw tooOld(base);
    }
    if (!applied.conflicts().isEmpty()) {
      throw new ConflictException(name, decodeAll(applied.conflicts(), keys), base);
    }
    // Without changes it was not told, and others may not be committed at the same time.
    return entries.isEmpty() ? commits.head() : applied.revision();
  }

  @Override
  public Map<K, V> loadAll(Set<? extends K> wanted) throws StorageException {
    Objects.requireNonNull(wanted, "keys");
    commits.engine();
    Map<K, V> found = new LinkedHashMap<>();
    for (K key : wanted) {
      V value = load(key);
      if (value != null) {
        found.put(key, value);
      }
    }
    return found;
  }

  private V decode(byte[] bytes) throws StorageException {
    try {
      // MVStore shares its arrays with its cache.
      return values.decode(bytes.clone());
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

  /**
   * Reads without locks. MVStore may reuse the space of a page while a slow reader is on its way to
   * it; the page's check values then tell, and the second try keeps the space from being reused.
   */
  private <T> @Nullable T read(Function<Engine, @Nullable T> reading) throws StorageException {
    boolean again = false;
    while (true) {
      Engine engine = commits.engine();
      try {
        T value = again ? engine.pinned(reading) : reading.apply(engine);
        if (commits.isCurrent(engine)) {
          return value;
        }
        // The file was opened anew meanwhile, and the pages read may be of both openings.
      } catch (RuntimeException | AssertionError e) {
        // With assertions enabled MVStore trips over a reused page by one of its own, too.
        if (engine.hasFailed()) {
          commits.awaitReplaced(engine);
        } else if (again) {
          throw unreadable(e);
        } else {
          again = true;
        }
      }
    }
  }

  private StorageException unreadable(Throwable e) {
    return e instanceof MVStoreException known
        ? Engine.failure(name, "read from", known)
        : new StorageException(name, "cannot read from " + name + ": " + e, e, false);
  }

  @Override
  public void store(K key, V value) throws StorageException {
    Change.Entry entry = entry(key, value);
    write(Change.write(List.of(entry)), List.of(key));
  }

  /**
   * {@inheritDoc}
   *
   * <p>All of them are stored, in one commit, or none.
   */
  @Override
  public void storeAll(Map<? extends K, ? extends V> entries) throws StorageException {
    Objects.requireNonNull(entries, "entries");
    List<Change.Entry> encoded = new ArrayList<>(entries.size());
    List<K> changed = new ArrayList<>(entries.size());
    for (Map.Entry<? extends K, ? extends V> entry : entries.entrySet()) {
      encoded.add(entry(entry.getKey(), entry.getValue()));
      changed.add(entry.getKey());
    }
    write(Change.write(encoded), changed);
  }

  private Change.Entry entry(K key, V value) {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(value, "value");
    return new Change.Entry(keys.encode(key), values.encode(value));
  }

  @Override
  public void delete(K key) throws StorageException {
    Objects.requireNonNull(key, "key");
    write(Change.write(List.of(new Change.Entry(keys.encode(key), null))), List.of(key));
  }

  private Revisions.Applied write(Change change, List<K> changed) throws StorageException {
    boolean refused = false;
    try {
      Revisions.Applied applied = commits.write(change);
      refused = change.keys().isEmpty();
      return applied;
    } finally {
      commits.feed().deliver();
      if (!refused) {
        // Also after a failure: a load may have seen the change before it was undone.
        feed.changed(changed);
      }
    }
  }

  /**
   * Deletes all objects, one by one in one commit; told as {@link FeedListener#changedAll}, and as
   * a commit of their keys.
   *
   * @throws StorageException if it failed; nothing is then deleted
   */
  public void clear() throws StorageException {
    try {
      commits.write(Change.clear());
    } finally {
      commits.feed().deliver();
      feed.changedAll();
    }
  }

  /**
   * The number of objects; known without looking at them.
   *
   * @return the number
   * @throws StorageException if the file cannot be read
   */
  public long size() throws StorageException {
    while (true) {
      Engine engine = commits.engine();
      try {
        return engine.size();
      } catch (RuntimeException e) {
        if (!engine.hasFailed()) {
          throw unreadable(e);
        }
        commits.awaitReplaced(engine);
      }
    }
  }

  @Override
  public Subscription watch(FeedListener<K> listener) throws StorageException {
    Objects.requireNonNull(listener, "listener");
    commits.engine();
    return feed.watch(listener);
  }

  /** Waits until so many writes are queued behind the commit that is under way; for tests. */
  void awaitQueued(int writes) {
    commits.awaitQueued(writes);
  }

  @Override
  public String name() {
    return name;
  }

  /**
   * Ends the storage: writes under way are finished, the file is compacted for a fraction of a
   * second, and given back to the disk whatever the options. Waits for all that, also when another
   * thread began it; an interrupt does not end the wait. Never throws: what was acknowledged is in
   * the file before.
   */
  @Override
  public void close() {
    commits.close();
    commits.feed().close();
    feed.close();
  }
}
