package io.latchkey.cache.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.testing.ManualTicker;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The order of expiry where all entries live equally long. */
class ExpiryQueueTest {
  private static final long LIFE = 1000;
  private static final long SECOND = 1_000_000_000;

  private final Lifetimes lifetimes =
      new Options().afterWrite(LIFE).ticker(new ManualTicker()).lifetimes();
  private ExpiryQueue queue = new ExpiryQueue(lifetimes);

  private Entry add(long written) {
    TimedEntry entry = new TimedEntry("at " + written, 0, "object", Entry.READY);
    entry.time(written);
    queue.add(entry, written);
    return entry;
  }

  /** What {@link Admission} does with a polled entry. */
  private List<Entry> sweep(long now) {
    return sweep(now, entry -> false);
  }

  private List<Entry> sweep(long now, Predicate<Entry> held) {
    List<Entry> swept = new ArrayList<>();
    for (Entry entry = queue.poll(now, held); entry != null; entry = queue.poll(now, held)) {
      assertThat(lifetimes.over(entry, now)).as("%s at %d", entry.key, now).isTrue();
      entry.retire();
      swept.add(entry);
    }
    return swept;
  }

  private void remove(Entry entry) {
    entry.retire();
    queue.remove(entry);
  }

  private List<Entry> contents() {
    List<Entry> contents = new ArrayList<>();
    queue.forEach(contents::add);
    return contents;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 7, 8, 9, 99, 100})
  @DisplayName("E5: The sweep takes the expired prefix, however long, and nothing else")
  void prefix(int expired) {
    List<Entry> all = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      all.add(add(10L * i));
    }
    long now = expired == 0 ? LIFE - 1 : LIFE + 10L * (expired - 1);
    assertThat(sweep(now)).isEqualTo(all.subList(0, expired));
    assertThat(contents()).isEqualTo(all.subList(expired, 100));
    assertThat(sweep(now)).isEmpty();
    assertThat(sweep(LIFE + 990)).isEqualTo(all.subList(expired, 100));
    assertThat(contents()).isEmpty();
  }

  @Test
  @DisplayName("E3: An entry is over when its age is its life, not before")
  void exactly() {
    Entry entry = add(50);
    assertThat(sweep(50 + LIFE - 1)).isEmpty();
    assertThat(sweep(50 + LIFE)).containsExactly(entry);
  }

  @Test
  @DisplayName("Entries that left are passed over, at the front, in the middle and at the end")
  void removed() {
    List<Entry> all = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      all.add(add(i));
    }
    remove(all.get(0));
    remove(all.get(4));
    remove(all.get(8));
    assertThat(sweep(LIFE + 5)).containsExactly(all.get(1), all.get(2), all.get(3), all.get(5));
    assertThat(contents()).containsExactly(all.get(6), all.get(7));
  }

  @Test
  @DisplayName("E5: Of entries that left, the queue keeps few, and the order stays")
  void keepsFewThatLeft() {
    List<Entry> live = new ArrayList<>();
    Random random = new Random(7);
    for (int i = 0; i < 20_000; i++) {
      live.add(add(i));
      if (live.size() > 1000) {
        remove(live.remove(random.nextInt(live.size())));
      }
      assertThat(queue.kept()).isLessThanOrEqualTo(1000 + 1 + 250 + 1);
    }
    assertThat(contents()).isEqualTo(live);
    assertThat(sweep(20_000 + LIFE)).isEqualTo(live);
    assertThat(queue.kept()).isZero();
  }

  @Test
  @DisplayName("F15: An entry that is held stays, and is swept when it is held no more")
  void held() {
    Entry first = add(0);
    Entry second = add(1);
    assertThat(sweep(LIFE + 1, entry -> entry == first)).containsExactly(second);
    assertThat(contents()).containsExactly(first);
    assertThat(sweep(LIFE + 1)).containsExactly(first);
    assertThat(contents()).isEmpty();
  }

  @Test
  @DisplayName("E5: Neighbours in the wrong order are swept late perhaps, but never early")
  void disorder() {
    Entry late = add(100);
    Entry early = add(40);
    assertThat(sweep(LIFE + 40)).isEmpty();
    Set<Entry> swept = new HashSet<>(sweep(LIFE + 100));
    assertThat(swept).containsExactlyInAnyOrder(late, early);
  }

  @Test
  @DisplayName("E5: Disorder inside of the prefix that is taken to be expired sweeps nothing early")
  void disorderInThePrefix() {
    Entry first = add(10);
    Entry ahead = add(500);
    Entry third = add(11);
    Entry fourth = add(12);
    Entry fifth = add(13);
    List<Entry> swept = sweep(LIFE + 13);
    assertThat(swept).doesNotContain(ahead).contains(first);
    assertThat(sweep(LIFE + 500)).contains(ahead);
    assertThat(contents()).isEmpty();
    assertThat(List.of(third, fourth, fifth)).allMatch(entry -> entry.stateAcquire() == Entry.DEAD);
  }

  @Test
  @DisplayName("E3: After the clock was set back, old and new entries are swept in their own time")
  void setBack() {
    long day = 86_400 * SECOND;
    List<Entry> before = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      before.add(add(day + i));
    }
    Entry after = add(0);
    Entry next = add(1);
    assertThat(contents()).hasSize(7);
    remove(before.get(4));
    assertThat(contents()).hasSize(6);
    assertThat(sweep(LIFE - 1)).isEmpty();
    assertThat(sweep(LIFE)).containsExactly(after);
    remove(next);
    assertThat(sweep(day + LIFE - 1)).isEmpty();
    assertThat(sweep(day + LIFE + 1, entry -> entry == before.get(1)))
        .containsExactly(before.get(0));
    assertThat(sweep(day + LIFE + 3)).containsExactly(before.get(1), before.get(2), before.get(3));
    assertThat(contents()).isEmpty();
  }

  @Test
  @DisplayName("E3: A clock set back by a second or less is mere disorder")
  void setBackByLittle() {
    Entry before = add(SECOND);
    Entry after = add(0);
    assertThat(contents()).as("still in one queue").containsExactly(before, after);
    assertThat(sweep(LIFE)).as("the later one waits for the one before it").isEmpty();
    assertThat(sweep(SECOND + LIFE)).containsExactly(before, after);

    Entry another = add(2 * SECOND + 1);
    Entry setBack = add(SECOND);
    assertThat(sweep(SECOND + LIFE)).as("set back by more").containsExactly(setBack);
    assertThat(contents()).containsExactly(another);
  }

  @Test
  @DisplayName("E3: A clock that wraps around is one that goes on")
  void wrapsAround() {
    long last = Long.MAX_VALUE;
    long first = Long.MIN_VALUE;
    Entry before = add(last);
    Entry after = add(first);
    assertThat(sweep(first)).isEmpty();
    assertThat(sweep(last + LIFE)).containsExactly(before);
    assertThat(sweep(first + LIFE)).containsExactly(after);
  }

  @Test
  @DisplayName("Random additions, removals and clocks: all that is over is swept, in the end all")
  void randomly() {
    long seed = Long.getLong("latchkey.seed", System.nanoTime());
    System.out.println("ExpiryQueueTest: latchkey.seed=" + seed);
    Random random = new Random(seed);
    for (int round = 0; round < 20; round++) {
      queue = new ExpiryQueue(lifetimes);
      List<Entry> live = new ArrayList<>();
      long now = random.nextLong() >> 1;
      long latest = now;
      for (int i = 0; i < 500; i++) {
        int dice = random.nextInt(100);
        now += dice == 0 ? -5 * SECOND * random.nextInt(100) : random.nextInt(100);
        latest = Math.max(latest, now);
        if (dice < 70) {
          live.add(add(now - random.nextInt(3)));
        } else if (dice < 85 && !live.isEmpty()) {
          remove(live.remove(random.nextInt(live.size())));
        } else {
          live.removeAll(sweep(now));
        }
        assertThat(contents()).hasSameSizeAs(live);
      }
      live.removeAll(sweep(latest + LIFE));
      assertThat(live).isEmpty();
      assertThat(contents()).isEmpty();
    }
  }
}
