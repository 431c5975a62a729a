package io.latchkey.cache;

/**
 * Is told of objects that left the cache, see {@link CacheBuilder#removalListener}.
 *
 * <pre>{@code
 * RemovalListener<Long, String> toJournal = (id, name, cause) -> journal.add(id + " " + cause);
 * }</pre>
 *
 * <p>An object that has left may still be in the hands of callers. Remembered absences and failures
 * are no objects; nor is the listener told of what the cache never kept, or of what it holds when
 * it is closed.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the objects
 */
@FunctionalInterface
public interface RemovalListener<K, V> {
  /**
   * The object has left the cache. Called once for each, on the executor, with no lock held; if the
   * executor refuses, on the thread that removed it. Calls may overlap and come in another order
   * than the removals. What this throws is logged as a warning and dropped.
   *
   * @param key the key
   * @param value the object
   * @param cause why
   */
  void removed(K key, V value, RemovalCause cause);
}
