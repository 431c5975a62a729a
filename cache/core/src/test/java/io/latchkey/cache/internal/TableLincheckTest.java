package io.latchkey.cache.internal;

import java.util.HashMap;
import java.util.Map;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Interleavings of the table's operations. Half the keys collide; the table is full, so that an
 * insertion makes it grow.
 */
@Param(name = "key", gen = IntGen.class, conf = "0:3")
@Param(name = "value", gen = IntGen.class, conf = "1:9")
@Timeout(300) // seconds; on a busy machine handing over between threads takes long
public class TableLincheckTest {
  private static final int STRIPES = 8;
  private static final int PRESENT = 7;
  private final Table table = new Table(0);

  /**
   * A table of 64 slots with 50 entries, 13 of them in the stripe of the keys of the test, and some
   * of those on top of keys 0 and 2, which are there from the start.
   */
  public TableLincheckTest() {
    table.findOrInsert(entry(slot(0), PRESENT));
    table.findOrInsert(entry(slot(2), PRESENT));
    for (int i = 0; i < 42; i++) {
      table.findOrInsert(entry(i, 0));
    }
    for (int i = 0; i < 5; i++) {
      table.findOrInsert(entry(STRIPES * (1000 + 4 + i % 2) + 64 * i, 0));
    }
  }

  /** Keys 0 and 1 share a slot, 2 and 3 another one, and all of them the stripe. */
  private static int slot(int key) {
    return STRIPES * (100 + key / 2 + 8 * (key % 2));
  }

  private static Entry entry(int key, int value) {
    return new Entry(key, key, value, Entry.READY);
  }

  private static @Nullable Integer value(@Nullable Entry entry) {
    return entry == null ? null : (Integer) entry.outcomePlain();
  }

  @Operation
  public @Nullable Integer find(@Param(name = "key") int key) {
    return value(table.findSurely(slot(key), slot(key)));
  }

  @Operation
  public @Nullable Integer insert(@Param(name = "key") int key, @Param(name = "value") int value) {
    Entry mine = entry(slot(key), value);
    Entry there = table.findOrInsert(mine);
    return there == mine ? null : value(there);
  }

  @Operation
  public @Nullable Integer swap(@Param(name = "key") int key, @Param(name = "value") int value) {
    return value(table.swap(entry(slot(key), value), () -> true));
  }

  @Operation
  public @Nullable Integer remove(@Param(name = "key") int key) {
    return value(table.remove(slot(key), slot(key)));
  }

  /** What the table has to look like. */
  public static class Model {
    private final Map<Integer, Integer> map = new HashMap<>(Map.of(0, PRESENT, 2, PRESENT));

    public @Nullable Integer find(int key) {
      return map.get(key);
    }

    public @Nullable Integer insert(int key, int value) {
      return map.putIfAbsent(key, value);
    }

    public @Nullable Integer swap(int key, int value) {
      return map.put(key, value);
    }

    public @Nullable Integer remove(int key) {
      return map.remove(key);
    }
  }

  @Test
  @DisplayName("Every interleaving that the model checker tries looks like one after the other")
  void modelChecking() {
    new ModelCheckingOptions()
        .iterations(10)
        .invocationsPerIteration(50)
        .threads(2)
        .actorsBefore(0)
        .actorsPerThread(3)
        .actorsAfter(2)
        .sequentialSpecification(Model.class)
        .check(TableLincheckTest.class);
  }

  @Test
  @DisplayName("Operations of three threads at full speed look like one after the other")
  void stress() {
    new StressOptions()
        .iterations(10)
        .invocationsPerIteration(1000)
        .threads(3)
        .actorsBefore(0)
        .actorsPerThread(3)
        .actorsAfter(2)
        .sequentialSpecification(Model.class)
        .check(TableLincheckTest.class);
  }
}
