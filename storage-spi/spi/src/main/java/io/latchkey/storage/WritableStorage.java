package io.latchkey.storage;

import java.util.Map;
import java.util.Objects;

/**
 * A storage that can be written.
 *
 * <p>When a write returns, it is done: later loads by any thread see it, and it is as durable as
 * the storage promises. When a write throws, its outcome is unknown, unless the storage says more.
 * Writes of one key by several threads take effect in some order, each as a whole; a load sees one
 * of the objects, never a mix. Thread-safe, like every storage.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the objects
 */
public interface WritableStorage<K, V> extends Storage<K, V> {
  /**
   * Stores an object, in place of what was there.
   *
   * @param key the key
   * @param value the object
   * @throws NullPointerException if the key or the object is null; nothing is then stored
   * @throws InterruptedException if the calling thread was interrupted and the storage gave up; the
   *     outcome is unknown
   * @throws Exception if storing failed; the outcome is unknown unless the storage says more
   */
  void store(K key, V value) throws Exception;

  /**
   * Deletes an object. Deleting what is absent is no error.
   *
   * @param key the key
   * @throws NullPointerException if the key is null
   * @throws InterruptedException if the calling thread was interrupted and the storage gave up; the
   *     outcome is unknown
   * @throws Exception if deleting failed; the outcome is unknown unless the storage says more
   */
  void delete(K key) throws Exception;

  /**
   * Stores several objects. This default stores them one by one, so that a failure can leave some
   * stored and others not; a storage that can store many in one round trip, or all or none,
   * overrides it and says so.
   *
   * @param entries the objects by their keys; an empty map does nothing
   * @throws NullPointerException if the map, a key or an object is null
   * @throws InterruptedException if the calling thread was interrupted and the storage gave up
   * @throws Exception if storing failed; the outcome is unknown unless the storage says more
   */
  default void storeAll(Map<? extends K, ? extends V> entries) throws Exception {
    Objects.requireNonNull(entries, "entries");
    for (Map.Entry<? extends K, ? extends V> entry : entries.entrySet()) {
      store(entry.getKey(), entry.getValue());
    }
  }
}
