package io.latchkey.storage.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.storage.Storage;
import io.latchkey.storage.StorageUrl;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** What every storage keeps. */
final class ReadChecks<K, V> {
  private static final int MANY = 1000;
  private static final int THREADS = 4;

  private final StorageContract<K, V> contract;

  ReadChecks(StorageContract<K, V> contract) {
    this.contract = contract;
  }

  CheckList<K, V> checks(boolean filled) {
    CheckList<K, V> checks = new CheckList<>(contract);
    checks.add("load: an absent object is null", this::absentIsNull);
    checks.add("load: a null key is a NullPointerException", this::nullKey);
    checks.add("loadAll: an empty set gives an empty map", this::emptySet);
    checks.add("loadAll: a null set is a NullPointerException", this::nullSet);
    checks.add("loadAll: absent objects are missing from the map", this::absentAreMissing);
    checks.add("name: not empty, constant, without credentials", this::name);
    checks.add("interrupts: an interrupted load harms nobody else", this::interruptedLoad);
    if (filled) {
      checks.add("load: what is there is loaded", this::loads);
      checks.add("load: threads load at the same time", this::loadsOnThreads);
      checks.add("loadAll: finds what is there, and only what was asked for", this::loadsAll);
      checks.add("loadAll: a thousand keys at once", this::loadsMany);
    }
    return checks;
  }

  private void put(Storage<K, V> storage, int number) throws Exception {
    contract.put(storage, contract.key(number), contract.value(number));
  }

  private void absentIsNull(Storage<K, V> storage) throws Exception {
    assertThat(storage.load(contract.key(0))).isNull();
    assertThat(storage.load(contract.key(0))).as("the second time").isNull();
  }

  @SuppressWarnings("NullAway") // what is checked is the answer to a null
  private void nullKey(Storage<K, V> storage) {
    assertThatThrownBy(() -> storage.load(null)).isInstanceOf(NullPointerException.class);
  }

  private void emptySet(Storage<K, V> storage) throws Exception {
    assertThat(storage.loadAll(Set.of())).isEmpty();
  }

  @SuppressWarnings("NullAway") // what is checked is the answer to a null
  private void nullSet(Storage<K, V> storage) {
    assertThatThrownBy(() -> storage.loadAll(null)).isInstanceOf(NullPointerException.class);
  }

  private void absentAreMissing(Storage<K, V> storage) throws Exception {
    assertThat(storage.loadAll(keys(0, 3))).isEmpty();
  }

  private void name(Storage<K, V> storage) {
    String name = storage.name();
    assertThat(name).isNotBlank();
    assertThat(name).as("credentials removed").isEqualTo(StorageUrl.redact(name));
    assertThat(storage.name()).isEqualTo(name);
    storage.close();
    assertThat(storage.name()).as("after close").isEqualTo(name);
  }

  private void interruptedLoad(Storage<K, V> storage) throws Exception {
    Crew.start(
            1,
            thread -> {
              Thread.currentThread().interrupt();
              for (int i = 0; i < 10; i++) {
                try {
                  assertThat(storage.load(contract.key(i))).isNull();
                } catch (Exception e) {
                  // The interrupted call may fail.
                  Thread.currentThread().interrupt();
                }
              }
            })
        .join(contract.patience());
    assertThat(storage.load(contract.key(0))).as("on another thread").isNull();
  }

  private void loads(Storage<K, V> storage) throws Exception {
    put(storage, 0);
    put(storage, 1);
    contract.assertSame(storage.load(contract.key(0)), contract.value(0));
    contract.assertSame(storage.load(contract.key(1)), contract.value(1));
    assertThat(storage.load(contract.key(2))).isNull();
  }

  private void loadsOnThreads(Storage<K, V> storage) throws Exception {
    for (int i = 0; i < 50; i++) {
      put(storage, i);
    }
    Crew.start(
            THREADS,
            thread -> {
              for (int i = 0; i < 100; i++) {
                int number = (i * 7 + thread) % 60;
                V loaded = storage.load(contract.key(number));
                if (number < 50) {
                  contract.assertSame(loaded, contract.value(number));
                } else {
                  assertThat(loaded).isNull();
                }
              }
            })
        .join(contract.patience());
  }

  private void loadsAll(Storage<K, V> storage) throws Exception {
    for (int i = 0; i < 4; i++) {
      put(storage, i);
    }
    Map<K, V> found = storage.loadAll(keys(2, 6));
    assertThat(found.keySet()).containsExactlyInAnyOrder(contract.key(2), contract.key(3));
    contract.assertSame(found.get(contract.key(2)), contract.value(2));
    contract.assertSame(found.get(contract.key(3)), contract.value(3));
  }

  private void loadsMany(Storage<K, V> storage) throws Exception {
    for (int i = 0; i < MANY; i += 10) {
      put(storage, i);
    }
    Map<K, V> found = storage.loadAll(keys(0, MANY));
    assertThat(found).hasSize(MANY / 10);
    for (int i = 0; i < MANY; i += 10) {
      contract.assertSame(found.get(contract.key(i)), contract.value(i));
    }
  }

  private Set<K> keys(int from, int to) {
    Set<K> keys = new LinkedHashSet<>();
    for (int i = from; i < to; i++) {
      keys.add(contract.key(i));
    }
    return keys;
  }
}
