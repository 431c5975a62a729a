package io.latchkey.storage;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A storage in the memory of this process.
 *
 * <ul>
 *   <li>{@code memory:} opens a fresh, empty storage of its own each time.
 *   <li>{@code memory:NAME} opens the storage of that name, shared by all who have it open; when
 *       the last one closes it, its objects are gone.
 *   <li>{@link #create} makes one that keeps the very objects, without codecs, handy in tests.
 * </ul>
 *
 * <p>Opened by URL it keeps the encoded bytes, as a database would: what is loaded is never the
 * object that was stored, keys are equal when their bytes are, and several users of one name may
 * decode the bytes as different types. It can be written and watched; each user of a shared storage
 * is told the changes of all.
 *
 * <p>Each write is a commit: a store, delete, {@link #storeAll}, {@link #clear} or {@link #commit};
 * all of it can be seen, or nothing. What the last 10,000 commits replaced is kept, so that the
 * revisions before them can be read; {@code memory:?history=1000} keeps that of as many as it says,
 * and {@code history=0} only the head.
 *
 * <p>Thread-safe. Reading never waits; a write waits for other writes and for the listeners of the
 * feeds. A call costs a look-up in a hash table and, when opened by URL, the coding; reading at an
 * old revision also a step for each later change of that object. After {@link #close} calls fail
 * with a {@link StorageException}.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the objects
 */
public final class MemoryStorage<K, V>
    implements WritableStorage<K, V>, WatchableStorage<K, V>, RevisionStorage<K, V> {
  private final String name;
  private final MemoryRevisions contents;
  private final Form<K> keys;
  private final Form<V> values;
  private final Runnable release;

  /** What ends the subscriptions of this user, by the subscriptions. */
  private final Map<Subscription, Runnable> subscriptions = new ConcurrentHashMap<>();

  private volatile boolean closed;

  /** How keys or objects are kept. */
  private record Form<T>(Function<T, Object> kept, Function<Object, T> given) {
    List<T> allGiven(Collection<?> objects) {
      List<T> all = new ArrayList<>(objects.size());
      for (Object object : objects) {
        all.add(given.apply(object));
      }
      return all;
    }
  }

  /** Bytes with equality by content. */
  private static final class Bytes {
    final byte[] array;

    Bytes(byte[] array) {
      this.array = array;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Bytes that && Arrays.equals(array, that.array);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(array);
    }
  }

  private MemoryStorage(
      String name, MemoryRevisions contents, Form<K> keys, Form<V> values, Runnable release) {
    this.name = name;
    this.contents = contents;
    this.keys = keys;
    this.values = values;
    this.release = release;
  }

  /**
   * Makes an empty storage that keeps the very keys and objects that it is given, without codecs.
   *
   * @param <K> the type of the keys, with {@code equals} and {@code hashCode}
   * @param <V> the type of the objects
   * @return the storage
   */
  public static <K, V> MemoryStorage<K, V> create() {
    return create(MemoryRevisions.HISTORY);
  }

  /**
   * Makes an empty storage as {@link #create()} does, with another length of its history.
   *
   * @param history after how many of the last commits the storage can be read, not counting the
   *     head; not negative
   * @param <K> the type of the keys, with {@code equals} and {@code hashCode}
   * @param <V> the type of the objects
   * @return the storage
   * @throws IllegalArgumentException if the history is negative
   */
  public static <K, V> MemoryStorage<K, V> create(int history) {
    if (history < 0) {
      throw new IllegalArgumentException("history is " + history + ": give 0 commits or more");
    }
    MemoryRevisions contents = new MemoryRevisions(history);
    return new MemoryStorage<>("memory", contents, asItIs(), asItIs(), contents::close);
  }

  @SuppressWarnings("unchecked")
  private static <T> Form<T> asItIs() {
    return new Form<>(object -> (Object) object, object -> (T) object);
  }

  /** Makes a storage over contents that may be shared. */
  static <K, V> MemoryStorage<K, V> encoded(
      String name, MemoryRevisions contents, Codec<K> keys, Codec<V> values, Runnable release) {
    // The arrays of keys are copied where a decoder could keep and change them.
    return new MemoryStorage<>(
        name,
        contents,
        new Form<>(
            key -> new Bytes(keys.encode(key)), kept -> keys.decode(((Bytes) kept).array.clone())),
        new Form<>(values::encode, kept -> values.decode(((byte[]) kept).clone())),
        release);
  }

  @Override
  public @Nullable V load(K key) throws StorageException {
    Object kept = keys.kept().apply(Objects.requireNonNull(key, "key"));
    checkOpen();
    Object object = contents.current(kept);
    return object == null ? null : values.given().apply(object);
  }

  @Override
  public Map<K, V> loadAll(Set<? extends K> wanted) throws StorageException {
    Objects.requireNonNull(wanted, "keys");
    checkOpen();
    Map<K, V> found = new LinkedHashMap<>();
    for (K key : wanted) {
      V value = load(key);
      if (value != null) {
        found.put(key, value);
      }
    }
    return found;
  }

  @Override
  public Revision<V> loadAt(K key, long at) throws StorageException {
    Object kept = keys.kept().apply(Objects.requireNonNull(key, "key"));
    checkOpen();
    checkRevision("at", at);
    Revision<Object> found = contents.at(kept, at);
    if (found == null) {
      throw new SnapshotTooOldException(name, at, contents.oldest());
    }
    Object object = found.value();
    return new Revision<>(
        object == null ? null : values.given().apply(object), found.serial(), found.nextSerial());
  }

  private void checkRevision(String what, long revision) throws StorageException {
    RevisionStorage.checkRevision(name, what, revision, contents.head());
  }

  @Override
  public long head() throws StorageException {
    checkOpen();
    return contents.head();
  }

  @Override
  public void store(K key, V value) throws StorageException {
    Object keptKey = keys.kept().apply(Objects.requireNonNull(key, "key"));
    Object keptValue = values.kept().apply(Objects.requireNonNull(value, "value"));
    checkOpen();
    contents.commit(Collections.singletonMap(keptKey, keptValue), MemoryRevisions.BLIND);
  }

  @Override
  public void storeAll(Map<? extends K, ? extends V> entries) throws StorageException {
    Objects.requireNonNull(entries, "entries");
    // All of it is encoded first, so that a bad entry stores nothing.
    Map<Object, @Nullable Object> kept = new LinkedHashMap<>();
    for (Map.Entry<? extends K, ? extends V> entry : entries.entrySet()) {
      kept.put(
          keys.kept().apply(Objects.requireNonNull(entry.getKey(), "key")),
          values.kept().apply(Objects.requireNonNull(entry.getValue(), "value")));
    }
    checkOpen();
    contents.commit(kept, MemoryRevisions.BLIND);
  }

  @Override
  public void delete(K key) throws StorageException {
    Object kept = keys.kept().apply(Objects.requireNonNull(key, "key"));
    checkOpen();
    contents.commit(Collections.singletonMap(kept, null), MemoryRevisions.BLIND);
  }

  @Override
  public long commit(Map<K, Optional<V>> changes, long base) throws StorageException {
    Objects.requireNonNull(changes, "changes");
    Map<Object, @Nullable Object> kept = new LinkedHashMap<>();
    for (Map.Entry<K, Optional<V>> entry : changes.entrySet()) {
      Object key = keys.kept().apply(Objects.requireNonNull(entry.getKey(), "key"));
      Optional<V> value = Objects.requireNonNull(entry.getValue(), "value");
      kept.put(key, value.isPresent() ? values.kept().apply(value.get()) : null);
    }
    checkOpen();
    checkRevision("base", base);
    MemoryRevisions.Outcome outcome = contents.commit(kept, base);
    if (outcome == null) {
      throw new SnapshotTooOldException(name, base, contents.oldest());
    }
    if (!outcome.conflicts().isEmpty()) {
      throw new ConflictException(name, keys.allGiven(outcome.conflicts()), base);
    }
    return outcome.revision();
  }

  /**
   * Deletes all objects; told as {@link FeedListener#changedAll}, and as a commit of their keys.
   *
   * @throws StorageException if the storage is closed
   */
  public void clear() throws StorageException {
    checkOpen();
    contents.clear();
  }

  /**
   * The number of objects.
   *
   * @return the number; an estimate while others write
   * @throws StorageException if the storage is closed
   */
  public long size() throws StorageException {
    checkOpen();
    return contents.size();
  }

  /** Subscribes to one of the feeds; both refuse when they are closed. */
  private interface Subscribing {
    Subscription subscribe();
  }

  @Override
  public Subscription watch(FeedListener<K> listener) throws StorageException {
    Objects.requireNonNull(listener, "listener");
    LocalFeed<Object> feed = contents.changes();
    return subscribe(() -> feed.watch(new Decoding<>(listener, keys)), feed::end);
  }

  @Override
  public Subscription commits(long from, CommitListener<K> listener) throws StorageException {
    Objects.requireNonNull(listener, "listener");
    checkOpen();
    checkRevision("from", from);
    CommitFeed<Object> feed = contents.commits();
    return subscribe(() -> feed.subscribe(from, new CommitDecoding<>(listener, keys)), feed::end);
  }

  private Subscription subscribe(Subscribing feed, BiConsumer<Subscription, String> end)
      throws StorageException {
    checkOpen();
    Subscription subscription;
    try {
      subscription = feed.subscribe();
    } catch (IllegalStateException e) {
      checkOpen();
      throw e;
    }
    subscriptions.put(subscription, () -> end.accept(subscription, name + " was closed"));
    if (closed) {
      endSubscriptions();
    }
    return () -> {
      subscriptions.remove(subscription);
      subscription.close();
    };
  }

  private void endSubscriptions() {
    subscriptions.values().forEach(Runnable::run);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    endSubscriptions();
    release.run();
  }

  private void checkOpen() throws StorageException {
    if (closed) {
      throw closedFailure();
    }
  }

  private StorageException closedFailure() {
    return new StorageException(name, name + " is closed: open it again", null, false);
  }

  /** Gives the listener its own type of keys. */
  private record Decoding<K>(FeedListener<K> listener, Form<K> form)
      implements FeedListener<Object> {
    @Override
    public void changed(long epoch, long sequence, Collection<?> kept) {
      listener.changed(epoch, sequence, form.allGiven(kept));
    }

    @Override
    public void changedAll(long epoch, long sequence) {
      listener.changedAll(epoch, sequence);
    }

    @Override
    public void lost(String reason) {
      listener.lost(reason);
    }

    @Override
    public void whole(long epoch, long sequence) {
      listener.whole(epoch, sequence);
    }
  }

  /** Gives the listener its own type of keys. */
  private record CommitDecoding<K>(CommitListener<K> listener, Form<K> form)
      implements CommitListener<Object> {
    @Override
    public void committed(long epoch, long revision, Collection<?> kept) {
      listener.committed(epoch, revision, form.allGiven(kept));
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
}
