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
 * Builds a {@link Cache}; begun by {@link Cache#over(Storage)}. Every option is optional: without
 * any, the cache is unbounded, keeps objects until they are invalidated, and has its own executor.
 *
 * <pre>{@code
 * Cache<Long, String> cache =
 *     Cache.over(names)
 *         .maximumSize(10_000)
 *         .expireAfterWrite(Duration.ofMinutes(5))
 *         .refreshAfterWrite(Duration.ofMinutes(1)) // read often, an object never gets old
 *         .staleIfError(Duration.ofHours(1)) // serve the old one while the storage is down
 *         .cacheAbsentFor(Duration.ofSeconds(10))
 *         .loadTimeout(Duration.ofSeconds(2))
 *         .build();
 * }</pre>
 *
 * <p>A later call of an option replaces an earlier one. A bad value is refused by the option, and
 * options that do not go together by {@link #build}, with an {@link IllegalArgumentException} that
 * names them. Durations are kept in nanoseconds; whoever gives more than 292 years means for ever.
 *
 * <p>Not thread-safe. May build several caches, over one storage if that was passed in. Options
 * cost memory and time only in caches that have them.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the objects
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

  /**
   * Bounds the number of entries; unbounded unless told. What is too much is evicted, as the policy
   * chooses. A remembered absence or failure is an entry too, an object that is loading is none.
   * While many threads load, the cache may be over the bound by up to 128 entries for a moment.
   *
   * @param maximum the bound, zero or more; with zero nothing is kept, and loads are still shared
   * @return this builder
   * @throws IllegalArgumentException if it is negative
   */
  public CacheBuilder<K, V> maximumSize(long maximum) {
    maximumSize = notNegative("maximumSize", maximum);
    return this;
  }

  /**
   * Bounds the sum of the weights of all entries; goes with {@link #weigher} and excludes {@link
   * #maximumSize}. Absences and failures weigh 1. An object that alone is heavier goes to its
   * callers and is not kept, nor is what was cached under its key.
   *
   * @param maximum the bound in units of the weigher, zero or more; with zero nothing is kept
   * @return this builder
   * @throws IllegalArgumentException if it is negative
   */
  public CacheBuilder<K, V> maximumWeight(long maximum) {
    maximumWeight = notNegative("maximumWeight", maximum);
    return this;
  }

  /**
   * Tells the weight of objects, for {@link #maximumWeight}, when they are loaded or put.
   *
   * @param weigher the function
   * @return this builder
   * @throws NullPointerException if it is null
   */
  public CacheBuilder<K, V> weigher(Weigher<? super K, ? super V> weigher) {
    this.weigher = Objects.requireNonNull(weigher, "weigher");
    return this;
  }

  /**
   * Objects expire this long after the end of their load or put; never unless told. May be combined
   * with {@link #expireAfterAccess}, and then the earlier time counts. An expired object is never
   * served, {@link #staleIfError} excepted; with the default clock it may be so for up to a
   * millisecond. Its memory is freed by the misses and writes that follow, or by {@link
   * Cache#cleanUp}: no thread sweeps.
   *
   * @param life the time to live, zero or more; with zero nothing is served from the cache
   * @return this builder
   * @throws NullPointerException if it is null
   * @throws IllegalArgumentException if it is negative
   */
  public CacheBuilder<K, V> expireAfterWrite(Duration life) {
    expireAfterWrite = nanos("expireAfterWrite", life);
    return this;
  }

  /**
   * Objects expire this long after they were last read, loaded or put; never unless told. Every
   * look-up that is a hit is a read, and so is {@code asMap().get}. Otherwise as {@link
   * #expireAfterWrite}. A hit writes the time in the entry, with the default clock at most once a
   * millisecond.
   *
   * @param idle the time to idle, zero or more; with zero nothing is served from the cache
   * @return this builder
   * @throws NullPointerException if it is null
   * @throws IllegalArgumentException if it is negative
   */
  public CacheBuilder<K, V> expireAfterAccess(Duration idle) {
    expireAfterAccess = nanos("expireAfterAccess", idle);
    return this;
  }

  /**
   * Each object has a time to live of its own; excludes {@link #expireAfterWrite} and {@link
   * #expireAfterAccess}. The function is called at every load and put, and at every hit.
   *
   * @param expiry the function
   * @return this builder
   * @throws NullPointerException if it is null
   */
  public CacheBuilder<K, V> expireAfter(Expiry<? super K, ? super V> expiry) {
    this.expiry = Objects.requireNonNull(expiry, "expiry");
    return this;
  }

  /**
   * Makes the times to live and to idle of objects longer or shorter by chance, by up to this
   * share, so that what was loaded together does not expire together. 0 unless told; without an
   * option that expires objects it has no effect.
   *
   * @param share from 0 to 1; with 0.1, ten minutes become nine to eleven
   * @return this builder
   * @throws IllegalArgumentException if it is not from 0 to 1
   */
  public CacheBuilder<K, V> expiryJitter(double share) {
    if (!(share >= 0 && share <= 1)) {
      throw new IllegalArgumentException("expiryJitter must be from 0 to 1, not " + share);
    }
    jitter = share;
    return this;
  }

  /**
   * A look-up that finds an object of at least this age returns it, and starts a {@link
   * Cache#refresh} on the executor unless one is under way. Never unless told. A refresh that fails
   * is counted and leaves the object as it is; the next look-up starts another one. Meant to be
   * shorter than the time to live, which it does not change.
   *
   * @param age the age since the load or put, zero or more; with zero every hit starts a refresh
   * @return this builder
   * @throws NullPointerException if it is null
   * @throws IllegalArgumentException if it is negative
   */
  public CacheBuilder<K, V> refreshAfterWrite(Duration age) {
    refreshAfterWrite = nanos("refreshAfterWrite", age);
    return this;
  }

  /**
   * When the load of an expired object fails or times out, the expired object is served instead, up
   * to this long after it expired; not at all unless told. Each such look-up tries to load first
   * and counts as a miss, and the load as failed. Objects are kept that much longer for it, within
   * the bound. An object that was invalidated is never served again. Without an option that expires
   * objects this has no effect.
   *
   * @param grace the time after expiry, zero or more
   * @return this builder
   * @throws NullPointerException if it is null
   * @throws IllegalArgumentException if it is negative
   */
  public CacheBuilder<K, V> staleIfError(Duration grace) {
    staleIfError = nanos("staleIfError", grace);
    return this;
  }

  /**
   * Remembers for this long that the storage has no object under a key: look-ups get null without a
   * load. Not remembered unless told, so that each look-up of an absent object is a load. A put or
   * an invalidation ends it, as for an object.
   *
   * @param life how long, zero or more; with zero absence is not remembered
   * @return this builder
   * @throws NullPointerException if it is null
   * @throws IllegalArgumentException if it is negative
   */
  public CacheBuilder<K, V> cacheAbsentFor(Duration life) {
    cacheAbsentFor = nanos("cacheAbsentFor", life);
    return this;
  }

  /**
   * Remembers a failed load for this long: look-ups throw without a load, each an exception of its
   * own with the same cause. Not remembered unless told. For a storage that is better left alone
   * for a while when it fails. Failed refreshes, time-outs, interruptions and refusals of the
   * executor are not remembered, and a put or an invalidation ends it.
   *
   * @param life how long, zero or more; with zero failures are not remembered
   * @return this builder
   * @throws NullPointerException if it is null
   * @throws IllegalArgumentException if it is negative
   */
  public CacheBuilder<K, V> cacheFailuresFor(Duration life) {
    cacheFailuresFor = nanos("cacheFailuresFor", life);
    return this;
  }

  /**
   * Nobody waits longer than this for a load. For ever unless told. Every load then runs on the
   * executor, which costs a miss two changes of threads.
   *
   * <p>The time begins when the load is given to the executor and is real time, whatever the {@link
   * #ticker}. When it is up, all that wait get a {@link CacheTimeoutException} and the load counts
   * as abandoned. The call of the storage is not stopped: it holds its thread until it returns, and
   * what it brings is dropped. The next look-up begins another call beside it, so a storage that
   * hangs for good costs a thread for each; give the storage a time-out of its own as well, or an
   * {@link #executor} with a bound.
   *
   * @param timeout how long, zero or more; zero leaves a load no time
   * @return this builder
   * @throws NullPointerException if it is null
   * @throws IllegalArgumentException if it is negative
   */
  public CacheBuilder<K, V> loadTimeout(Duration timeout) {
    loadTimeout = nanos("loadTimeout", timeout);
    return this;
  }

  /**
   * Runs the loads that do not run on the thread of a caller, and completes futures and tells the
   * removal listener. Unless told, each cache has a {@link LoaderPool} of its own, as its builder
   * makes it: daemon threads as many as needed, up to 1,024, that end after ten idle seconds, and a
   * queue for 65,536 loads. Loads block their thread, so an executor of few threads limits how many
   * run at once, and keeps further ones waiting. The cache's own pool ends with the cache.
   *
   * <p>If the executor refuses a load, its callers get a {@link CacheLoadException}; a prefetch is
   * then dropped and a refresh put off. If it drops a load or delays it, look-ups that may load on
   * their own thread take it over. Futures and the listener that it refuses run on the thread that
   * has them. A {@link LoaderPool} bounds both the threads and the queue, and tells what becomes of
   * a load that it has no room for. The cache does not shut the executor down.
   *
   * @param executor the executor, for example one of virtual threads
   * @return this builder
   * @throws NullPointerException if it is null
   */
  public CacheBuilder<K, V> executor(Executor executor) {
    this.executor = Objects.requireNonNull(executor, "executor");
    return this;
  }

  /**
   * The clock that expiry and refreshes go by; {@link Ticker#coarse()} unless told. A clock given
   * here is read at every hit of a cache that keeps time, and not at all by others.
   *
   * @param ticker the clock
   * @return this builder
   * @throws NullPointerException if it is null
   */
  public CacheBuilder<K, V> ticker(Ticker ticker) {
    this.ticker = Objects.requireNonNull(ticker, "ticker");
    return this;
  }

  /**
   * Is told of every object that leaves the cache, on the executor. Costs a task for each of them.
   *
   * @param listener the listener
   * @return this builder
   * @throws NullPointerException if it is null
   */
  public CacheBuilder<K, V> removalListener(RemovalListener<? super K, ? super V> listener) {
    removalListener = Objects.requireNonNull(listener, "removalListener");
    return this;
  }

  /**
   * Counts hits and misses and measures the time of loads and waits, for {@link Cache#stats}. Off
   * unless told, so that a hit writes nothing shared; loads and evictions are counted anyway. With
   * it a hit adds to a counter that is spread over the processors, and a load reads the clock
   * twice.
   *
   * @return this builder
   */
  public CacheBuilder<K, V> recordStats() {
    recordStats = true;
    return this;
  }

  /**
   * Names the cache, for messages and thread names; {@code cache} unless told.
   *
   * @param name the name
   * @return this builder
   * @throws NullPointerException if it is null
   */
  public CacheBuilder<K, V> name(String name) {
    this.name = Objects.requireNonNull(name, "name");
    return this;
  }

  /**
   * Builds the cache. Opens the storage if it was given by its URL, and subscribes to the feed of a
   * {@link io.latchkey.storage.WatchableStorage}; whatever was opened is closed again if this
   * fails. Starts no thread but that of the default clock, in a cache that needs it, and allocates
   * little: the cache grows to its bound.
   *
   * @return a cache, to be closed by the caller
   * @throws IllegalArgumentException if options do not go together: {@code maximumSize} and {@code
   *     maximumWeight}, {@code weigher} and {@code maximumWeight} one without the other, {@code
   *     expireAfter} and another kind of expiry
   * @throws CacheException if the storage cannot be opened, or its feed not be watched; the cause
   *     is what the storage threw
   */
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
    checkBound(maximumSize, maximumWeight, weigher);
    if (expiry != null
        && (expireAfterWrite != Settings.NONE || expireAfterAccess != Settings.NONE)) {
      throw new IllegalArgumentException(
          "expireAfter excludes expireAfterWrite and expireAfterAccess: keep one kind");
    }
  }

  /** Refuses a bound that does not go together. */
  static void checkBound(long maximumSize, long maximumWeight, @Nullable Weigher<?, ?> weigher) {
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
  }

  static long notNegative(String option, long value) {
    if (value < 0) {
      throw new IllegalArgumentException(option + " must be zero or more, not " + value);
    }
    return value;
  }

  static long nanos(String option, Duration duration) {
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
