package io.latchkey.cache.internal;

import io.latchkey.cache.Cache;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Interleavings of operations on a cache as a map. */
@Timeout(300) // seconds; on a busy machine handing over between threads takes long
class MapViewLincheckTest {
  /** Operations on a map. */
  @Param(name = "key", gen = IntGen.class, conf = "1:2")
  @Param(name = "value", gen = IntGen.class, conf = "1:3")
  public abstract static class Operations {
    private final ConcurrentMap<Integer, Integer> map;

    Operations(ConcurrentMap<Integer, Integer> map) {
      this.map = map;
    }

    @Operation
    public @Nullable Integer get(@Param(name = "key") int key) {
      return map.get(key);
    }

    @Operation
    public boolean containsKey(@Param(name = "key") int key) {
      return map.containsKey(key);
    }

    @Operation
    public @Nullable Integer put(@Param(name = "key") int key, @Param(name = "value") int value) {
      return map.put(key, value);
    }

    @Operation
    public @Nullable Integer putIfAbsent(
        @Param(name = "key") int key, @Param(name = "value") int value) {
      return map.putIfAbsent(key, value);
    }

    @Operation
    public @Nullable Integer remove(@Param(name = "key") int key) {
      return map.remove(key);
    }

    @Operation
    public boolean removeThis(@Param(name = "key") int key, @Param(name = "value") int value) {
      return map.remove(key, value);
    }

    @Operation
    public @Nullable Integer replace(
        @Param(name = "key") int key, @Param(name = "value") int value) {
      return map.replace(key, value);
    }

    @Operation
    public boolean replaceThis(
        @Param(name = "key") int key,
        @Param(name = "value") int before,
        @Param(name = "value") int value) {
      return map.replace(key, before, value);
    }
  }

  /** A cache without a bound, as a map. */
  public static class View extends Operations {
    /** An empty view. */
    public View() {
      super(Cache.<Integer, Integer>over(key -> null).executor(Runnable::run).build().asMap());
    }
  }

  /** The map of the JDK. */
  public static class Model extends Operations {
    /** An empty map. */
    public Model() {
      super(new ConcurrentHashMap<>());
    }
  }

  @Test
  @DisplayName("Every interleaving that is tried looks like one operation after the other")
  void modelChecking() {
    new ModelCheckingOptions()
        .iterations(15)
        .invocationsPerIteration(60)
        .threads(2)
        .actorsBefore(1)
        .actorsPerThread(2)
        .actorsAfter(1)
        .sequentialSpecification(Model.class)
        .check(View.class);
  }
}
