package io.latchkey.bench.peers;

import io.latchkey.storage.Storage;
import org.jspecify.annotations.Nullable;

/** No cache: each read is a load. The floor. */
final class DirectUnderTest<K, V> implements CacheUnderTest<K, V> {
  private final Through<K, V> through;

  DirectUnderTest(Storage<K, V> storage) {
    through = new Through<>(storage);
  }

  @Override
  public @Nullable V get(K key) {
    return through.load(key);
  }

  @Override
  public void put(K key, V value) {
    through.store(key, value);
  }

  @Override
  public void invalidate(K key) {}

  @Override
  public long settledSize() {
    return 0;
  }

  @Override
  public void close() {}
}
