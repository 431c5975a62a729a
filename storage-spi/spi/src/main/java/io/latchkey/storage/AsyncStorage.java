package io.latchkey.storage;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A storage that completes a load instead of blocking a thread. {@link Storage#load} stays the
 * blocking way to the same objects. Thread-safe, like every storage.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the objects
 */
public interface AsyncStorage<K, V> extends Storage<K, V> {
  /**
   * Starts a load and returns at once.
   *
   * @param key the key
   * @return a stage that completes with the object, with null when there is none, or with what a
   *     blocking load would throw, not wrapped. It completes on a thread of the storage, so what
   *     depends on it must be short or move to an executor. Never null
   * @throws NullPointerException if the key is null; any other failure is in the stage
   */
  CompletionStage<@Nullable V> loadAsync(K key);
}
