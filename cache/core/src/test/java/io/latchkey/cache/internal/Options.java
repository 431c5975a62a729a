package io.latchkey.cache.internal;

import io.latchkey.cache.Expiry;
import io.latchkey.cache.RemovalListener;
import io.latchkey.cache.Ticker;
import io.latchkey.cache.Weigher;
import io.latchkey.storage.Storage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Settings in which nothing is set but what a test sets; durations in nanoseconds. */
final class Options {
  private Storage<Object, Object> storage = key -> "value of " + key;
  private long maximumSize = Settings.NONE;
  private long maximumWeight = Settings.NONE;
  private @Nullable Weigher<Object, Object> weigher;
  private long afterWrite = Settings.NONE;
  private long afterAccess = Settings.NONE;
  private @Nullable Expiry<Object, Object> expiry;
  private double jitter;
  private long refresh = Settings.NONE;
  private long stale = Settings.NONE;
  private long absent = Settings.NONE;
  private long failures = Settings.NONE;
  private long loadTimeout = Settings.NONE;
  private Executor executor = Runnable::run;
  private @Nullable Ticker ticker;
  private @Nullable RemovalListener<Object, Object> listener;

  Options storage(Storage<Object, Object> from) {
    storage = from;
    return this;
  }

  Options maximumSize(long entries) {
    maximumSize = entries;
    return this;
  }

  Options maximumWeight(long units, Weigher<Object, Object> by) {
    maximumWeight = units;
    weigher = by;
    return this;
  }

  Options afterWrite(long nanos) {
    afterWrite = nanos;
    return this;
  }

  Options afterAccess(long nanos) {
    afterAccess = nanos;
    return this;
  }

  Options expiry(Expiry<Object, Object> by) {
    expiry = by;
    return this;
  }

  Options jitter(double share) {
    jitter = share;
    return this;
  }

  Options refresh(long nanos) {
    refresh = nanos;
    return this;
  }

  Options stale(long nanos) {
    stale = nanos;
    return this;
  }

  Options absent(long nanos) {
    absent = nanos;
    return this;
  }

  Options failures(long nanos) {
    failures = nanos;
    return this;
  }

  Options loadTimeout(long nanos) {
    loadTimeout = nanos;
    return this;
  }

  Options executor(Executor on) {
    executor = on;
    return this;
  }

  Options ticker(Ticker by) {
    ticker = by;
    return this;
  }

  Options listener(RemovalListener<Object, Object> told) {
    listener = told;
    return this;
  }

  Settings<Object, Object> settings() {
    return new Settings<>(
        storage,
        false,
        "test",
        maximumSize,
        maximumWeight,
        weigher,
        afterWrite,
        afterAccess,
        expiry,
        jitter,
        refresh,
        stale,
        absent,
        failures,
        loadTimeout,
        executor,
        ticker,
        listener,
        true);
  }

  /** The times of a cache with these options, by a clock that stands at zero if none was given. */
  Lifetimes lifetimes() {
    Ticker given = ticker;
    return new Lifetimes(settings(), given != null ? given : () -> 0);
  }

  /** A cache with these options. */
  LatchCache<Object, Object> cache() {
    return (LatchCache<Object, Object>) CacheParts.build(settings());
  }
}
