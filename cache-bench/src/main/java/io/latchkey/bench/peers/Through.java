package io.latchkey.bench.peers;

import io.latchkey.storage.Storage;
import io.latchkey.storage.WritableStorage;
import org.jspecify.annotations.Nullable;

/** Loads from and stores to a storage without checked exceptions. */
final class Through<K, V> {
  private final Storage<K, V> storage;
  private final @Nullable WritableStorage<K, V> writable;

  Through(Storage<K, V> storage) {
    this.storage = storage;
    this.writable = storage instanceof WritableStorage<K, V> w ? w : null;
  }

  @Nullable V load(K key) {
    try {
      return storage.load(key);
    } catch (Exception e) {
      throw failure(e);
    }
  }

  /** Does nothing if the storage cannot be written. */
  void store(K key, V value) {
    if (writable == null) {
      return;
    }
    try {
      writable.store(key, value);
    } catch (Exception e) {
      throw failure(e);
    }
  }

  static StorageFailure failure(Throwable cause) {
    if (cause instanceof InterruptedException) {
      Thread.currentThread().interrupt();
    }
    return new StorageFailure(cause);
  }
}
