package io.latchkey.cache.internal;

import io.latchkey.cache.Expiry;
import io.latchkey.cache.RemovalListener;
import io.latchkey.cache.Ticker;
import io.latchkey.cache.Weigher;
import io.latchkey.storage.Storage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * What the builder was told; durations in nanoseconds, {@link #NONE} where an option was not set.
 */
public record Settings<K, V>(
    Storage<K, V> storage,
    boolean ownsStorage,
    String name,
    long maximumSize,
    long maximumWeight,
    @Nullable Weigher<? super K, ? super V> weigher,
    long expireAfterWrite,
    long expireAfterAccess,
    @Nullable Expiry<? super K, ? super V> expiry,
    double jitter,
    long refreshAfterWrite,
    long staleIfError,
    long cacheAbsentFor,
    long cacheFailuresFor,
    long loadTimeout,
    @Nullable Executor executor,
    @Nullable Ticker ticker,
    @Nullable RemovalListener<? super K, ? super V> removalListener,
    boolean recordStats) {
  /** The value of an option that was not set. */
  public static final long NONE = -1;
}
