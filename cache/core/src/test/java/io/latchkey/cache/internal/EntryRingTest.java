package io.latchkey.cache.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The ring that queues entries; members are told by their mark. */
class EntryRingTest {
  private final EntryRing ring = new EntryRing(entry -> entry.mark != 0);
  private int made;

  private Entry add() {
    Entry entry = new Entry("e" + made, made++, "object", Entry.READY);
    entry.mark = 1;
    ring.addLast(entry);
    return entry;
  }

  private List<Entry> add(int count) {
    List<Entry> added = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      added.add(add());
    }
    return added;
  }

  private void bury(Entry entry) {
    entry.mark = 0;
    ring.buried();
  }

  private List<Entry> contents() {
    List<Entry> contents = new ArrayList<>();
    ring.forEach(contents::add);
    assertThat(ring.live()).isEqualTo(contents.size());
    return contents;
  }

  @Test
  @DisplayName("Entries leave in the order in which they came, across growth and wrapping around")
  void firstInFirstOut() {
    List<Entry> expected = add(10);
    for (int i = 0; i < 100; i++) {
      expected.add(add());
      expected.add(add());
      assertThat(contents()).isEqualTo(expected);
      assertThat(ring.peekFirst()).isSameAs(expected.get(0));
      assertThat(ring.pollFirst()).isSameAs(expected.remove(0));
    }
    assertThat(ring.length()).isEqualTo(expected.size());
  }

  @Test
  @DisplayName("A ring with nothing in it gives nothing")
  void empty() {
    assertThat(ring.peekFirst()).isNull();
    assertThat(ring.pollFirst()).isNull();
    assertThat(ring.live()).isZero();
    assertThat(ring.length()).isZero();
    assertThat(contents()).isEmpty();
  }

  @Test
  @DisplayName("What was buried is passed over, and does not count")
  void tombstones() {
    List<Entry> all = add(5);
    bury(all.get(0));
    bury(all.get(2));
    assertThat(contents()).containsExactly(all.get(1), all.get(3), all.get(4));
    assertThat(ring.length()).isEqualTo(5);
    assertThat(ring.peekFirst()).isSameAs(all.get(1));
    assertThat(ring.length()).as("the tombstone in front is gone").isEqualTo(4);
    assertThat(ring.pollFirst()).isSameAs(all.get(1));
    assertThat(ring.pollFirst()).isSameAs(all.get(3));
    assertThat(ring.live()).isEqualTo(1);
  }

  @Test
  @DisplayName("Places are numbered from the first, and there are no others")
  void places() {
    List<Entry> all = add(14);
    ring.pollFirst();
    ring.pollFirst();
    all.addAll(add(3));
    assertThat(ring.at(0)).isSameAs(all.get(2));
    assertThat(ring.at(14)).isSameAs(all.get(16));
    assertThatThrownBy(() -> ring.at(15))
        .isInstanceOf(IndexOutOfBoundsException.class)
        .hasMessage("place 15 of 15");
  }

  @Test
  @DisplayName("Tidying takes the tombstones out and keeps the order, wrapped around or not")
  void tidy() {
    for (int start = 0; start < 16; start++) {
      List<Entry> all = add(10);
      for (int i = 0; i < 10; i += 2) {
        all.get(i).mark = 0;
        ring.buried();
      }
      ring.tidy();
      assertThat(ring.length()).isEqualTo(5);
      assertThat(ring.live()).isEqualTo(5);
      for (int i = 1; i < 10; i += 2) {
        assertThat(ring.pollFirst()).isSameAs(all.get(i));
      }
      assertThat(ring.pollFirst()).isNull();
      ring.tidy();
      assertThat(ring.length()).isZero();
    }
  }

  @Test
  @DisplayName("Taking a place takes a tombstone too, without an entry")
  void takePlace() {
    List<Entry> all = add(3);
    bury(all.get(0));
    assertThat(ring.takePlace()).isNull();
    assertThat(ring.takePlace()).isSameAs(all.get(1));
    assertThat(ring.live()).isEqualTo(1);
    assertThat(ring.length()).isEqualTo(1);
    assertThat(contents()).containsExactly(all.get(2));
  }

  @Test
  @DisplayName("A ring whose last member was buried is empty at once, and pins nothing")
  void lastBuried() {
    List<Entry> all = add(5);
    all.forEach(this::bury);
    assertThat(ring.length()).isZero();
    Entry next = add();
    assertThat(ring.at(0)).isSameAs(next);
  }

  @Test
  @DisplayName("A full array is compacted before it grows: places stay within twice the members")
  void compaction() {
    List<Entry> all = add(16);
    for (int i = 0; i < 8; i++) {
      bury(all.get(2 * i));
    }
    all.add(add());
    assertThat(ring.length()).isEqualTo(9);
    assertThat(contents())
        .containsExactly(
            all.get(1),
            all.get(3),
            all.get(5),
            all.get(7),
            all.get(9),
            all.get(11),
            all.get(13),
            all.get(15),
            all.get(16));

    for (int i = 0; i < 10_000; i++) {
      bury(ring.peekFirst());
      add();
      add();
      bury(contents().get(contents().size() / 2));
      assertThat(ring.length()).isLessThanOrEqualTo(2 * Math.max(16, ring.live()));
    }
  }

  @Test
  @DisplayName("A large ring that empties gives its places up, and keeps the order of what is left")
  void shrinks() {
    List<Entry> all = add(100_000);
    for (int i = 0; i < 99_000; i++) {
      assertThat(ring.pollFirst()).isSameAs(all.get(i));
    }
    assertThat(ring.places()).isLessThanOrEqualTo(8 * 1024);
    assertThat(contents()).isEqualTo(all.subList(99_000, 100_000));
    List<Entry> more = add(3_000);
    for (Entry entry : all.subList(99_000, 100_000)) {
      assertThat(ring.pollFirst()).isSameAs(entry);
    }
    assertThat(contents()).isEqualTo(more);
  }

  @Test
  @DisplayName("Random operations do what a list does")
  void likeAList() {
    long seed = Long.getLong("latchkey.seed", System.nanoTime());
    System.out.println("EntryRingTest: latchkey.seed=" + seed);
    Random random = new Random(seed);
    List<Entry> model = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      switch (random.nextInt(i / 1000 % 2 == 0 ? 4 : 6)) {
        case 0, 1 -> model.add(add());
        case 2 -> {
          if (!model.isEmpty()) {
            bury(model.remove(random.nextInt(model.size())));
          }
        }
        case 3 -> {
          if (ring.length() > 0) {
            Entry first = ring.at(0);
            Entry taken = ring.takePlace();
            assertThat(taken).isSameAs(first.mark == 0 ? null : first);
            model.remove(taken);
          }
        }
        default -> assertThat(ring.pollFirst()).isSameAs(model.isEmpty() ? null : model.remove(0));
      }
      if (i % 50 == 0) {
        assertThat(contents()).isEqualTo(model);
      }
    }
  }
}
