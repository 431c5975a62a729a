package io.latchkey.bench.memory;

import com.google.gson.JsonObject;
import io.latchkey.bench.forks.FreshJvm;
import io.latchkey.bench.peers.CacheUnderTest;
import io.latchkey.bench.peers.Implementation;
import io.latchkey.storage.Storage;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.lang.ref.Reference;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;

/** Fills one cache in a JVM of its own and tells what it retains. */
public final class MemoryProbe {
  /**
   * The serial collector leaves some dead objects where they are, to move less, but for every
   * fourth full collection (MarkSweepDeadRatio and MarkSweepAlwaysCompactCount of HotSpot).
   */
  private static final int COLLECTIONS = 5;

  private static final long QUIET_SECONDS = 10;
  private static final long FIRST_KEY = 1000; // Long itself keeps the smaller ones boxed

  private MemoryProbe() {}

  /** Takes the implementation, the bound and the number of objects loaded. */
  public static void main(String[] args) {
    Implementation implementation = Implementation.of(args[0]);
    FreshJvm.answer(probe(implementation, Integer.parseInt(args[1])));
  }

  private static JsonObject probe(Implementation implementation, int entries) {
    int loads = Math.addExact(entries, entries / 2); // what a full cache needs counts, too
    Long[] keys = new Long[loads];
    Object[] values = new Object[loads];
    for (int i = 0; i < loads; i++) {
      keys[i] = FIRST_KEY + i;
      values[i] = new Object();
    }
    warmUp(implementation);
    try {
      return probe(implementation, entries, keys, values);
    } finally {
      // Held until all is measured, so that they count neither before nor after.
      Reference.reachabilityFence(keys);
      Reference.reachabilityFence(values);
    }
  }

  private static JsonObject probe(
      Implementation implementation, int bound, Long[] keys, Object[] values) {
    Storage<Long, Object> storage = key -> values[(int) (key - FIRST_KEY)];
    long before = usedHeap();
    CacheUnderTest<Long, Object> cache = implementation.over(storage, bound);
    for (Long key : keys) {
      cache.get(key);
    }
    long held = cache.settledSize();
    long after = usedHeap();
    HeapWalk walk = new HeapWalk(4 * keys.length);
    walk.exclude(keys);
    walk.exclude(values);
    walk.exclude(new Object[] {keys, values, storage});
    walk.walk(cache);
    cache.close();
    JsonObject result = new JsonObject();
    result.addProperty("implementation", implementation.id());
    result.addProperty("entries", held);
    result.addProperty("objects", walk.objects());
    result.addProperty("bytes", walk.bytes());
    result.addProperty("heapBytes", after - before);
    return result;
  }

  /**
   * Measures a small cache, so that classes and threads do not count as the cache's that are loaded
   * and started for it: the JVM keeps the directory of each jar in which it looks for a class.
   */
  private static void warmUp(Implementation implementation) {
    Long[] keys = new Long[1000];
    Object[] values = new Object[keys.length];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = FIRST_KEY + i;
      values[i] = new Object();
    }
    JsonObject unused = probe(implementation, 100, keys, values);
  }

  private static long usedHeap() {
    ForkJoinPool.commonPool().awaitQuiescence(QUIET_SECONDS, TimeUnit.SECONDS);
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
    }
    long used = 0;
    for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
      // As it was when the collection ended, before anybody allocated again.
      MemoryUsage usage = pool.getCollectionUsage();
      if (pool.getType() == MemoryType.HEAP && usage != null) {
        used += usage.getUsed();
      }
    }
    return used;
  }
}
