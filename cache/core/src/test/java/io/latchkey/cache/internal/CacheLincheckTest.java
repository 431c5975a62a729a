package io.latchkey.cache.internal;

import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;

import io.latchkey.cache.Cache;
import io.latchkey.storage.WritableStorage;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Options;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Interleavings of a cache's operations. */
@Timeout(300) // seconds; on a busy machine handing over between threads takes long
class CacheLincheckTest {
  /** A cache without a bound, over a storage that cannot be written. */
  @Param(name = "key", gen = IntGen.class, conf = "1:2")
  @Param(name = "value", gen = IntGen.class, conf = "1:9")
  public static class ReadOnly {
    private final Cache<Integer, Integer> cache =
        Cache.<Integer, Integer>over(key -> -key).executor(Runnable::run).build();

    @Operation
    public @Nullable Integer get(@Param(name = "key") int key) {
      return cache.get(key);
    }

    @Operation
    public @Nullable Integer getIfPresent(@Param(name = "key") int key) {
      return cache.getIfPresent(key);
    }

    @Operation
    public void put(@Param(name = "key") int key, @Param(name = "value") int value) {
      cache.put(key, value);
    }

    @Operation
    public void invalidate(@Param(name = "key") int key) {
      cache.invalidate(key);
    }
  }

  /** What a cache over a storage that cannot be written has to look like. */
  public static class ReadOnlyModel {
    private final Map<Integer, Integer> map = new HashMap<>();

    public @Nullable Integer get(int key) {
      return map.computeIfAbsent(key, absent -> -absent);
    }

    public @Nullable Integer getIfPresent(int key) {
      return map.get(key);
    }

    public void put(int key, int value) {
      map.put(key, value);
    }

    public void invalidate(int key) {
      map.remove(key);
    }
  }

  /** A cache with room for one object, over a storage that can be written. */
  @Param(name = "key", gen = IntGen.class, conf = "1:2")
  @Param(name = "value", gen = IntGen.class, conf = "1:9")
  public static class Bounded {
    private final Cache<Integer, Integer> cache =
        Cache.over(new Contents()).maximumSize(1).executor(Runnable::run).build();

    @Operation
    public @Nullable Integer get(@Param(name = "key") int key) {
      return cache.get(key);
    }

    @Operation
    public void put(@Param(name = "key") int key, @Param(name = "value") int value) {
      cache.put(key, value);
    }

    @Operation
    public void remove(@Param(name = "key") int key) {
      cache.remove(key);
    }

    @Operation
    public void invalidate(@Param(name = "key") int key) {
      cache.invalidate(key);
    }
  }

  private static final class Contents implements WritableStorage<Integer, Integer> {
    private final Map<Integer, Integer> map = new ConcurrentHashMap<>();

    @Override
    public @Nullable Integer load(Integer key) {
      return map.get(key);
    }

    @Override
    public void store(Integer key, Integer value) {
      map.put(key, value);
    }

    @Override
    public void delete(Integer key) {
      map.remove(key);
    }
  }

  /** With a storage that is written through, neither evictions nor invalidations show. */
  public static class BoundedModel {
    private final Map<Integer, Integer> map = new HashMap<>();

    public @Nullable Integer get(int key) {
      return map.get(key);
    }

    public void put(int key, int value) {
      map.put(key, value);
    }

    public void remove(int key) {
      map.remove(key);
    }

    public void invalidate(int key) {}
  }

  private static ModelCheckingOptions fewInterleavings(int scenarios) {
    return new ModelCheckingOptions()
        .iterations(scenarios)
        .invocationsPerIteration(40)
        .threads(2)
        // A deep recursion with nothing shared in it would be taken for an endless loop.
        .addGuarantee(forClasses(Headroom.class.getName()).allMethods().ignore());
  }

  private static StressOptions manyRuns() {
    return new StressOptions().iterations(8).invocationsPerIteration(500).threads(3);
  }

  private static void check(Options<?, ?> options, Class<?> cache, Class<?> model) {
    options
        .actorsBefore(1)
        .actorsPerThread(3)
        .actorsAfter(2)
        .sequentialSpecification(model)
        .check(cache);
  }

  @Test
  @DisplayName("F2, F5: Every interleaving that is tried looks like one call after the other")
  void readOnlyByModel() {
    check(fewInterleavings(10), ReadOnly.class, ReadOnlyModel.class);
  }

  @Test
  @DisplayName("F2, F5: Calls of three threads at full speed look like one after the other")
  void readOnlyByStress() {
    check(manyRuns(), ReadOnly.class, ReadOnlyModel.class);
  }

  @Test
  @DisplayName("F18, E2: The same with writes through a cache that evicts")
  void boundedByModel() {
    check(fewInterleavings(5), Bounded.class, BoundedModel.class);
  }

  @Test
  @DisplayName("F18, E2: The same with writes through a cache that evicts, at full speed")
  void boundedByStress() {
    check(manyRuns(), Bounded.class, BoundedModel.class);
  }
}
