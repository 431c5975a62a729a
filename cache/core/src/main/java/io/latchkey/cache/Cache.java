package io.latchkey.cache;

import io.latchkey.storage.AsyncStorage;
import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.WatchableStorage;
import io.latchkey.storage.WritableStorage;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * A concurrent cache of the objects of a {@link Storage}. One caller loads an object; whoever wants
 * the same object meanwhile waits for that load and shares its outcome.
 *
 * <pre>{@code
 * try (Cache<Long, String> cache = Cache.over(names).maximumSize(10_000).build()) {
 *   show(cache.get(7L)); // loads; null if there is no such object
 *   show(cache.get(7L)); // a hit
 *   database.rename(7L, "Ada");
 *   cache.invalidate(7L); // what a load brings that is under way now is not kept
 *   show(cache.get(7L)); // loads again
 * }
 * }</pre>
 *
 * <p><b>Keys and objects</b> are never null. Keys have an {@code equals} and a {@code hashCode}
 * that do not change while the cache has them; where one of these throws, that call alone fails.
 * Objects are handed out as they are, the same instance to all callers, so they should not be
 * changed.
 *
 * <p><b>Absence.</b> That the storage has no object under a key is an outcome like any other: all
 * who wait for it get it, as null. It is remembered only with {@link CacheBuilder#cacheAbsentFor}.
 *
 * <p><b>Loading.</b> At most one load runs for a key, and all callers that join it get its one
 * outcome. {@link #get(Object)} and {@link #getAll} load on the thread of the caller that was
 * first; the other methods, and all of them with {@link CacheBuilder#loadTimeout}, load on the
 * cache's {@link CacheBuilder#executor}, or on no thread at all over an {@link AsyncStorage}. A
 * slow load delays nothing but its own key. A load may load other keys through the same cache.
 *
 * <p><b>Freshness.</b> A look-up that starts after an {@link #invalidate} of its key has returned
 * never gets an object whose load or put began before that. An invalidation does not wait for
 * loads: it parts them from the cache. Who had joined such a load gets its outcome, the cache does
 * not keep it. A {@link #put} during a load wins and stays: the caller that loads gets what it
 * loaded, or the put object if its load failed; those that wait get the one or the other, and no
 * error.
 *
 * <p><b>Failures.</b> Whatever a load throws, all who wait for it get at once, each as a {@link
 * CacheLoadException} of its own with the same cause. Nothing is cached, and the next look-up loads
 * again, unless {@link CacheBuilder#cacheFailuresFor} or {@link CacheBuilder#staleIfError} says
 * otherwise.
 *
 * <p><b>Interruption.</b> A caller that is interrupted while it waits leaves at once with a {@link
 * CacheInterruptedException}, its interrupt flag set, and affects nobody else. A caller that is
 * interrupted while it loads leaves when the storage gives up, and one of those who wait for it
 * loads instead. Cached objects are handed out whatever the flag says.
 *
 * <p><b>Recursion.</b> A load that waits for itself through this cache, directly or by way of other
 * keys and threads, is ended by a {@link RecursiveLoadException}.
 *
 * <p><b>Writes.</b> Over a {@link WritableStorage} {@link #put}, {@link #putAll} and {@link
 * #remove} write to the storage first, on the caller's thread, and then to the cache. Writes of one
 * key through one cache take effect one after the other, in the same order in both. Over other
 * storages they only change the cache.
 *
 * <p><b>Feeds.</b> Over a {@link WatchableStorage} the cache hears of all changes, whoever makes
 * them, and invalidates these keys. While the feed may miss changes, nothing is cached: what is
 * loaded then goes to its callers and is not kept, and the cache is emptied before it keeps objects
 * again.
 *
 * <p><b>Threads.</b> All methods may be called by any number of threads, virtual ones too, and the
 * views and futures that they return as well. What a thread did before a put, and what a load did,
 * is visible to whoever gets the object. No lock of the cache is held while the storage or another
 * function of the user runs, {@code equals} and {@code hashCode} of keys excepted.
 *
 * <p><b>Closing.</b> After {@link #close} every method throws {@link IllegalStateException}, except
 * {@link #stats} and {@link #close} itself.
 *
 * <p><b>Cost.</b> A hit takes no lock and writes nothing but, now and then, a small counter in the
 * entry. Without an option about time it reads no clock. A miss costs, besides the load, two short
 * locks: one that a share of the keys has in common, and one for the eviction policy.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the objects
 */
public interface Cache<K, V> extends AutoCloseable {
  /**
   * Begins a cache over a storage that the caller has opened and will close, after the cache: the
   * cache does not close it.
   *
   * @param storage loads the objects; what else it can do is found by {@code instanceof}
   * @param <K> the type of the keys
   * @param <V> the type of the objects
   * @return a builder without options
   * @throws NullPointerException if the storage is null
   */
  static <K, V> CacheBuilder<K, V> over(Storage<K, V> storage) {
    return CacheBuilder.over(storage);
  }

  /**
   * Begins a cache over a storage that {@link CacheBuilder#build} opens and {@link #close} closes.
   * {@link io.latchkey.storage.Storages#open} says how.
   *
   * @param url the storage's URL, for example {@code mvstore:data/users.db}; looked at by {@code
   *     build} only
   * @param keys turns keys to bytes and back
   * @param values turns objects to bytes and back
   * @param <K> the type of the keys
   * @param <V> the type of the objects
   * @return a builder without options
   * @throws NullPointerException if an argument is null
   */
  static <K, V> CacheBuilder<K, V> over(String url, Codec<K> keys, Codec<V> values) {
    return CacheBuilder.over(url, keys, values);
  }

  /**
   * The object of a key: the cached one, or the one that is loaded now. If no load of the key is
   * under way, this thread loads; else it waits for that load, however long that takes. With {@link
   * CacheBuilder#loadTimeout} the load runs on the executor, and the wait ends at the time-out.
   *
   * <p>An object that is older than {@link CacheBuilder#refreshAfterWrite} is returned, and its
   * refresh started. An expired object is loaded again; if that fails and {@link
   * CacheBuilder#staleIfError} allows, the old object is returned after all.
   *
   * <p>Counts as a hit, or as a miss if it had to load or to wait for a load.
   *
   * @param key the key
   * @return the object, or null if the storage has none
   * @throws NullPointerException if the key is null
   * @throws CacheLoadException if the load failed, or the weigher or expiry function did, or the
   *     executor refused the load, or a failed load is remembered
   * @throws CacheTimeoutException if the load took longer than {@code loadTimeout}
   * @throws CacheInterruptedException if this thread was interrupted while it waited, or was
   *     interrupted while it loaded and the storage then threw; its interrupt flag is set. A load
   *     that ends well despite the interrupt returns its object
   * @throws RecursiveLoadException if this call is made from inside a load that it would wait for
   * @throws IllegalStateException if the cache is closed, also while this call waits
   */
  @Nullable V get(K key);

  /**
   * The same as {@link #get(Object)}, but waits no longer than some time. The load runs on the
   * executor, or on a thread that is loading already, so that this caller can leave. When the time
   * is up the load goes on: others may join it, and its object is cached.
   *
   * @param key the key
   * @param timeout how long to wait at most, in real time; with zero a cached object is returned,
   *     and otherwise the load is started and the call fails. More than 292 years are for ever
   * @return the object, or null if the storage has none
   * @throws NullPointerException if the key or the timeout is null
   * @throws IllegalArgumentException if the timeout is negative
   * @throws CacheTimeoutException if the time was up, or the load took longer than {@code
   *     loadTimeout}
   * @throws CacheLoadException as for {@link #get(Object)}
   * @throws CacheInterruptedException if this thread was interrupted while it waited; its interrupt
   *     flag is set. A load that is interrupted on the executor is started again instead, as long
   *     as somebody waits
   * @throws RecursiveLoadException if this call is made from inside a load that it would wait for
   * @throws IllegalStateException if the cache is closed, also while this call waits
   */
  @Nullable V get(K key, Duration timeout);

  /**
   * The object of a key, without blocking this thread. The load runs on the executor; over an
   * {@link AsyncStorage} it is only started here and then holds no thread. Counts as {@link
   * #get(Object)} does.
   *
   * <p>Each call has a future of its own: cancelling or completing it affects nobody else, and the
   * load goes on. Futures complete on the executor, after the threads that waited were woken; on
   * another thread if the executor refuses. A load on whose future another load blocks is not
   * recognized as recursion.
   *
   * @param key the key
   * @return a future of the object, of null if the storage has none, or of the exception that
   *     {@link #get(Object)} would throw, other than {@link CacheInterruptedException}; completed
   *     already when the answer is cached
   * @throws NullPointerException if the key is null
   * @throws IllegalStateException if the cache is closed; while the load is under way the future
   *     fails with it
   */
  CompletableFuture<@Nullable V> getAsync(K key);

  /**
   * The objects of several keys. Takes what is cached, joins the loads that are under way, and
   * loads the rest in one {@link Storage#loadAll} on this thread; look-ups of others join that
   * load. Over a storage that has no {@code loadAll} of its own the keys are loaded one after the
   * other. With {@link CacheBuilder#loadTimeout} the {@code loadAll} runs on the executor, or
   * without one a task for each key.
   *
   * <p>All that this call loads is there for others before it waits for their loads, so two calls
   * that ask for each other's keys cannot wait for ever. What {@code loadAll} returns besides, or
   * under null, is dropped; what it does not return is absent. If it throws, the objects that its
   * map gave before are cached, and the other keys have failed.
   *
   * <p>If one key failed, the call fails with the exception of the first such key, and the objects
   * of the others stay cached. Counts each distinct key as a hit or a miss, and a {@code loadAll}
   * as one load.
   *
   * @param keys the keys; an empty collection gives an empty map, what occurs twice is one key
   * @return an unmodifiable map in the order of the keys, without those that are absent
   * @throws NullPointerException if the collection or a key is null
   * @throws CacheLoadException as for {@link #get(Object)}, for at least one key
   * @throws CacheTimeoutException as for {@link #get(Object)}, for at least one key
   * @throws CacheInterruptedException if this thread was interrupted, as for {@link #get(Object)};
   *     what was loaded before is cached
   * @throws RecursiveLoadException if this call is made from inside a load that it would wait for
   * @throws IllegalStateException if the cache is closed, also while this call waits
   */
  Map<K, V> getAll(Collection<? extends K> keys);

  /**
   * The object of a key if it is cached. Loads nothing and waits for no load. Is a look-up like any
   * other apart from that: it counts as a hit or a miss, renews the time to idle, and starts a
   * refresh that is due.
   *
   * @param key the key
   * @return the object, or null if it is not cached, is loading, has expired, or if an absence or a
   *     failure is remembered (these two count as hits)
   * @throws NullPointerException if the key is null
   * @throws IllegalStateException if the cache is closed
   */
  @Nullable V getIfPresent(K key);

  /**
   * Stores an object and caches it in place of what is there. Over a {@link WritableStorage} the
   * storage has it when this returns; over other storages only the cache does.
   *
   * <p>Waits for earlier writes of the key through this cache to end, and stores on this thread.
   * The cached object is replaced when the storage has the new one; until then look-ups may get the
   * old one. A load under way is parted from the cache, see the comment of this class. An
   * invalidation of the key meanwhile is not held up, and the object is then stored and not kept in
   * the cache. Nor is one kept that the weigher finds heavier than the bound, or while the feed has
   * a gap.
   *
   * <p>If the storage fails, the state of the object there is unknown: the key is invalidated, and
   * the next look-up loads what the storage has.
   *
   * @param key the key
   * @param value the object
   * @throws NullPointerException if an argument is null
   * @throws CacheLoadException if the weigher or the expiry function failed; nothing was stored,
   *     and what is cached stays
   * @throws CacheWriteException if the storage failed; the key is invalidated
   * @throws CacheInterruptedException if this thread was interrupted: while it waited for its turn,
   *     and then nothing was stored, or while it stored, and then the key is invalidated. Its
   *     interrupt flag is set
   * @throws RecursiveLoadException if the storage, while it stores a key, writes the same key
   *     through this cache on the same thread
   * @throws IllegalStateException if the cache is closed
   */
  void put(K key, V value);

  /**
   * Stores several objects with one {@link WritableStorage#storeAll} and caches them. For each key
   * all that {@link #put} says holds; if the storage fails, all keys are invalidated.
   *
   * @param entries the objects by their keys; copied before anything else happens, an empty map
   *     does nothing
   * @throws NullPointerException if the map, a key or an object is null; nothing was stored
   * @throws CacheLoadException as for {@link #put}, for at least one key; nothing was stored
   * @throws CacheWriteException if the storage failed; the keys are invalidated
   * @throws CacheInterruptedException as for {@link #put}
   * @throws RecursiveLoadException as for {@link #put}
   * @throws IllegalStateException if the cache is closed
   */
  void putAll(Map<? extends K, ? extends V> entries);

  /**
   * Deletes an object from the storage, if that is a {@link WritableStorage}, and then from the
   * cache; over other storages it is {@link #invalidate}. Deleting what is absent is no error. The
   * order among writes of the key, and loads under way, are as for {@link #put}. If the storage
   * fails, the key is invalidated all the same.
   *
   * @param key the key
   * @throws NullPointerException if the key is null
   * @throws CacheWriteException if the storage failed; the key is invalidated
   * @throws CacheInterruptedException as for {@link #put}
   * @throws RecursiveLoadException as for {@link #put}
   * @throws IllegalStateException if the cache is closed
   */
  void remove(K key);

  /**
   * Drops what is cached under a key, be it an object, an absence or a failure. The storage is not
   * touched. Look-ups that start after this has returned load again; a load or a put that is under
   * way is not waited for and not kept, and those who had joined that load still get its outcome.
   * Counts as no eviction. Costs a short lock, whether the key is cached or not.
   *
   * @param key the key
   * @throws NullPointerException if the key is null
   * @throws IllegalStateException if the cache is closed
   */
  void invalidate(K key);

  /**
   * {@link #invalidate} for each of several keys, one after the other.
   *
   * @param keys the keys
   * @throws NullPointerException if the collection or a key is null; nothing is then invalidated
   * @throws IllegalStateException if the cache is closed
   */
  void invalidateAll(Collection<? extends K> keys);

  /**
   * {@link #invalidate} for every key, those that are loading now included. Look-ups of others go
   * on meanwhile. Costs time in proportion to the size of the cache.
   *
   * @throws IllegalStateException if the cache is closed
   */
  void invalidateAll();

  /**
   * Loads the object of a key anew, on the executor or through the {@link AsyncStorage}. The cached
   * object is served until the new one has come, which then replaces it. Without a cached object
   * this is a load that look-ups join; if a load or a refresh is under way, this joins it. Counts
   * no look-up, but the load.
   *
   * <p>A refresh that fails leaves an unexpired object as it is, and an expired one for as long as
   * {@link CacheBuilder#staleIfError} allows. One that finds the object absent removes it. One
   * whose key was meanwhile invalidated, put, removed or evicted stores nothing; its future still
   * holds what it loaded. One that the executor refuses fails, and is counted in {@link
   * CacheStats#postponedRefreshCount}; the object stays, and can be refreshed as before.
   *
   * @param key the key
   * @return a future of the loaded object, or of null if the storage has none, or of the exception
   *     as for {@link #getAsync}; as there, each call has its own
   * @throws NullPointerException if the key is null
   * @throws IllegalStateException if the cache is closed; while the load is under way the future
   *     fails with it
   */
  CompletableFuture<@Nullable V> refresh(K key);

  /**
   * Starts loads on the executor that nobody waits for, and returns. Keys that are cached or
   * loading are left alone; what is absent, too heavy or fails is counted and otherwise goes
   * unnoticed. What the executor refuses is dropped, and counted in {@link
   * CacheStats#droppedPrefetchCount}. Look-ups join these loads. Over a storage with a {@code
   * loadAll} of its own there is one load for all keys, else one for each. Counts no look-ups.
   *
   * @param keys the keys
   * @throws NullPointerException if the collection or a key is null; nothing is then loaded
   * @throws IllegalStateException if the cache is closed
   */
  void prefetch(Collection<? extends K> keys);

  /**
   * The cached objects as a map that is always up to date. It touches only the cache, never the
   * storage: it loads nothing, {@code put} and its like cache an object without storing it, and
   * {@code remove} and {@code clear} are {@link #invalidate} and {@link #invalidateAll()}. What it
   * puts is treated as by {@link #put} apart from that. Remembered absences and failures, and
   * objects that have expired or are still loading, are not in it.
   *
   * <p>{@code get} renews the time to idle and starts a refresh that is due; no method counts a hit
   * or a miss. {@code putIfAbsent}, {@code replace} and the two-argument {@code remove} are atomic.
   * {@code computeIfAbsent} and the other methods that take a function call it without a lock, and
   * perhaps more than once; to share the work, load through the cache instead. Iteration is weakly
   * consistent, throws no {@link java.util.ConcurrentModificationException}, and may remove. Null
   * keys and values are refused with a {@link NullPointerException}.
   *
   * <p>{@code size}, {@code containsValue} and iteration cost time in proportion to the cache; the
   * rest costs what the methods of the cache do.
   *
   * @return the view; making it costs nothing
   * @throws IllegalStateException if the cache is closed, by this method and by those of the view
   */
  ConcurrentMap<K, V> asMap();

  /**
   * How many entries the cache holds, including remembered absences and failures, and expired ones
   * that were not yet swept; objects that are loading do not count. Exact when nothing is under
   * way. Costs a short lock.
   *
   * @return the number of entries, zero or more
   * @throws IllegalStateException if the cache is closed
   */
  long estimatedSize();

  /**
   * What the cache has counted since it was built. Hits, misses and times are zero unless {@link
   * CacheBuilder#recordStats} was called. The figures are read one after the other, so they agree
   * with each other only when nothing is under way. Also answers after {@link #close}.
   *
   * @return the figures as they are now
   */
  CacheStats stats();

  /**
   * The bound and the order of this cache.
   *
   * @return a view; making it costs nothing
   * @throws IllegalStateException if the cache is closed
   */
  CachePolicy<K, V> policy();

  /**
   * Does the upkeep that is due: evicts what is beyond the bound and sweeps what has expired.
   * Afterwards, if nothing else is under way, the bound holds exactly. Misses and writes do this by
   * the way, so a cache in use needs no such call; one that lies idle frees the memory of expired
   * objects only by it.
   *
   * @throws IllegalStateException if the cache is closed
   */
  void cleanUp();

  /**
   * Closes the cache. All that wait for a load are released with an {@link IllegalStateException};
   * a load that is under way is not stopped, and its object is not kept. The removal listener is
   * not told. Threads of the cache end with the loads that they run. Closes a storage that the
   * cache opened by its URL, but not one that was passed in, nor an executor that was. Does not
   * wait for loads, so such a storage may be closed under them. A second close does nothing.
   */
  @Override
  void close();
}
