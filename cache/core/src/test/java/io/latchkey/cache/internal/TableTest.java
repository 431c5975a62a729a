package io.latchkey.cache.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.cache.testing.Callers;
import io.latchkey.cache.testing.CollidingKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The table by one thread; see {@link TableGrowthTest} for growth. */
class TableTest {
  private final Table table = new Table(100);

  @AfterEach
  void consistent() {
    assertThat(TableCheck.faults(table)).isEmpty();
  }

  static Entry entry(Object key) {
    return new Entry(key, Table.hash(key), "value of " + key, Entry.READY);
  }

  private static Entry find(Table in, Object key) {
    Entry found = in.find(key, Table.hash(key));
    assertThat(in.findSurely(key, Table.hash(key))).isSameAs(found);
    return found;
  }

  private Entry insert(Object key) {
    Entry mine = entry(key);
    assertThat(table.findOrInsert(mine)).isSameAs(mine);
    return mine;
  }

  @Test
  @DisplayName("What was inserted is found by an equal key, and nothing else is")
  void findsWhatIsThere() {
    Entry one = insert("one");
    Entry two = insert("two");
    assertThat(find(table, new String("one"))).isSameAs(one);
    assertThat(find(table, new String("two"))).isSameAs(two);
    assertThat(find(table, "three")).isNull();
    assertThat(table.count()).isEqualTo(2);
  }

  @Test
  @DisplayName("Keys of one hash are told apart, and so are keys of one slot")
  void collisions() {
    Map<Object, Entry> expected = new HashMap<>();
    for (int i = 0; i < 5; i++) {
      expected.put(CollidingKey.of(i), insert(CollidingKey.of(i)));
      expected.put(i * 4096, insert(i * 4096));
    }
    expected.forEach((key, entry) -> assertThat(find(table, key)).isSameAs(entry));
    assertThat(find(table, CollidingKey.of(5))).isNull();
    assertThat(find(table, 5 * 4096)).isNull();
  }

  @Test
  @DisplayName("F1: Of two entries of a key, the one that was there stays")
  void secondInsert() {
    Entry first = insert("key");
    assertThat(table.findOrInsert(entry(new String("key")))).isSameAs(first);
    assertThat(find(table, "key")).isSameAs(first);
    assertThat(table.count()).isEqualTo(1);
  }

  @Test
  @DisplayName("A swap installs where it may, and removes what is there where it may not")
  void swap() {
    Entry first = entry("key");
    Entry second = entry("key");
    assertThat(table.swap(first, () -> true)).isNull();
    assertThat(find(table, "key")).isSameAs(first);
    assertThat(table.swap(second, () -> true)).isSameAs(first);
    assertThat(find(table, "key")).isSameAs(second);
    assertThat(table.count()).isEqualTo(1);
    assertThat(table.swap(entry("key"), () -> false)).isSameAs(second);
    assertThat(find(table, "key")).isNull();
    assertThat(table.count()).isZero();
    assertThat(table.swap(entry("key"), () -> false)).isNull();
    assertThat(find(table, "key")).isNull();
  }

  @Test
  @DisplayName("F4: Removing or replacing this very entry touches no newer one of its key")
  void onlyThisEntry() {
    Entry old = insert("key");
    Entry fresh = entry("key");
    assertThat(table.replace(old, fresh)).isTrue();
    assertThat(find(table, "key")).isSameAs(fresh);
    assertThat(table.count()).isEqualTo(1);

    assertThat(table.remove(old)).isFalse();
    assertThat(table.replace(old, entry("key"))).isFalse();
    assertThat(find(table, "key")).isSameAs(fresh);

    assertThat(table.remove(fresh)).isTrue();
    assertThat(table.remove(fresh)).isFalse();
    assertThat(find(table, "key")).isNull();
    assertThat(table.count()).isZero();
  }

  @Test
  @DisplayName("Removing by key returns the entry; another key of its hash stays")
  void removeByKey() {
    Entry first = insert(CollidingKey.of(1));
    Entry second = insert(CollidingKey.of(2));
    Entry third = insert(CollidingKey.of(3));
    assertThat(table.remove(CollidingKey.of(2), second.hash)).isSameAs(second);
    assertThat(table.remove(CollidingKey.of(2), second.hash)).isNull();
    assertThat(find(table, CollidingKey.of(1))).isSameAs(first);
    assertThat(find(table, CollidingKey.of(3))).isSameAs(third);
  }

  @Test
  @DisplayName("A reader that stands on a removed or replaced entry still gets to the end")
  void linksOfTheRemoved() {
    Entry last = insert(CollidingKey.of(1));
    Entry middle = insert(CollidingKey.of(2));
    Entry first = insert(CollidingKey.of(3));
    table.remove(middle);
    assertThat(middle.nextAcquire()).isSameAs(last);
    Entry fresh = entry(CollidingKey.of(3));
    table.replace(first, fresh);
    assertThat(first.nextAcquire()).isSameAs(last);
    assertThat(fresh.nextAcquire()).isSameAs(last);
    Entry lastFresh = entry(CollidingKey.of(1));
    table.replace(last, lastFresh);
    assertThat(fresh.nextAcquire()).isSameAs(lastFresh);
    assertThat(lastFresh.nextAcquire()).isNull();
  }

  @Test
  @DisplayName("F16: A closed table takes nothing in, and gives away what it has")
  void closed() {
    Entry there = insert("key");
    String message = "no more";
    table.close(message);
    assertThatThrownBy(() -> table.findOrInsert(entry("other")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(message);
    assertThatThrownBy(() -> table.swap(entry("other"), () -> true)).hasMessage(message);
    assertThatThrownBy(() -> table.replace(there, entry("key"))).hasMessage(message);
    assertThat(find(table, "other")).isNull();
    assertThat(find(table, "key")).isSameAs(there);
    List<Entry> cleared = new ArrayList<>();
    table.clear(cleared::add);
    assertThat(cleared).containsExactly(there);
  }

  @Test
  @DisplayName("F3: Clearing hands out every entry once, those of the overflow included")
  void clear() {
    Set<Entry> inserted = new HashSet<>();
    for (int i = 0; i < 1000; i++) {
      inserted.add(insert(i));
    }
    for (int i = 0; i < 20; i++) {
      inserted.add(insert(CollidingKey.of(i)));
    }
    List<Entry> cleared = new ArrayList<>();
    table.clear(cleared::add);
    assertThat(cleared).hasSameSizeAs(inserted).containsAll(inserted);
    assertThat(table.count()).isZero();
    for (Entry gone : inserted) {
      assertThat(find(table, gone.key)).isNull();
    }
  }

  @Test
  @DisplayName("F12: What is cleared is handed out with no stripe locked")
  void clearHoldsNoLock() {
    insert("key");
    Callers callers = new Callers();
    table.clear(gone -> callers.run(() -> insert("key")).value());
    assertThat(find(table, "key")).isNotNull();
  }

  @Test
  @DisplayName("The groups divide the entries among them")
  void groups() {
    Set<Entry> inserted = new HashSet<>();
    for (int i = 0; i < 300; i++) {
      inserted.add(insert("k" + i));
      inserted.add(insert(CollidingKey.of(i % 20 == 0 ? i : -i)));
    }
    List<Entry> seen = new ArrayList<>();
    for (int group = 0; group < table.groups(); group++) {
      seen.addAll(table.group(group));
    }
    assertThat(seen).hasSameSizeAs(inserted).containsAll(inserted);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 64",
    "48, 64",
    "49, 128",
    "96, 128",
    "97, 256",
    "1536, 2048",
    "9000000000000000000, 2048"
  })
  @DisplayName("A table starts with at most three quarters of its slots in use at its bound")
  void sizedFromTheBound(long bound, int slots) {
    assertThat(new Table(bound).slots().length).isEqualTo(slots);
  }

  @Test
  @DisplayName("The high bits of a hash code count too")
  void spread() {
    assertThat(Table.hash(0x10000)).isEqualTo(0x10001);
    assertThat(Table.hash(0x12345678)).isEqualTo(0x12345678 ^ 0x1234);
    assertThat(Table.hash(-1)).isEqualTo(0xffff0000);
  }

  @Test
  @DisplayName("Random operations do what a map does")
  void likeAMap() {
    long seed = Long.getLong("latchkey.seed", System.nanoTime());
    System.out.println("TableTest: latchkey.seed=" + seed);
    Random random = new Random(seed);
    Map<Object, Entry> model = new HashMap<>();
    for (int i = 0; i < 40_000; i++) {
      int number = random.nextInt(400);
      Object key =
          number % 8 == 0 ? CollidingKey.of(number) : number % 3 == 0 ? number : number << 9;
      step(random.nextInt(6), key, model);
    }
    model.forEach((key, entry) -> assertThat(find(table, key)).isSameAs(entry));
    assertThat(table.count()).isEqualTo(model.size());
  }

  private void step(int operation, Object key, Map<Object, Entry> model) {
    Entry there = model.get(key);
    Entry mine = entry(key);
    switch (operation) {
      case 0, 1 -> {
        assertThat(table.findOrInsert(mine)).isSameAs(there == null ? mine : there);
        model.putIfAbsent(key, mine);
      }
      case 2 -> {
        assertThat(table.remove(key, mine.hash)).isSameAs(there);
        model.remove(key);
      }
      case 3 -> {
        assertThat(table.swap(mine, () -> true)).isSameAs(there);
        model.put(key, mine);
      }
      case 4 -> {
        assertThat(table.swap(mine, () -> false)).isSameAs(there);
        model.remove(key);
      }
      default -> {
        assertThat(table.replace(there == null ? mine : there, mine)).isEqualTo(there != null);
        model.replace(key, mine);
      }
    }
  }
}
