package io.latchkey.cache.internal;

import io.latchkey.cache.Cache;
import io.latchkey.cache.CacheException;
import io.latchkey.cache.Ticker;
import io.latchkey.storage.Storage;
import io.latchkey.storage.Subscription;
import io.latchkey.storage.WatchableStorage;
import io.latchkey.storage.WritableStorage;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Puts the parts of one cache together, and takes them apart when it is closed. */
public final class CacheParts<K, V> {
  private static final long THREAD_IDLE_SECONDS = 10;

  final String name;
  final Table table;
  final @Nullable Lifetimes lifetimes;
  final Counters counters;
  final Admission admission;
  final Flights flights;

  /** Whether a caller loads on its own thread; with a load time-out nobody does. */
  final boolean loadsHere;

  final Reads reads;
  final BulkReads bulkReads;
  final Invalidation<K> invalidation;
  final Puts puts;
  private final @Nullable Ticker clock;
  final @Nullable ExecutorService ownExecutor;
  private final @Nullable Timeouts timeouts;
  final @Nullable Writes writes;
  private final @Nullable Storage<K, V> ownStorage;
  private final AtomicBoolean closed = new AtomicBoolean();
  private volatile @Nullable Subscription subscription;

  private CacheParts(Settings<K, V> settings) {
    Storage<K, V> storage = settings.storage();
    Executor chosen = settings.executor();
    name = settings.name();
    ownStorage = settings.ownsStorage() ? storage : null;
    ownExecutor = chosen == null ? newExecutor(name) : null;
    Executor executor = chosen != null ? chosen : Objects.requireNonNull(ownExecutor);
    long maximum = maximum(settings);
    if (Lifetimes.needed(settings)) {
      Ticker given = settings.ticker();
      clock = given == null ? Ticker.coarse() : null;
      lifetimes = new Lifetimes(settings, given != null ? given : Objects.requireNonNull(clock));
    } else {
      clock = null;
      lifetimes = null;
    }
    ConcurrentHashMap<Entry, Reload> reloads = new ConcurrentHashMap<>();
    table = new Table(settings.maximumSize() == Settings.NONE ? Long.MAX_VALUE : maximum);
    counters = new Counters(settings.recordStats());
    Departures departures = new Departures(settings.removalListener(), executor);
    admission =
        new Admission(
            table,
            departures,
            maximum,
            () -> new RdClockPolicy(maximum),
            expiryIndex(lifetimes),
            entry -> !reloads.isEmpty() && reloads.containsKey(entry));
    String storageName = storageName(storage);
    flights =
        new Flights(
            settings,
            storageName,
            executor,
            table,
            admission,
            lifetimes,
            counters,
            departures,
            reloads);
    timeouts =
        settings.loadTimeout() == Settings.NONE ? null : new Timeouts(settings.loadTimeout(), name);
    loadsHere = timeouts == null;
    Launcher launcher = new Launcher(flights, storage, timeouts);
    flights.launcher(launcher);
    Joins joins = new Joins(flights, launcher);
    reads = new Reads(flights, launcher, joins);
    bulkReads = new BulkReads(flights, launcher, joins, reads, storage);
    writes = storage instanceof WritableStorage<?, ?> ? new Writes() : null;
    invalidation = new Invalidation<>(flights, writes);
    puts = new Puts(flights, invalidation, storage, writes);
  }

  /** Builds a cache; if that fails, what was opened for it is closed. */
  public static <K, V> Cache<K, V> build(Settings<K, V> settings) {
    Headroom.ensure();
    CacheParts<K, V> parts = new CacheParts<>(settings);
    boolean built = false;
    try {
      if (settings.storage() instanceof WatchableStorage<K, V> watchable) {
        parts.watch(watchable);
      }
      built = true;
      return new LatchCache<>(parts);
    } finally {
      if (!built) {
        parts.close();
      }
    }
  }

  private void watch(WatchableStorage<K, V> storage) {
    flights.gap = true;
    try {
      subscription = storage.watch(new Feed<>(invalidation, flights.storageName));
    } catch (Exception thrown) {
      if (thrown instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      throw new CacheException(
          "watching the feed of " + flights.storageName + " failed: " + Flights.reason(thrown),
          thrown);
    }
  }

  private static long maximum(Settings<?, ?> settings) {
    if (settings.maximumSize() != Settings.NONE) {
      return settings.maximumSize();
    }
    return settings.maximumWeight() != Settings.NONE ? settings.maximumWeight() : Long.MAX_VALUE;
  }

  private static @Nullable Supplier<ExpiryIndex> expiryIndex(@Nullable Lifetimes lifetimes) {
    if (lifetimes == null || !lifetimes.expires()) {
      return null;
    }
    return () -> lifetimes.ownLife() ? new TimerWheel(lifetimes) : new ExpiryQueue(lifetimes);
  }

  /** The storage's name, whatever its code does. */
  private static String storageName(Storage<?, ?> storage) {
    try {
      String given = storage.name();
      return given == null ? storage.getClass().getName() : given;
    } catch (Exception broken) {
      return storage.getClass().getName();
    }
  }

  private static ExecutorService newExecutor(String name) {
    AtomicInteger number = new AtomicInteger();
    return new ThreadPoolExecutor(
        0,
        Integer.MAX_VALUE,
        THREAD_IDLE_SECONDS,
        TimeUnit.SECONDS,
        new SynchronousQueue<>(),
        work -> {
          Thread thread = new Thread(work, "latchkey-" + name + "-" + number.incrementAndGet());
          thread.setDaemon(true);
          return thread;
        });
  }

  boolean closed() {
    return closed.get();
  }

  String closedMessage() {
    return "cache " + name + " is closed";
  }

  /** Ends the cache; safe to call again. */
  void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    Failure failure = Failure.closed("cache " + name + " was closed");
    try {
      Subscription feed = subscription;
      if (feed != null) {
        feed.close();
      }
    } finally {
      table.close(closedMessage());
      if (writes != null) {
        writes.close(closedMessage());
      }
      table.clear(entry -> end(entry, failure));
      flights.cutShortDetached(failure);
      if (timeouts != null) {
        timeouts.close();
      }
      if (ownExecutor != null) {
        ownExecutor.shutdown();
      }
      closeClock();
      if (ownStorage != null) {
        ownStorage.close();
      }
    }
  }

  private void end(Entry entry, Failure failure) {
    while (entry.stateAcquire() == Entry.LOADING) {
      flights.cutShort(entry, failure);
      entry.awaitSettled();
    }
    if (entry.stateAcquire() == Entry.ABANDONED) {
      flights.rescue(entry);
    }
    if (entry.retire() != null) {
      admission.changed(entry, 0);
    }
  }

  private void closeClock() {
    if (clock instanceof AutoCloseable closeable) {
      try {
        closeable.close();
      } catch (Exception impossible) {
        throw new IllegalStateException("the shared clock did not close", impossible);
      }
    }
  }
}
