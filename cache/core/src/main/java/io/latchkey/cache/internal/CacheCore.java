package io.latchkey.cache.internal;

import io.latchkey.cache.LoaderPool;
import io.latchkey.cache.Ticker;
import io.latchkey.storage.Storage;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What every kind of cache consists of: the table, the policy, the flights and those that use them.
 * Puts them together, and takes them apart when the cache is closed.
 */
abstract class CacheCore<K, V> {
  final String name;
  final String storageName;
  final Table table;
  final @Nullable Lifetimes lifetimes;
  final Counters counters;
  final Departures departures;
  final ConcurrentHashMap<Entry, Reload> reloads = new ConcurrentHashMap<>();
  final Admission admission;
  final Executor executor;
  final Flights flights;

  /** Whether a caller loads on its own thread; with a load time-out nobody does. */
  final boolean loadsHere;

  final Reads reads;
  final Launcher launcher;
  final Joins joins;
  final @Nullable LoaderPool ownPool;
  private final @Nullable Ticker clock;
  private final @Nullable Timeouts timeouts;
  private final @Nullable Storage<K, V> ownStorage;
  private final AtomicBoolean closed = new AtomicBoolean();

  /** Makes the flights of a cache whose other parts, declared above it, are there. */
  interface FlightsMaker {
    Flights make(CacheCore<?, ?> core);
  }

  CacheCore(Settings<K, V> settings, FlightsMaker maker) {
    Storage<K, V> storage = settings.storage();
    Executor chosen = settings.executor();
    name = settings.name();
    storageName = storageName(storage);
    ownStorage = settings.ownsStorage() ? storage : null;
    ownPool = chosen == null ? LoaderPool.builder().name(name).build() : null;
    executor = chosen != null ? chosen : Objects.requireNonNull(ownPool);
    long maximum = maximum(settings);
    if (Lifetimes.needed(settings)) {
      Ticker given = settings.ticker();
      clock = given == null ? Ticker.coarse() : null;
      lifetimes = new Lifetimes(settings, given != null ? given : Objects.requireNonNull(clock));
    } else {
      clock = null;
      lifetimes = null;
    }
    table = new Table(settings.maximumSize() == Settings.NONE ? Long.MAX_VALUE : maximum);
    counters = new Counters(settings.recordStats());
    departures = new Departures(settings.removalListener(), executor);
    admission =
        new Admission(
            table,
            departures,
            maximum,
            () -> new RdClockPolicy(maximum),
            expiryIndex(lifetimes),
            entry -> !reloads.isEmpty() && reloads.containsKey(entry));
    flights = maker.make(this);
    timeouts =
        settings.loadTimeout() == Settings.NONE ? null : new Timeouts(settings.loadTimeout(), name);
    loadsHere = timeouts == null;
    launcher = new Launcher(flights, timeouts);
    flights.launcher(launcher);
    joins = new Joins(flights, launcher);
    reads = new Reads(flights, launcher, joins);
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
  static String storageName(Storage<?, ?> storage) {
    try {
      String given = storage.name();
      return given == null ? storage.getClass().getName() : given;
    } catch (Exception broken) {
      return storage.getClass().getName();
    }
  }

  /** Whether the storage has a method of its own in place of a default. */
  static boolean overrides(
      Storage<?, ?> storage, Class<?> declaring, String method, Class<?>... parameters) {
    try {
      return storage.getClass().getMethod(method, parameters).getDeclaringClass() != declaring;
    } catch (NoSuchMethodException e) {
      return false;
    }
  }

  final boolean closed() {
    return closed.get();
  }

  final String closedMessage() {
    return "cache " + name + " is closed";
  }

  final void checkOpen() {
    if (closed()) {
      throw new IllegalStateException(closedMessage());
    }
  }

  /** Stops listening to the storage. */
  abstract void closeFeed();

  /** Sends away those that wait for something else than a load. */
  abstract void closeWaits();

  /** Ends the cache; safe to call again. */
  final void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    Failure failure = Failure.closed("cache " + name + " was closed");
    try {
      closeFeed();
    } finally {
      table.close(closedMessage());
      closeWaits();
      table.clear(node -> node.forEach(entry -> end(entry, failure)));
      flights.cutShortDetached(failure);
      if (timeouts != null) {
        timeouts.close();
      }
      if (ownPool != null) {
        ownPool.shutdown();
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
