package io.latchkey.storage;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A storage that completes a load instead of blocking a thread. */
public interface AsyncStorage<K, V> extends Storage<K, V> {
  /** Starts a load; the stage completes with the object, or with null when it is absent. */
  CompletionStage<@Nullable V> loadAsync(K key);
}
