package io.latchkey.bench.jmh;

import io.latchkey.bench.peers.CacheUnderTest;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.infra.ThreadParams;

/** One thread that reads a cache in the order of a sequence, round and round. */
final class Reader {
  private final CacheUnderTest<Object, Object> cache;
  private final Object[] keys;
  private int position;

  /** Each thread starts at a place of its own. */
  Reader(CacheUnderTest<Object, Object> cache, Object[] keys, ThreadParams thread) {
    this.cache = cache;
    this.keys = keys;
    position = (int) ((long) keys.length * thread.getThreadIndex() / thread.getThreadCount());
  }

  @Nullable Object next() {
    Object key = keys[position];
    position = position + 1 == keys.length ? 0 : position + 1;
    return cache.get(key);
  }
}
