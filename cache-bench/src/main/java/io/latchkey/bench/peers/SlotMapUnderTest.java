package io.latchkey.bench.peers;

import io.latchkey.storage.Storage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the caches that are written by hand over a {@link ConcurrentHashMap} have in common: a slot
 * for each key, and a bound by which the key that came in first is evicted first.
 *
 * @param <S> what stands in the map for an object
 */
abstract class SlotMapUnderTest<K, V, S> implements CacheUnderTest<K, V> {
  final ConcurrentHashMap<K, S> map = new ConcurrentHashMap<>();
  final FifoRing<K> ring;
  final Through<K, V> through;

  SlotMapUnderTest(Storage<K, V> storage, long bound) {
    through = new Through<>(storage);
    ring = new FifoRing<>(bound);
  }

  /** A slot that has its object from the start. */
  abstract S filled(V value);

  /**
   * A load that read the old object has put its slot in before it read, so before the store ended:
   * the map's put replaces it.
   */
  @Override
  public void put(K key, V value) {
    through.store(key, value);
    if (map.put(key, filled(value)) == null) {
      ring.admit(key, map);
    }
  }

  @Override
  public final void invalidate(K key) {
    map.remove(key);
  }

  @Override
  public final long settledSize() {
    return map.mappingCount();
  }

  @Override
  public final void close() {}
}
