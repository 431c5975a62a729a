package io.latchkey.cache;

import io.latchkey.storage.ConflictException;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads at one revision, with changes on top that nobody else sees before they are committed, all
 * or none. Made by {@link SnapshotCache#begin} and by {@link SnapshotCache#transact}.
 *
 * <p>Changes are kept in memory until {@link #commit}, which fails if others have changed one of
 * the same keys since the revision that was read. What was only read is not compared: two
 * transactions that each read what the other one changes may both be committed. Where that matters,
 * put the object that was read as well.
 *
 * <p>Not thread-safe.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the objects
 */
public interface Transaction<K, V> extends Snapshot<K, V> {
  /**
   * {@inheritDoc}
   *
   * <p>What this transaction has put or removed itself is seen.
   */
  @Override
  @Nullable V get(K key);

  /**
   * {@inheritDoc}
   *
   * <p>What this transaction has put or removed itself is seen.
   */
  @Override
  Map<K, V> getAll(Collection<? extends K> keys);

  /**
   * Changes an object, for the time being in this transaction only.
   *
   * @param key the key
   * @param value the new object
   * @throws NullPointerException if one of them is null
   * @throws IllegalStateException if the transaction or its cache is closed
   */
  void put(K key, V value);

  /**
   * Deletes an object, for the time being in this transaction only.
   *
   * @param key the key
   * @throws NullPointerException if it is null
   * @throws IllegalStateException if the transaction or its cache is closed
   */
  void remove(K key);

  /**
   * Commits the changes and closes the transaction, also if that fails. Costs one call of the
   * storage, or none if nothing was changed.
   *
   * <p>The cache learns of the commit from the storage's feed, as of all others, so with a storage
   * elsewhere a snapshot that is opened right afterwards may not see it yet: {@link
   * SnapshotCache#awaitHead} waits until one does.
   *
   * @return the revision that was made; that which was read if nothing was changed
   * @throws ConflictException if others have changed one of the keys since; it names them, and
   *     nothing was changed
   * @throws CacheWriteException if the storage failed; the outcome is unknown unless the cause says
   *     more
   * @throws CacheInterruptedException if this thread was interrupted; the outcome is unknown
   * @throws IllegalStateException if the transaction or its cache is closed
   */
  long commit() throws ConflictException;

  /** Ends the transaction; changes that were not committed are dropped. Safe to call again. */
  @Override
  void close();
}
