package io.latchkey.bench.peers;

import io.latchkey.storage.Storage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A bare {@link ConcurrentHashMap} with the cheapest bound there is: a hit is the map's {@code get}
 * and nothing else. The ceiling.
 */
final class MapUnderTest<K, V> extends SlotMapUnderTest<K, V, V> {
  MapUnderTest(Storage<K, V> storage, long bound) {
    super(storage, bound);
  }

  @Override
  public @Nullable V get(K key) {
    V value = map.get(key);
    return value != null ? value : load(key);
  }

  private @Nullable V load(K key) {
    Loading loading = new Loading();
    V value = map.computeIfAbsent(key, loading);
    if (loading.ran && value != null) {
      ring.admit(key, map);
    }
    return value;
  }

  @Override
  V filled(V value) {
    return value;
  }

  /**
   * Stores under the map's lock on the key, as its load, unlike a slot's, has nothing in the map.
   */
  @Override
  public void put(K key, V value) {
    Storing storing = new Storing(value);
    map.compute(key, storing);
    if (storing.added) {
      ring.admit(key, map);
    }
  }

  /** Tells whether it was this call that loaded. */
  private final class Loading implements Function<K, @Nullable V> {
    boolean ran;

    @Override
    public @Nullable V apply(K key) {
      ran = true;
      return through.load(key);
    }
  }

  /** Stores under the map's lock on the key, so that a load cannot bring back what was before. */
  private final class Storing implements BiFunction<K, @Nullable V, V> {
    private final V value;
    boolean added;

    Storing(V value) {
      this.value = value;
    }

    @Override
    public V apply(K key, @Nullable V old) {
      added = old == null;
      through.store(key, value);
      return value;
    }
  }
}
