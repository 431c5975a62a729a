package io.latchkey.storage;

import java.util.Map;

/** A storage that can be written. */
public interface WritableStorage<K, V> extends Storage<K, V> {
  /** Stores an object; when this returns, the object is stored. */
  void store(K key, V value) throws Exception;

  /** Deletes an object; deleting what is absent is no error. */
  void delete(K key) throws Exception;

  /** Stores several objects. */
  default void storeAll(Map<? extends K, ? extends V> entries) throws Exception {
    for (Map.Entry<? extends K, ? extends V> entry : entries.entrySet()) {
      store(entry.getKey(), entry.getValue());
    }
  }
}
