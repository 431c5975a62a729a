package io.latchkey.storage;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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
 * is told the changes of all. {@link #storeAll} is not atomic: a load may see some of the objects
 * before the others; it is told as one event.
 *
 * <p>Thread-safe. Operations do not block, except that a write waits for the listeners of the feed;
 * a call costs a look-up in a hash table and, when opened by URL, the coding. After {@link #close}
 * they fail with a {@link StorageException}.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the objects
 */
public final class MemoryStorage<K, V> implements WritableStorage<K, V>, WatchableStorage<K, V> {
  private final String name;
  private final Contents contents;
  private final Form<K> keys;
  private final Form<V> values;
  private final Runnable release;
  private final Set<Subscription> subscriptions = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /** What is kept, and who watches it; the keys and values in their kept form. */
  static final class Contents {
    final Map<Object, Object> objects = new ConcurrentHashMap<>();
    final LocalFeed<Object> feed = new LocalFeed<>();
  }

  /** How keys or objects are kept. */
  private record Form<T>(Function<T, Object> kept, Function<Object, T> given) {}

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
      String name, Contents contents, Form<K> keys, Form<V> values, Runnable release) {
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
    Contents contents = new Contents();
    return new MemoryStorage<>("memory", contents, asItIs(), asItIs(), contents.feed::close);
  }

  @SuppressWarnings("unchecked")
  private static <T> Form<T> asItIs() {
    return new Form<>(object -> (Object) object, object -> (T) object);
  }

  /** Makes a storage over contents that may be shared. */
  static <K, V> MemoryStorage<K, V> encoded(
      String name, Contents contents, Codec<K> keys, Codec<V> values, Runnable release) {
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
    Object object = contents.objects.get(kept);
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
  public void store(K key, V value) throws StorageException {
    Object keptKey = keys.kept().apply(Objects.requireNonNull(key, "key"));
    Object keptValue = values.kept().apply(Objects.requireNonNull(value, "value"));
    checkOpen();
    contents.objects.put(keptKey, keptValue);
    contents.feed.changed(List.of(keptKey));
  }

  @Override
  public void storeAll(Map<? extends K, ? extends V> entries) throws StorageException {
    Objects.requireNonNull(entries, "entries");
    // All of it is encoded first, so that a bad entry stores nothing.
    Map<Object, Object> kept = new LinkedHashMap<>();
    for (Map.Entry<? extends K, ? extends V> entry : entries.entrySet()) {
      kept.put(
          keys.kept().apply(Objects.requireNonNull(entry.getKey(), "key")),
          values.kept().apply(Objects.requireNonNull(entry.getValue(), "value")));
    }
    checkOpen();
    contents.objects.putAll(kept);
    contents.feed.changed(kept.keySet());
  }

  @Override
  public void delete(K key) throws StorageException {
    Object kept = keys.kept().apply(Objects.requireNonNull(key, "key"));
    checkOpen();
    contents.objects.remove(kept);
    contents.feed.changed(List.of(kept));
  }

  /**
   * Deletes all objects; told as {@link FeedListener#changedAll}.
   *
   * @throws StorageException if the storage is closed
   */
  public void clear() throws StorageException {
    checkOpen();
    contents.objects.clear();
    contents.feed.changedAll();
  }

  /**
   * The number of objects.
   *
   * @return the number; an estimate while others write
   * @throws StorageException if the storage is closed
   */
  public long size() throws StorageException {
    checkOpen();
    return contents.objects.size();
  }

  @Override
  public Subscription watch(FeedListener<K> listener) throws StorageException {
    Objects.requireNonNull(listener, "listener");
    checkOpen();
    Subscription subscription;
    try {
      subscription = contents.feed.watch(new Decoding<>(listener, keys));
    } catch (IllegalStateException e) {
      checkOpen();
      throw e;
    }
    subscriptions.add(subscription);
    if (closed) {
      endSubscriptions();
    }
    return () -> {
      subscriptions.remove(subscription);
      subscription.close();
    };
  }

  private void endSubscriptions() {
    for (Subscription subscription : subscriptions) {
      contents.feed.end(subscription, name + " was closed");
    }
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
      List<K> decoded = new ArrayList<>(kept.size());
      for (Object key : kept) {
        decoded.add(form.given().apply(key));
      }
      listener.changed(epoch, sequence, decoded);
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
}
