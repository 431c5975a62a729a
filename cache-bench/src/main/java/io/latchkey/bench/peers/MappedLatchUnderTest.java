package io.latchkey.bench.peers;

import io.latchkey.storage.Storage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The rejected table: entries that are their own latch, as ours, but held by a {@link
 * ConcurrentHashMap} instead of a table whose nodes they are. A hit pays one more dependent read,
 * from the map's node to the entry, and every entry pays for that node, 32 bytes.
 *
 * <p>The policy is a plain clock ({@link ClockRing}), which remembers nothing of what it evicted,
 * so hits compare with ours to the point, misses and memory roughly.
 *
 * <p>Measured on JDK 17: it retains 68 bytes for each of 1,000,000 entries, ours 57 with what its
 * policy remembers, and allocates 56 bytes for a miss, ours 32.
 */
final class MappedLatchUnderTest<K, V> implements CacheUnderTest<K, V> {
  private final ConcurrentHashMap<K, LatchEntry<K, V>> map = new ConcurrentHashMap<>();
  private final ClockRing<K, V> ring;
  private final Through<K, V> through;

  MappedLatchUnderTest(Storage<K, V> storage, long bound) {
    through = new Through<>(storage);
    ring = new ClockRing<>(bound, map);
  }

  @Override
  public @Nullable V get(K key) {
    LatchEntry<K, V> entry = map.get(key);
    if (entry != null && entry.isReady()) {
      entry.touch();
      return entry.value();
    }
    return miss(key, entry);
  }

  private @Nullable V miss(K key, @Nullable LatchEntry<K, V> seen) {
    if (seen != null) {
      return seen.await();
    }
    LatchEntry<K, V> mine = new LatchEntry<>(key);
    LatchEntry<K, V> first = map.putIfAbsent(key, mine);
    return first != null ? first.await() : lead(mine);
  }

  private @Nullable V lead(LatchEntry<K, V> mine) {
    V value;
    try {
      value = through.load(mine.key);
    } catch (Throwable e) {
      map.remove(mine.key, mine);
      mine.fail(e);
      throw e;
    }
    mine.publish(value);
    if (value == null) {
      map.remove(mine.key, mine);
    } else {
      ring.admit(mine);
    }
    return value;
  }

  @Override
  public void put(K key, V value) {
    through.store(key, value);
    LatchEntry<K, V> entry = new LatchEntry<>(key);
    entry.publish(value);
    map.put(key, entry);
    ring.admit(entry);
  }

  @Override
  public void invalidate(K key) {
    map.remove(key);
  }

  @Override
  public long settledSize() {
    return map.mappingCount();
  }

  @Override
  public void close() {}
}
