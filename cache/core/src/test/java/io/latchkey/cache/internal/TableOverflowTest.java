package io.latchkey.cache.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.testing.CollidingKey;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Keys of equal hashes beyond the length of a chain. */
class TableOverflowTest {
  private static final int KEYS = 20;

  private final Table table = new Table(100);
  private final List<Entry> entries = new ArrayList<>();

  @BeforeEach
  void fill() {
    for (int i = 0; i < KEYS; i++) {
      Entry mine = TableTest.entry(CollidingKey.of(i));
      assertThat(table.findOrInsert(mine)).isSameAs(mine);
      entries.add(mine);
    }
  }

  @AfterEach
  void consistent() {
    assertThat(TableCheck.faults(table)).isEmpty();
  }

  private Entry find(int number) {
    CollidingKey key = CollidingKey.of(number);
    Entry found = table.find(key, Table.hash(key));
    assertThat(table.findSurely(key, Table.hash(key))).isSameAs(found);
    return found;
  }

  @Test
  @DisplayName("A chain holds eight; the others are found in the overflow")
  void chainAndOverflow() {
    assertThat(table.overflowed()).hasSize(KEYS - Table.MAX_CHAIN);
    assertThat(table.count()).isEqualTo(KEYS);
    for (int i = 0; i < KEYS; i++) {
      assertThat(find(i)).isSameAs(entries.get(i));
    }
    assertThat(find(KEYS)).isNull();
  }

  @Test
  @DisplayName("F1: A key of the overflow gets no second entry, also when its chain has room again")
  void noTwin() {
    Entry overflowed = entries.get(KEYS - 1);
    assertThat(table.findOrInsert(TableTest.entry(overflowed.key))).isSameAs(overflowed);
    for (int i = 0; i < Table.MAX_CHAIN; i++) {
      assertThat(table.remove(entries.get(i))).isTrue();
    }
    assertThat(table.findOrInsert(TableTest.entry(overflowed.key))).isSameAs(overflowed);
    assertThat(table.overflowed()).hasSize(KEYS - Table.MAX_CHAIN);
    Entry fresh = TableTest.entry(CollidingKey.of(KEYS));
    assertThat(table.findOrInsert(fresh)).isSameAs(fresh);
    assertThat(table.overflowed()).as("the chain has room").doesNotContain(fresh);
    assertThat(find(KEYS)).isSameAs(fresh);
  }

  @Test
  @DisplayName("F4: In the overflow, too, only this very entry is removed or replaced")
  void onlyThisEntry() {
    Entry old = entries.get(KEYS - 1);
    Entry fresh = TableTest.entry(old.key);
    assertThat(table.replace(old, fresh)).isTrue();
    assertThat(find(KEYS - 1)).isSameAs(fresh);
    assertThat(table.replace(old, TableTest.entry(old.key))).isFalse();
    assertThat(table.remove(old)).isFalse();
    assertThat(find(KEYS - 1)).isSameAs(fresh);
    assertThat(table.remove(fresh)).isTrue();
    assertThat(find(KEYS - 1)).isNull();
    assertThat(table.count()).isEqualTo(KEYS - 1);
  }

  @Test
  @DisplayName("A key of the overflow is swapped and removed by key")
  void byKey() {
    Entry old = entries.get(KEYS - 1);
    Entry fresh = TableTest.entry(old.key);
    assertThat(table.swap(fresh, () -> true)).isSameAs(old);
    assertThat(find(KEYS - 1)).isSameAs(fresh);
    assertThat(table.swap(TableTest.entry(old.key), () -> false)).isSameAs(fresh);
    assertThat(find(KEYS - 1)).isNull();
    Entry other = entries.get(KEYS - 2);
    assertThat(table.remove(other.key, other.hash)).isSameAs(other);
    assertThat(find(KEYS - 2)).isNull();
    assertThat(table.overflowed()).hasSize(KEYS - 2 - Table.MAX_CHAIN);
  }

  /** A key that counts how often keys of its kind are compared. */
  private record Counted(int number, AtomicInteger comparisons) implements Comparable<Counted> {
    @Override
    public int compareTo(Counted other) {
      comparisons.incrementAndGet();
      return Integer.compare(number, other.number);
    }

    @Override
    public boolean equals(Object other) {
      comparisons.incrementAndGet();
      return other instanceof Counted that && number == that.number;
    }

    @Override
    public int hashCode() {
      return 7;
    }
  }

  @Test
  @DisplayName("F11: Among 4096 comparable keys of one hash a look-up compares a few dozen times")
  void comparableKeys() {
    AtomicInteger comparisons = new AtomicInteger();
    List<Counted> keys = new ArrayList<>();
    for (int i = 0; i < 4096; i++) {
      keys.add(new Counted(i, comparisons));
      table.findOrInsert(TableTest.entry(keys.get(i)));
    }
    comparisons.set(0);
    for (Counted key : keys) {
      assertThat(table.find(new Counted(key.number, comparisons), Table.hash(key))).isNotNull();
    }
    assertThat(comparisons.get() / keys.size()).isLessThan(60);
  }
}
