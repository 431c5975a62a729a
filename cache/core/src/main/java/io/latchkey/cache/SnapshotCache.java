package io.latchkey.cache;

import io.latchkey.storage.Codec;
import io.latchkey.storage.ConflictException;
import io.latchkey.storage.RevisionStorage;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A cache of objects at many revisions: it answers "the object as of revision {@code at}", from
 * memory where it can, over a storage that numbers its commits.
 *
 * <pre>{@code
 * try (SnapshotCache<String, String> accounts =
 *         SnapshotCache.over("memory:", Codec.utf8(), Codec.utf8()).maximumSize(100_000).build();
 *     Snapshot<String, String> now = accounts.snapshot()) {
 *   now.get("alice"); // these two are of one revision, whatever is committed between them
 *   now.get("bob");
 * }
 * }</pre>
 *
 * <p><b>Ranges.</b> Each cached revision of an object, or of its absence, answers for all revisions
 * from the commit that wrote it to the last one before the next change. The newest one of each
 * object is current until the storage tells that it was changed: the cache listens to all commits,
 * so that a commit costs time in proportion to the keys that it changed, however much is cached.
 * Old and new revisions count alike for the bound, and leave as the policy chooses.
 *
 * <p><b>Head.</b> The cache has been told of all commits up to its {@link #head}; a snapshot opened
 * now reads there. While the connection to the storage is lost, the head stays where it is and
 * reads at it stay right; once it is back, the head moves on, and only what was current before the
 * gap is loaded anew.
 *
 * <p><b>Loads</b> are shared as in a {@link Cache}: one load for all that want a key as of a
 * revision, or as of another one for which its answer is good, too. Failures are not cached, and
 * each caller gets an exception of its own.
 *
 * <p>Thread-safe. Keys must not change; {@code equals} and {@code hashCode} of keys run under locks
 * and must be quick. The storage is called without any lock held.
 *
 * <p>Cost: a hit takes no lock and allocates nothing; the current revision is looked at first,
 * older ones are searched by halves. A cached revision takes about 90 bytes, and each key that has
 * some 50 more, objects not counted.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the objects
 */
public interface SnapshotCache<K, V> extends AutoCloseable {
  /**
   * Begins to build a cache over a storage, which the caller closes.
   *
   * @param storage the storage
   * @param <K> the type of the keys
   * @param <V> the type of the objects
   * @return a builder
   * @throws NullPointerException if the storage is null
   */
  static <K, V> SnapshotCacheBuilder<K, V> over(RevisionStorage<K, V> storage) {
    return SnapshotCacheBuilder.over(storage);
  }

  /**
   * Begins to build a cache over the storage of a URL, which is opened by {@link
   * SnapshotCacheBuilder#build} and closed with the cache. The storage has to be one of revisions,
   * as those of {@code memory:} and {@code mvstore:} are.
   *
   * @param url the URL
   * @param keys how keys are stored
   * @param values how objects are stored
   * @param <K> the type of the keys
   * @param <V> the type of the objects
   * @return a builder
   * @throws NullPointerException if an argument is null
   */
  static <K, V> SnapshotCacheBuilder<K, V> over(String url, Codec<K> keys, Codec<V> values) {
    return SnapshotCacheBuilder.over(url, keys, values);
  }

  /**
   * The object of a key as of a revision. A miss loads it on this thread, or waits for a load that
   * is under way.
   *
   * @param key the key
   * @param at the revision; one above the head is asked of the storage
   * @return the object, or null if there was none
   * @throws NullPointerException if the key is null
   * @throws IllegalArgumentException if the revision is negative
   * @throws CacheLoadException if the load failed; the cause is what the storage threw: a {@link
   *     io.latchkey.storage.SnapshotTooOldException} if it has forgotten that revision, a {@link
   *     io.latchkey.storage.StorageException} that is retryable if it does not have it yet
   * @throws StorageInconsistencyException if the storage contradicts what it told before
   * @throws CacheTimeoutException if the load took longer than {@code loadTimeout}
   * @throws CacheInterruptedException if this thread was interrupted; its flag stays set
   * @throws RecursiveLoadException if this is called from inside a load that it would wait for
   * @throws IllegalStateException if the cache is closed
   */
  @Nullable V get(K key, long at);

  /**
   * The same with a limit for the wait. The load then runs on the executor and goes on when the
   * time is up.
   *
   * @param key the key
   * @param at the revision
   * @param timeout how long to wait at most, zero or more
   * @return the object, or null if there was none
   * @throws NullPointerException if an argument is null
   * @throws IllegalArgumentException if the revision or the time is negative
   * @throws CacheTimeoutException if the time is up
   * @throws CacheException as {@link #get(Object, long)}
   * @throws IllegalStateException if the cache is closed
   */
  @Nullable V get(K key, long at, Duration timeout);

  /**
   * The object of a key as of a revision, without a thread that waits. Loads run on the executor,
   * which also completes the future; what is cached comes in a completed one.
   *
   * @param key the key
   * @param at the revision
   * @return a future of the object, or of null if there was none; it fails with what {@link
   *     #get(Object, long)} throws. Cancelling it affects nobody else
   * @throws NullPointerException if the key is null
   * @throws IllegalArgumentException if the revision is negative
   * @throws IllegalStateException if the cache is closed
   */
  CompletableFuture<@Nullable V> getAsync(K key, long at);

  /**
   * The objects of several keys as of one revision. What is not cached and not under way is loaded
   * together, in one call if the storage has a {@code loadAllAt} of its own.
   *
   * @param keys the keys; repeated ones count once
   * @param at the revision
   * @return the objects by their keys, in the order of the keys, without those that were absent;
   *     not modifiable
   * @throws NullPointerException if the collection or a key is null
   * @throws IllegalArgumentException if the revision is negative
   * @throws CacheException as {@link #get(Object, long)}, if any of them could not be read
   * @throws IllegalStateException if the cache is closed
   */
  Map<K, V> getAll(Collection<? extends K> keys, long at);

  /**
   * Starts to load what is not cached of these keys as of a revision, on the executor, and does not
   * wait for it. Look-ups that come meanwhile join these loads. Failures reach nobody, and are
   * counted in {@link #stats}.
   *
   * @param keys the keys
   * @param at the revision
   * @throws NullPointerException if the collection or a key is null
   * @throws IllegalArgumentException if the revision is negative
   * @throws IllegalStateException if the cache is closed
   */
  void prefetch(Collection<? extends K> keys, long at);

  /**
   * The newest revision of which the cache knows all that led to it. It never goes back, unless the
   * storage itself was set back. Costs no call of the storage.
   *
   * @return the revision
   * @throws IllegalStateException if the cache is closed
   */
  long head();

  /**
   * Waits until the head is at least a revision, for example that of an own commit, so that the
   * next {@link #snapshot} sees it.
   *
   * @param revision the revision
   * @param timeout how long to wait at most, zero or more
   * @throws NullPointerException if the time is null
   * @throws IllegalArgumentException if the revision or the time is negative
   * @throws CacheTimeoutException if the time is up; the message says if the feed is lost
   * @throws CacheInterruptedException if this thread was interrupted; its flag stays set
   * @throws IllegalStateException if the cache is closed, also while waiting
   */
  void awaitHead(long revision, Duration timeout);

  /**
   * A snapshot at the {@link #head}.
   *
   * @return the snapshot, to be closed
   * @throws IllegalStateException if the cache is closed
   */
  Snapshot<K, V> snapshot();

  /**
   * A snapshot at any revision, also one above the head, of which nothing is current in the cache
   * yet. Whether the storage has that revision shows when it is read.
   *
   * @param revision the revision
   * @return the snapshot, to be closed
   * @throws IllegalArgumentException if the revision is negative
   * @throws IllegalStateException if the cache is closed
   */
  Snapshot<K, V> snapshotAt(long revision);

  /**
   * A transaction that reads at the {@link #head}.
   *
   * @return the transaction, to be committed or closed
   * @throws IllegalStateException if the cache is closed
   */
  Transaction<K, V> begin();

  /**
   * Does some work in a transaction and commits it; in case of a conflict, does it again in a new
   * one at the storage's head, after a short pause. It is also done again if the storage has
   * forgotten the revision meanwhile.
   *
   * <p>If the work throws, nothing is committed, and what it threw goes to the caller.
   *
   * @param attempts how often to do it at most, 1 or more
   * @param work reads and changes the transaction that it is given; may run several times
   * @return the revision that was made, or that was read if nothing was changed
   * @throws NullPointerException if the work is null
   * @throws IllegalArgumentException if there is to be less than one attempt
   * @throws ConflictException if the last attempt met a conflict, too; nothing was changed
   * @throws CacheException as {@link Transaction#commit}
   * @throws IllegalStateException if the cache is closed, or the work has closed the transaction
   */
  long transact(int attempts, Consumer<? super Transaction<K, V>> work) throws ConflictException;

  /**
   * How many revisions are cached, absences included and loads under way not.
   *
   * @return the number, exact when nothing is under way
   * @throws IllegalStateException if the cache is closed
   */
  long estimatedSize();

  /**
   * What the cache has counted: as in a {@link Cache}, each load of a revision is a load. Works
   * after {@link #close}, too.
   *
   * @return the counts as they are now
   */
  CacheStats stats();

  /**
   * Works off what is due, so that the bound holds exactly when nothing is under way.
   *
   * @throws IllegalStateException if the cache is closed
   */
  void cleanUp();

  /**
   * Stops listening to the storage and drops everything. Waiting callers get an {@link
   * IllegalStateException}; loads that end later are not kept. Closes the storage if it was given
   * by its URL. Safe to call again.
   */
  @Override
  void close();
}
