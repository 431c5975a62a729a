package io.latchkey.storage.testkit;

import io.latchkey.storage.CommitListener;
import io.latchkey.storage.MemoryStorage;
import io.latchkey.storage.Revision;
import io.latchkey.storage.RevisionStorage;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.Subscription;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * A storage of revisions that fails by script, and otherwise does what the storage below it does.
 *
 * <pre>{@code
 * FaultyRevisionStorage<String, String> storage = FaultyRevisionStorage.create();
 * storage.feed().hold();
 * storage.commit(Map.of("k", Optional.of("v")), storage.head()); // nobody is told yet
 * storage.feed().release();
 * }</pre>
 *
 * <p>There is a script for each kind of call, {@link #loads} and {@link #writes}, as in {@link
 * FaultyStorage}; {@link #feed} delays, splits, drops and reconnects the feed of commits. Commits
 * that are made in the storage below, by whomever, go through this feed, too.
 *
 * <p>Thread-safe. A storage without faults passes {@link RevisionContract}.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the objects
 */
public final class FaultyRevisionStorage<K, V> implements RevisionStorage<K, V> {
  private final RevisionStorage<K, V> storage;
  private final FaultScript<K, Revision<V>> loads = new FaultScript<>();
  private final FaultScript<K, Long> writes = new FaultScript<>();
  private final FaultyCommitFeed<K> feed;
  private volatile CountDownLatch hangs = new CountDownLatch(1);
  private volatile boolean closed;

  private FaultyRevisionStorage(RevisionStorage<K, V> storage) {
    this.storage = storage;
    this.feed = new FaultyCommitFeed<>(storage);
  }

  /**
   * Makes a storage over an empty one in memory.
   *
   * @param <K> the type of the keys
   * @param <V> the type of the objects
   * @return the storage
   */
  public static <K, V> FaultyRevisionStorage<K, V> create() {
    return over(MemoryStorage.create());
  }

  /**
   * Makes a storage over another one.
   *
   * @param storage answers what is not faulty; closed with this storage
   * @param <K> the type of the keys
   * @param <V> the type of the objects
   * @return the storage
   */
  public static <K, V> FaultyRevisionStorage<K, V> over(RevisionStorage<K, V> storage) {
    return new FaultyRevisionStorage<>(Objects.requireNonNull(storage, "storage"));
  }

  /**
   * The script for loads as of a revision, of the head too; a bulk load is one for each key.
   *
   * @return the script, live
   */
  public FaultScript<K, Revision<V>> loads() {
    return loads;
  }

  /**
   * The script for commits.
   *
   * @return the script, live
   */
  public FaultScript<K, Long> writes() {
    return writes;
  }

  /**
   * The feed, to be delayed and broken.
   *
   * @return the feed
   */
  public FaultyCommitFeed<K> feed() {
    return feed;
  }

  /** Lets the calls that hang or are delayed go on; later ones hang again. */
  public void releaseHangs() {
    CountDownLatch released = hangs;
    hangs = new CountDownLatch(1);
    released.countDown();
  }

  @Override
  @SuppressWarnings("NullAway") // a fault may return null, which the contract forbids
  public Revision<V> loadAt(K key, long at) throws Exception {
    Objects.requireNonNull(key, "key");
    checkOpen();
    return loads.run(Set.of(key), () -> storage.loadAt(key, at), hangs);
  }

  @Override
  public Map<K, Revision<V>> loadAllAt(Set<? extends K> keys, long at) throws Exception {
    checkOpen();
    return RevisionStorage.super.loadAllAt(keys, at);
  }

  @Override
  public long head() throws Exception {
    checkOpen();
    return storage.head();
  }

  @Override
  public Subscription commits(long from, CommitListener<K> listener) throws Exception {
    Objects.requireNonNull(listener, "listener");
    checkOpen();
    return feed.subscribe(from, listener);
  }

  /**
   * {@inheritDoc}
   *
   * <p>A script that returns null in place of a revision makes it a {@code NullPointerException}.
   */
  @Override
  public long commit(Map<K, Optional<V>> changes, long base) throws Exception {
    Objects.requireNonNull(changes, "changes");
    checkOpen();
    @Nullable Long made = writes.run(changes.keySet(), () -> storage.commit(changes, base), hangs);
    return Objects.requireNonNull(made, "the revision that the script returns");
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

  /** Ends the hangs, and closes the storage below, which ends the feed. */
  @Override
  public void close() {
    closed = true;
    releaseHangs();
    storage.close();
  }
}
