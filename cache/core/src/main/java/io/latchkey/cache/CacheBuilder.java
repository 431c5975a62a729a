package io.latchkey.cache;

import io.latchkey.cache.internal.CacheParts;
import io.latchkey.cache.internal.Settings;
import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.Storages;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Builds a {@link Cache}. Every method returns this builder. Not thread-safe; may build many times.
 */
public final class CacheBuilder<K, V> {
  private interface Source<K, V> {
    Storage<K, V> open() throws StorageException;
  }

  private final Source<K, V> source;
  private final boolean ownsStorage;
  private @Nullable String name;
  private long maximumSize = Settings.NONE;
  private long maximumWeight = Settings.NONE;
  private @Nullable Weigher<? super K, ? super V> weigher;
  private long expireAfterWrite = Settings.NONE;
  private long expireAfterAccess = Settings.NONE;
  private @Nullable Expiry<? super K, ? super V> expiry;
  private double jitter;
  private long refreshAfterWrite = Settings.NONE;
  private long staleIfError = Settings.NONE;
  private long cacheAbsentFor = Settings.NONE;
  private long cacheFailuresFor = Settings.NONE;
  private long loadTimeout = Settings.NONE;
  private @Nullable Executor executor;
  private @Nullable Ticker ticker;
  private @Nullable RemovalListener<? super K, ? super V> removalListener;
  private boolean recordStats;

  private CacheBuilder(Source<K, V> source, boolean ownsStorage) {
    this.source = source;
    this.ownsStorage = ownsStorage;
  }

  static <K, V> CacheBuilder<K, V> over(Storage<K, V> storage) {
    Objects.requireNonNull(storage, "storage");
    return new CacheBuilder<>(() -> storage, false);
  }

  static <K, V> CacheBuilder<K, V> over(String url, Codec<K> keys, Codec<V> values) {
    Objects.requireNonNull(url, "url");
    Objects.requireNonNull(keys, "keys");
    Objects.requireNonNull(values, "values");
    return new CacheBuilder<>(() -> Storages.open(url, keys, values), true);
  }

  /** At most this many entries. */
  public CacheBuilder<K, V> maximumSize(long maximum) {
    maximumSize = notNegative("maximumSize", maximum);
    return this;
  }

  /** At most this much weight, as the {@link #weigher} tells it. */
  public CacheBuilder<K, V> maximumWeight(long maximum) {
    maximumWeight = notNegative("maximumWeight", maximum);
    return this;
  }

  /** Gives the weight of an object, for {@link #maximumWeight}. */
  public CacheBuilder<K, V> weigher(Weigher<? super K, ? super V> weigher) {
    this.weigher = Objects.requireNonNull(weigher, "weigher");
    return this;
  }

  /** Objects live this long after their load or put. */
  public CacheBuilder<K, V> expireAfterWrite(Duration life) {
    expireAfterWrite = nanos("expireAfterWrite", life);
    return this;
  }

  /** Objects live this long after they were last read. */
  public CacheBuilder<K, V> expireAfterAccess(Duration idle) {
    expireAfterAccess = nanos("expireAfterAccess", idle);
    return this;
  }

  /** Each object has its own time to live. */
  public CacheBuilder<K, V> expireAfter(Expiry<? super K, ? super V> expiry) {
    this.expiry = Objects.requireNonNull(expiry, "expiry");
    return this;
  }

  /** Spreads times to live by up to this share, 0 to 1, up and down. */
  public CacheBuilder<K, V> expiryJitter(double share) {
    if (!(share >= 0 && share <= 1)) {
      throw new IllegalArgumentException("expiryJitter must be from 0 to 1, not " + share);
    }
    jitter = share;
    return this;
  }

  /** A read of an object older than this starts a refresh and returns the old object. */
  public CacheBuilder<K, V> refreshAfterWrite(Duration age) {
    refreshAfterWrite = nanos("refreshAfterWrite", age);
    return this;
  }

  /** An expired object is served for this much longer when its load fails. */
  public CacheBuilder<K, V> staleIfError(Duration grace) {
    staleIfError = nanos("staleIfError", grace);
    return this;
  }

  /** Remembers for this long that the storage has no such object. */
  public CacheBuilder<K, V> cacheAbsentFor(Duration life) {
    cacheAbsentFor = nanos("cacheAbsentFor", life);
    return this;
  }

  /** Remembers a failed load for this long. */
  public CacheBuilder<K, V> cacheFailuresFor(Duration life) {
    cacheFailuresFor = nanos("cacheFailuresFor", life);
    return this;
  }

  /** Nobody waits longer than this for a load; every load then runs on the executor. */
  public CacheBuilder<K, V> loadTimeout(Duration timeout) {
    loadTimeout = nanos("loadTimeout", timeout);
    return this;
  }

  /** Where asynchronous loads, refreshes, listeners and futures run. */
  public CacheBuilder<K, V> executor(Executor executor) {
    this.executor = Objects.requireNonNull(executor, "executor");
    return this;
  }

  /** The clock for expiry, read at every hit of a cache with expiry. */
  public CacheBuilder<K, V> ticker(Ticker ticker) {
    this.ticker = Objects.requireNonNull(ticker, "ticker");
    return this;
  }

  /** Is told of every object that leaves the cache. */
  public CacheBuilder<K, V> removalListener(RemovalListener<? super K, ? super V> listener) {
    removalListener = Objects.requireNonNull(listener, "removalListener");
    return this;
  }

  /** Counts hits and misses and measures load and wait times. */
  public CacheBuilder<K, V> recordStats() {
    recordStats = true;
    return this;
  }

  /** The name of the cache in messages and thread names. */
  public CacheBuilder<K, V> name(String name) {
    this.name = Objects.requireNonNull(name, "name");
    return this;
  }

  /** Builds the cache; opens the storage if it was given by URL. */
  public Cache<K, V> build() {
    check();
    Storage<K, V> storage;
    try {
      storage = source.open();
    } catch (StorageException e) {
      throw new CacheException(String.valueOf(e.getMessage()), e);
    }
    return CacheParts.build(
        new Settings<>(
            storage,
            ownsStorage,
            name != null ? name : "cache",
            maximumSize,
            maximumWeight,
            weigher,
            expireAfterWrite,
            expireAfterAccess,
            expiry,
            jitter,
            refreshAfterWrite,
            staleIfError,
            cacheAbsentFor,
            cacheFailuresFor,
            loadTimeout,
            executor,
            ticker,
            removalListener,
            recordStats));
  }

  private void check() {
    if (maximumSize != Settings.NONE && maximumWeight != Settings.NONE) {
      throw new IllegalArgumentException(
          "maximumSize "
              + maximumSize
              + " and maximumWeight "
              + maximumWeight
              + " exclude each other: keep one");
    }
    if (maximumWeight != Settings.NONE && weigher == null) {
      throw new IllegalArgumentException(
          "maximumWeight " + maximumWeight + " needs a weigher: call weigher(...)");
    }
    if (weigher != null && maximumWeight == Settings.NONE) {
      throw new IllegalArgumentException("weigher needs a bound: call maximumWeight(...)");
    }
    if (expiry != null
        && (expireAfterWrite != Settings.NONE || expireAfterAccess != Settings.NONE)) {
      throw new IllegalArgumentException(
          "expireAfter excludes expireAfterWrite and expireAfterAccess: keep one kind");
    }
  }

  private static long notNegative(String option, long value) {
    if (value < 0) {
      throw new IllegalArgumentException(option + " must be zero or more, not " + value);
    }
    return value;
  }

  private static long nanos(String option, Duration duration) {
    Objects.requireNonNull(duration, option);
    if (duration.isNegative()) {
      throw new IllegalArgumentException(option + " must not be negative, but is " + duration);
    }
    try {
      return duration.toNanos();
    } catch (ArithmeticException tooLong) {
      return Long.MAX_VALUE;
    }
  }
}
