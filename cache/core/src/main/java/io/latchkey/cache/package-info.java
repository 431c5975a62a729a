/**
 * A concurrent cache of objects over a storage, for clients of databases and other stores.
 *
 * <p>{@link io.latchkey.cache.Cache} is the cache, {@link io.latchkey.cache.CacheBuilder} makes
 * one, and a {@link io.latchkey.storage.Storage} is where it loads from: a lambda will do.
 *
 * <pre>{@code
 * Storage<Long, String> names = id -> database.nameOf(id);
 * Cache<Long, String> cache =
 *     Cache.over(names).maximumSize(10_000).expireAfterWrite(Duration.ofMinutes(5)).build();
 * }</pre>
 *
 * <p>The functions that a user may give are {@link io.latchkey.cache.Weigher}, {@link
 * io.latchkey.cache.Expiry}, {@link io.latchkey.cache.RemovalListener} and {@link
 * io.latchkey.cache.Ticker}. The cache calls them, and the storage and the executor, with no lock
 * held. What it throws is a {@link io.latchkey.cache.CacheException}; it logs to the system logger
 * {@code io.latchkey.cache}. No parameter and no result is ever null unless it is marked so.
 */
@org.jspecify.annotations.NullMarked
package io.latchkey.cache;
