package io.latchkey.storage;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A source of objects by key; one abstract method, so that a lambda is a storage. */
@FunctionalInterface
public interface Storage<K, V> extends AutoCloseable {
  /** Loads one object; null means that the storage has no such object. */
  @Nullable V load(K key) throws Exception;

  /** Loads several objects; what is missing from the result is absent. */
  default Map<K, V> loadAll(Set<? extends K> keys) throws Exception {
    Map<K, V> found = new LinkedHashMap<>();
    for (K key : keys) {
      V value = load(key);
      if (value != null) {
        found.put(key, value);
      }
    }
    return found;
  }

  /** The name used in messages; the simple name of the class unless overridden. */
  default String name() {
    return getClass().getSimpleName();
  }

  @Override
  default void close() {}
}
