package io.latchkey.storage.testkit;

import io.latchkey.storage.FeedListener;
import io.latchkey.storage.MemoryStorage;
import io.latchkey.storage.Storage;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.Subscription;
import io.latchkey.storage.WatchableStorage;
import io.latchkey.storage.WritableStorage;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * A storage that fails by script, and otherwise does what the storage below it does.
 *
 * <pre>{@code
 * FaultyStorage<String, String> storage = FaultyStorage.create();
 * storage.store("k", "v");
 * storage.loads().onCall(2, Fault.fail(new IOException("reset by peer")));
 * storage.load("k"); // the second one fails, the third one works again
 * }</pre>
 *
 * <p>There is a script for each kind of call: {@link #loads}, {@link #bulkLoads}, {@link #writes}
 * (stores, deletes, and storeAlls as one call each). The same script and the same order of calls
 * always give the same faults. The changes that are made through this storage are told by its own
 * feed, whose faults are scripted by {@link #feed}; a feed of the storage below is not watched.
 *
 * <p>Thread-safe. A storage without faults passes {@link StorageContract}.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the objects
 */
public final class FaultyStorage<K, V> implements WritableStorage<K, V>, WatchableStorage<K, V> {
  private final Storage<K, V> storage;
  private final FaultScript<K, V> loads = new FaultScript<>();
  private final FaultScript<K, Map<K, V>> bulkLoads = new FaultScript<>();
  private final FaultScript<K, Void> writes = new FaultScript<>();
  private final FaultyFeed<K> feed = new FaultyFeed<>();
  private volatile CountDownLatch hangs = new CountDownLatch(1);
  private volatile boolean closed;

  private FaultyStorage(Storage<K, V> storage) {
    this.storage = storage;
  }

  /**
   * Makes a storage over an empty one in memory.
   *
   * @param <K> the type of the keys
   * @param <V> the type of the objects
   * @return the storage
   */
  public static <K, V> FaultyStorage<K, V> create() {
    return over(MemoryStorage.create());
  }

  /**
   * Makes a storage over another one, for example a {@link GatedStorage}.
   *
   * @param storage answers what is not faulty; closed with this storage. If it cannot be written,
   *     writes throw an {@code UnsupportedOperationException}
   * @param <K> the type of the keys
   * @param <V> the type of the objects
   * @return the storage
   */
  public static <K, V> FaultyStorage<K, V> over(Storage<K, V> storage) {
    return new FaultyStorage<>(Objects.requireNonNull(storage, "storage"));
  }

  /**
   * The script for loads of single keys.
   *
   * @return the script, live
   */
  public FaultScript<K, V> loads() {
    return loads;
  }

  /**
   * The script for bulk loads; one bulk load is one call.
   *
   * @return the script, live
   */
  public FaultScript<K, Map<K, V>> bulkLoads() {
    return bulkLoads;
  }

  /**
   * The script for writes: stores, deletes, and storeAlls as one call each.
   *
   * @return the script, live
   */
  public FaultScript<K, Void> writes() {
    return writes;
  }

  /**
   * The feed, to be told by the test and to fail.
   *
   * @return the feed
   */
  public FaultyFeed<K> feed() {
    return feed;
  }

  /** Lets the calls that hang or are delayed go on; later ones hang again. */
  public void releaseHangs() {
    CountDownLatch released = hangs;
    hangs = new CountDownLatch(1);
    released.countDown();
  }

  @Override
  public @Nullable V load(K key) throws Exception {
    Objects.requireNonNull(key, "key");
    checkOpen();
    return loads.run(Set.of(key), () -> storage.load(key), hangs);
  }

  @Override
  @SuppressWarnings("NullAway") // a fault may return null, which the contract forbids
  public Map<K, V> loadAll(Set<? extends K> keys) throws Exception {
    Objects.requireNonNull(keys, "keys");
    checkOpen();
    return bulkLoads.run(keys, () -> storage.loadAll(keys), hangs);
  }

  @Override
  public void store(K key, V value) throws Exception {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(value, "value");
    write(
        Set.of(key),
        () -> {
          writable().store(key, value);
          return null;
        });
  }

  @Override
  public void storeAll(Map<? extends K, ? extends V> entries) throws Exception {
    Objects.requireNonNull(entries, "entries");
    write(
        entries.keySet(),
        () -> {
          writable().storeAll(entries);
          return null;
        });
  }

  @Override
  public void delete(K key) throws Exception {
    Objects.requireNonNull(key, "key");
    write(
        Set.of(key),
        () -> {
          writable().delete(key);
          return null;
        });
  }

  private void write(Set<? extends K> keys, Callable<@Nullable Void> effect) throws Exception {
    checkOpen();
    writes.run(
        keys,
        () -> {
          effect.call();
          if (!keys.isEmpty()) {
            feed.changed(keys);
          }
          return null;
        },
        hangs);
  }

  private WritableStorage<K, V> writable() {
    if (storage instanceof WritableStorage<K, V> writable) {
      return writable;
    }
    throw new UnsupportedOperationException(storage.name() + " cannot be written");
  }

  @Override
  public Subscription watch(FeedListener<K> listener) throws Exception {
    Objects.requireNonNull(listener, "listener");
    checkOpen();
    return feed.watch(listener);
  }

  private void checkOpen() throws StorageException {
    if (closed) {
      throw new StorageException(name(), name() + " is closed", null, false);
    }
  }

  @Override
  public String name() {
    return "faulty " + storage.name();
  }

  /** Ends the hangs and the feed, and closes the storage below. */
  @Override
  public void close() {
    closed = true;
    releaseHangs();
    feed.close();
    storage.close();
  }
}
