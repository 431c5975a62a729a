package io.latchkey.cache;

import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads of any number of objects as of one revision, whatever is committed meanwhile: no mix of two
 * commits, ever. Made by {@link SnapshotCache#snapshot()}.
 *
 * <p>It is nothing but the number of a revision, so that it costs nothing to keep one open; it also
 * keeps the storage from nothing. When the storage has forgotten the revision, what is not cached
 * of it cannot be read any more: a look-up then throws a {@link CacheLoadException} whose cause is
 * a {@link io.latchkey.storage.SnapshotTooOldException}.
 *
 * <p>Look-ups, failures, interruption and cost are as those of {@link SnapshotCache#get}. When the
 * storage was set back, so that it gives numbers of revisions a second time, reads of a snapshot
 * from before throw a {@code CacheLoadException} that says so. Thread-safe, unless it is a {@link
 * Transaction}.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the objects
 */
public interface Snapshot<K, V> extends AutoCloseable {
  /**
   * The object of a key as of this revision.
   *
   * @param key the key
   * @return the object, or null if there was none
   * @throws NullPointerException if the key is null
   * @throws CacheException as {@link SnapshotCache#get}
   * @throws IllegalStateException if the snapshot or its cache is closed
   */
  @Nullable V get(K key);

  /**
   * The objects of several keys as of this revision. What is not cached is loaded together, if the
   * storage can do that.
   *
   * @param keys the keys; repeated ones count once
   * @return the objects by their keys, in the order of the keys, without those that were absent;
   *     not modifiable
   * @throws NullPointerException if the collection or a key is null
   * @throws CacheException as {@link SnapshotCache#get}, if any of them could not be read
   * @throws IllegalStateException if the snapshot or its cache is closed
   */
  Map<K, V> getAll(Collection<? extends K> keys);

  /**
   * Starts to load what is not cached of these keys as of this revision, and does not wait for it.
   * See {@link SnapshotCache#prefetch}.
   *
   * @param keys the keys
   * @throws NullPointerException if the collection or a key is null
   * @throws IllegalStateException if the snapshot or its cache is closed
   */
  void prefetch(Collection<? extends K> keys);

  /**
   * The revision that is read.
   *
   * @return the revision
   */
  long at();

  /** Ends the snapshot; reads throw from then on. Safe to call again; does not wait for reads. */
  @Override
  void close();
}
