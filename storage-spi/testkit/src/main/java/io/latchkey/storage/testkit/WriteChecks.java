package io.latchkey.storage.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.storage.WritableStorage;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import org.jspecify.annotations.Nullable;

/** What storages that can be written keep. */
final class WriteChecks<K, V> {
  private static final int THREADS = 4;

  private final StorageContract<K, V> contract;

  WriteChecks(StorageContract<K, V> contract) {
    this.contract = contract;
  }

  CheckList<K, V> checks() {
    CheckList<K, V> checks = new CheckList<>(contract);
    checks.addWritable("store: what was stored is loaded", this::readsItsWrites);
    checks.addWritable("store: takes the place of what was there", this::overwrites);
    checks.addWritable("store: a null key or object is refused and nothing stored", this::nulls);
    checks.addWritable("delete: what was deleted is absent", this::deletes);
    checks.addWritable("delete: what is absent can be deleted", this::deletesAbsent);
    checks.addWritable("delete: a null key is a NullPointerException", this::deletesNull);
    checks.addWritable("delete: what was deleted can be stored again", this::storesAgain);
    checks.addWritable("storeAll: stores all, old and new", this::storesAll);
    checks.addWritable("storeAll: an empty map does nothing", this::storesNone);
    checks.addWritable("storeAll: a thousand objects at once", this::storesMany);
    checks.addWritable("storeAll: null is a NullPointerException", this::storesNullMap);
    checks.addWritable("threads: each one's writes are kept", this::threadsWriteTheirKeys);
    checks.addWritable("threads: writes of one key leave one of the objects", this::threadsRace);
    checks.addWritable("threads: a write that returned is seen by the others", this::isSeen);
    checks.addWritable("interrupts: an interrupted write harms nobody else", this::interrupted);
    if (!contract.oddKeys().isEmpty()) {
      checks.addWritable("odd keys are told apart", this::oddKeys);
    }
    if (!contract.oddValues().isEmpty()) {
      checks.addWritable("odd objects come back as they were", this::oddValues);
    }
    return checks;
  }

  private K key(int number) {
    return contract.key(number);
  }

  private V value(int number) {
    return contract.value(number);
  }

  private void assertLoads(WritableStorage<K, V> storage, int key, int value) throws Exception {
    contract.assertSame(storage.load(key(key)), value(value));
  }

  private void readsItsWrites(WritableStorage<K, V> storage) throws Exception {
    for (int i = 0; i < 20; i++) {
      storage.store(key(i), value(i));
      assertLoads(storage, i, i);
    }
    for (int i = 0; i < 20; i++) {
      assertLoads(storage, i, i);
    }
  }

  private void overwrites(WritableStorage<K, V> storage) throws Exception {
    for (int i = 0; i < 20; i++) {
      storage.store(key(0), value(i));
      assertLoads(storage, 0, i);
    }
  }

  @SuppressWarnings("NullAway") // what is checked is the answer to a null
  private void nulls(WritableStorage<K, V> storage) throws Exception {
    assertThatThrownBy(() -> storage.store(null, value(0)))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> storage.store(key(0), null)).isInstanceOf(NullPointerException.class);
    assertThat(storage.load(key(0))).isNull();
  }

  private void deletes(WritableStorage<K, V> storage) throws Exception {
    storage.store(key(0), value(0));
    storage.store(key(1), value(1));
    storage.delete(key(0));
    assertThat(storage.load(key(0))).isNull();
    assertLoads(storage, 1, 1);
  }

  private void deletesAbsent(WritableStorage<K, V> storage) throws Exception {
    storage.delete(key(0));
    storage.delete(key(0));
    assertThat(storage.load(key(0))).isNull();
  }

  @SuppressWarnings("NullAway") // what is checked is the answer to a null
  private void deletesNull(WritableStorage<K, V> storage) {
    assertThatThrownBy(() -> storage.delete(null)).isInstanceOf(NullPointerException.class);
  }

  private void storesAgain(WritableStorage<K, V> storage) throws Exception {
    storage.store(key(0), value(0));
    storage.delete(key(0));
    storage.store(key(0), value(1));
    assertLoads(storage, 0, 1);
  }

  private void storesAll(WritableStorage<K, V> storage) throws Exception {
    storage.store(key(0), value(10));
    storage.store(key(5), value(5));
    storage.storeAll(entries(3));
    for (int i = 0; i < 3; i++) {
      assertLoads(storage, i, i);
    }
    assertLoads(storage, 5, 5);
  }

  private void storesNone(WritableStorage<K, V> storage) throws Exception {
    storage.storeAll(Map.of());
    assertThat(storage.load(key(0))).isNull();
  }

  private void storesMany(WritableStorage<K, V> storage) throws Exception {
    Map<K, V> entries = entries(1000);
    storage.storeAll(entries);
    assertThat(storage.loadAll(entries.keySet())).hasSize(1000);
    for (int i = 0; i < 1000; i += 37) {
      assertLoads(storage, i, i);
    }
  }

  @SuppressWarnings("NullAway") // what is checked is the answer to a null
  private void storesNullMap(WritableStorage<K, V> storage) {
    assertThatThrownBy(() -> storage.storeAll(null)).isInstanceOf(NullPointerException.class);
  }

  private Map<K, V> entries(int count) {
    Map<K, V> entries = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      entries.put(key(i), value(i));
    }
    return entries;
  }

  private void threadsWriteTheirKeys(WritableStorage<K, V> storage) throws Exception {
    int each = 50;
    Crew.start(
            THREADS,
            thread -> {
              for (int i = 0; i < each; i++) {
                int number = thread * each + i;
                storage.store(key(number), value(number));
                assertLoads(storage, number, number);
                if (i % 5 == 0) {
                  storage.delete(key(number));
                }
              }
            })
        .join(contract.patience());
    for (int number = 0; number < THREADS * each; number++) {
      if (number % each % 5 == 0) {
        assertThat(storage.load(key(number))).isNull();
      } else {
        assertLoads(storage, number, number);
      }
    }
  }

  private void threadsRace(WritableStorage<K, V> storage) throws Exception {
    List<V> candidates = List.of(value(0), value(1), value(2), value(3));
    storage.store(key(0), value(0));
    Crew.start(
            THREADS,
            thread -> {
              for (int i = 0; i < 50; i++) {
                storage.store(key(0), value(thread));
                assertOneOf(storage.load(key(0)), candidates);
              }
            })
        .join(contract.patience());
    assertOneOf(storage.load(key(0)), candidates);
  }

  private void assertOneOf(@Nullable V actual, List<V> candidates) {
    if (candidates.stream().noneMatch(candidate -> isSame(actual, candidate))) {
      throw new AssertionError(actual + " is none of the objects stored: " + candidates);
    }
  }

  private boolean isSame(@Nullable V actual, V expected) {
    try {
      contract.assertSame(actual, expected);
      return true;
    } catch (AssertionError e) {
      return false;
    }
  }

  private void isSeen(WritableStorage<K, V> storage) throws Exception {
    CyclicBarrier turn = new CyclicBarrier(2);
    Crew.start(
            2,
            thread -> {
              for (int i = 0; i < 30; i++) {
                if (thread == 0) {
                  storage.store(key(0), value(i));
                }
                turn.await();
                assertLoads(storage, 0, i);
                turn.await();
              }
            })
        .join(contract.patience());
  }

  private void interrupted(WritableStorage<K, V> storage) throws Exception {
    Crew.start(
            1,
            thread -> {
              for (int i = 0; i < 10; i++) {
                Thread.currentThread().interrupt();
                try {
                  storage.store(key(0), value(0));
                  storage.delete(key(0));
                } catch (Exception e) {
                  // The interrupted call may fail, for the storage's own kind of interrupt too.
                  Thread.currentThread().interrupt();
                }
              }
            })
        .join(contract.patience());
    storage.store(key(1), value(1));
    assertLoads(storage, 1, 1);
    V left = storage.load(key(0));
    if (left != null) {
      contract.assertSame(left, value(0));
    }
  }

  private void oddKeys(WritableStorage<K, V> storage) throws Exception {
    List<K> keys = contract.oddKeys();
    for (int i = 0; i < keys.size(); i++) {
      assertThat(storage.load(keys.get(i))).isNull();
      storage.store(keys.get(i), value(i));
    }
    for (int i = 0; i < keys.size(); i++) {
      contract.assertSame(storage.load(keys.get(i)), value(i));
    }
    storage.delete(keys.get(0));
    assertThat(storage.load(keys.get(0))).isNull();
  }

  private void oddValues(WritableStorage<K, V> storage) throws Exception {
    List<V> values = contract.oddValues();
    for (int i = 0; i < values.size(); i++) {
      storage.store(key(i), values.get(i));
    }
    for (int i = 0; i < values.size(); i++) {
      contract.assertSame(storage.load(key(i)), values.get(i));
    }
  }
}
