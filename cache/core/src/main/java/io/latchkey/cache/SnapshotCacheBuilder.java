package io.latchkey.cache;

import io.latchkey.cache.internal.Settings;
import io.latchkey.cache.internal.SnapshotParts;
import io.latchkey.storage.Codec;
import io.latchkey.storage.RevisionStorage;
import io.latchkey.storage.Storage;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.Storages;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Builds a {@link SnapshotCache}; begun by {@link SnapshotCache#over(RevisionStorage)}. Every
 * option is optional: without any, the cache is unbounded and has its own executor. A revision
 * never changes, so there is no expiry; what is too much leaves by the bound.
 *
 * <p>A later call of an option replaces an earlier one. Not thread-safe. May build several caches,
 * over one storage if that was passed in.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the objects
 */
public final class SnapshotCacheBuilder<K, V> {
  private interface Source<K, V> {
    RevisionStorage<K, V> open() throws StorageException;
  }

  private final Source<K, V> source;
  private final boolean ownsStorage;
  private String name = "snapshots";
  private long maximumSize = Settings.NONE;
  private long maximumWeight = Settings.NONE;
  private @Nullable Weigher<? super K, ? super V> weigher;
  private long loadTimeout = Settings.NONE;
  private @Nullable Executor executor;
  private boolean recordStats;

  private SnapshotCacheBuilder(Source<K, V> source, boolean ownsStorage) {
    this.source = source;
    this.ownsStorage = ownsStorage;
  }

  static <K, V> SnapshotCacheBuilder<K, V> over(RevisionStorage<K, V> storage) {
    Objects.requireNonNull(storage, "storage");
    return new SnapshotCacheBuilder<>(() -> storage, false);
  }

  static <K, V> SnapshotCacheBuilder<K, V> over(String url, Codec<K> keys, Codec<V> values) {
    Objects.requireNonNull(url, "url");
    Objects.requireNonNull(keys, "keys");
    Objects.requireNonNull(values, "values");
    return new SnapshotCacheBuilder<>(() -> open(url, keys, values), true);
  }

  private static <K, V> RevisionStorage<K, V> open(String url, Codec<K> keys, Codec<V> values)
      throws StorageException {
    Storage<K, V> storage = Storages.open(url, keys, values);
    if (storage instanceof RevisionStorage<K, V> revisions) {
      return revisions;
    }
    String storageName = storage.name();
    storage.close();
    throw new StorageException(
        storageName,
        storageName + " does not number its commits: use one that does, or a Cache",
        null,
        false);
  }

  /**
   * Bounds the number of cached revisions, old and new ones and absences alike; unbounded unless
   * told. While many threads load, the cache may be over the bound by up to 128 for a moment.
   *
   * @param maximum the bound, zero or more; with zero nothing is kept, and loads are still shared
   * @return this builder
   * @throws IllegalArgumentException if it is negative
   */
  public SnapshotCacheBuilder<K, V> maximumSize(long maximum) {
    maximumSize = CacheBuilder.notNegative("maximumSize", maximum);
    return this;
  }

  /**
   * Bounds the sum of the weights of all cached revisions; goes with {@link #weigher} and excludes
   * {@link #maximumSize}. An absence weighs 1. An object that alone is heavier goes to its callers
   * and is not kept.
   *
   * @param maximum the bound in units of the weigher, zero or more; with zero nothing is kept
   * @return this builder
   * @throws IllegalArgumentException if it is negative
   */
  public SnapshotCacheBuilder<K, V> maximumWeight(long maximum) {
    maximumWeight = CacheBuilder.notNegative("maximumWeight", maximum);
    return this;
  }

  /**
   * Tells the weight of objects, for {@link #maximumWeight}, when they were loaded.
   *
   * @param weigher the function
   * @return this builder
   * @throws NullPointerException if it is null
   */
  public SnapshotCacheBuilder<K, V> weigher(Weigher<? super K, ? super V> weigher) {
    this.weigher = Objects.requireNonNull(weigher, "weigher");
    return this;
  }

  /**
   * Nobody waits longer than this for a load; for ever unless told. As {@link
   * CacheBuilder#loadTimeout}.
   *
   * @param timeout how long, zero or more; zero leaves a load no time
   * @return this builder
   * @throws NullPointerException if it is null
   * @throws IllegalArgumentException if it is negative
   */
  public SnapshotCacheBuilder<K, V> loadTimeout(Duration timeout) {
    loadTimeout = CacheBuilder.nanos("loadTimeout", timeout);
    return this;
  }

  /**
   * Runs the loads that do not run on the thread of a caller, and completes futures. Unless told,
   * each cache has a pool of its own. As {@link CacheBuilder#executor}.
   *
   * @param executor the executor, for example one of virtual threads
   * @return this builder
   * @throws NullPointerException if it is null
   */
  public SnapshotCacheBuilder<K, V> executor(Executor executor) {
    this.executor = Objects.requireNonNull(executor, "executor");
    return this;
  }

  /**
   * Counts hits and misses and measures the time of loads and waits, for {@link
   * SnapshotCache#stats}. Off unless told; loads and evictions are counted anyway.
   *
   * @return this builder
   */
  public SnapshotCacheBuilder<K, V> recordStats() {
    recordStats = true;
    return this;
  }

  /**
   * Names the cache, for messages and thread names; {@code snapshots} unless told.
   *
   * @param name the name
   * @return this builder
   * @throws NullPointerException if it is null
   */
  public SnapshotCacheBuilder<K, V> name(String name) {
    this.name = Objects.requireNonNull(name, "name");
    return this;
  }

  /**
   * Builds the cache: opens the storage if it was given by its URL, reads its head, and subscribes
   * to its commits. Whatever was opened is closed again if this fails.
   *
   * @return a cache, to be closed by the caller
   * @throws IllegalArgumentException if options do not go together: {@code maximumSize} and {@code
   *     maximumWeight}, or {@code weigher} and {@code maximumWeight} one without the other
   * @throws CacheException if the storage cannot be opened, is not one of revisions, or its head or
   *     its commits cannot be had; the cause is what the storage threw
   */
  public SnapshotCache<K, V> build() {
    CacheBuilder.checkBound(maximumSize, maximumWeight, weigher);
    RevisionStorage<K, V> storage;
    try {
      storage = source.open();
    } catch (StorageException e) {
      throw new CacheException(String.valueOf(e.getMessage()), e);
    }
    return SnapshotParts.build(
        new Settings<>(
            storage,
            ownsStorage,
            name,
            maximumSize,
            maximumWeight,
            weigher,
            Settings.NONE,
            Settings.NONE,
            null,
            0,
            Settings.NONE,
            Settings.NONE,
            Settings.NONE,
            Settings.NONE,
            loadTimeout,
            executor,
            null,
            null,
            recordStats),
        storage);
  }
}
