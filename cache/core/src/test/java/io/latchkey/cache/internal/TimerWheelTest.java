package io.latchkey.cache.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.Expiry;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The order of expiry where each entry has a time of its own. */
class TimerWheelTest {
  private static final long NEVER = Long.MAX_VALUE;

  /** The width of the finest bucket: how late a sweep may be on a clock that does not jump. */
  private static final long TICK = 1 << 20;

  private static final long SECOND = 1_000_000_000;
  private static final long DAY = 86_400 * SECOND;
  private static final long YEAR = 365 * DAY;

  private final Lifetimes lifetimes = new Options().absent(1).lifetimes();
  private final TimerWheel wheel = new TimerWheel(lifetimes);

  private ExpiringEntry add(long now, long life) {
    ExpiringEntry entry = new ExpiringEntry(life, 0, "object", Entry.READY);
    entry.time(now);
    entry.access(now);
    entry.life(life);
    wheel.add(entry, now);
    return entry;
  }

  private List<Entry> sweep(long now) {
    return sweep(now, TimerWheelTest::noneHeld);
  }

  private List<Entry> sweep(long now, Predicate<Entry> held) {
    List<Entry> swept = new ArrayList<>();
    for (Entry entry = wheel.poll(now, held); entry != null; entry = wheel.poll(now, held)) {
      assertThat(lifetimes.over(entry, now)).as("life %s at %d", entry.key, now).isTrue();
      entry.retire();
      swept.add(entry);
    }
    return swept;
  }

  private static boolean noneHeld(Entry entry) {
    return false;
  }

  private List<Entry> contents() {
    List<Entry> contents = new ArrayList<>();
    wheel.forEach(contents::add);
    return contents;
  }

  @ParameterizedTest
  @ValueSource(
      longs = {
        1,
        TICK - 1,
        TICK,
        TICK + 1,
        63 * TICK,
        64 * TICK,
        65 * TICK,
        SECOND,
        64L * 64 * TICK - 1,
        64L * 64 * TICK + 1,
        60 * SECOND,
        64L * 64 * 64 * TICK + 7,
        3600 * SECOND,
        DAY,
        12 * DAY,
        14 * DAY,
        400 * DAY
      })
  @DisplayName("E5: On every level an entry is swept in its time: never early, a tick late at most")
  void everyLevel(long life) {
    for (long start : new long[] {0, 1, TICK - 1, 777 * TICK + 3, -5 * DAY, Long.MAX_VALUE - 3}) {
      TimerWheel fresh = new TimerWheel(lifetimes);
      ExpiringEntry entry = new ExpiringEntry(life, 0, "object", Entry.READY);
      entry.time(start);
      entry.access(start);
      entry.life(life);
      fresh.add(entry, start);
      for (int percent = 1; percent < 100; percent++) {
        assertThat(fresh.poll(start + life / 100 * percent, TimerWheelTest::noneHeld)).isNull();
      }
      assertThat(fresh.poll(start + life - 1, TimerWheelTest::noneHeld)).isNull();
      assertThat(fresh.poll(start + life + 2 * TICK, TimerWheelTest::noneHeld)).isSameAs(entry);
      assertThat(fresh.poll(start + life + 2 * TICK, TimerWheelTest::noneHeld)).isNull();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {SECOND, 3600 * SECOND, DAY, 30 * DAY, 100 * YEAR})
  @DisplayName("E3: After a jump of the clock all that is over is swept at once, all else stays")
  void jump(long distance) {
    add(0, 1);
    sweep(TICK);
    List<Entry> over = new ArrayList<>();
    List<Entry> later = new ArrayList<>();
    for (int i = 1; i <= 50; i++) {
      over.add(add(TICK, distance / 50 * i - 2 * TICK));
      later.add(add(TICK, distance / 50 * i + distance));
    }
    assertThat(sweep(TICK + distance)).containsExactlyInAnyOrderElementsOf(over);
    assertThat(contents()).containsExactlyInAnyOrderElementsOf(later);
    assertThat(sweep(2 * distance + distance / 2)).containsExactlyInAnyOrderElementsOf(later);
    assertThat(contents()).isEmpty();
  }

  @Test
  @DisplayName("An entry that never expires is not in the wheel")
  void never() {
    add(0, NEVER);
    assertThat(contents()).isEmpty();
    assertThat(sweep(200 * YEAR)).isEmpty();
  }

  @Test
  @DisplayName("A removed entry is not swept; removing one that is not there does nothing")
  void remove() {
    Entry first = add(0, SECOND);
    Entry second = add(0, SECOND);
    Entry third = add(0, SECOND);
    wheel.remove(second);
    wheel.remove(second);
    assertThat(contents()).containsExactlyInAnyOrder(first, third);
    assertThat(sweep(2 * SECOND)).containsExactlyInAnyOrder(first, third);
    wheel.remove(first);
    Entry never = add(0, NEVER);
    wheel.remove(never);
    assertThat(contents()).isEmpty();
  }

  @Test
  @DisplayName("What is due and not yet polled is still shown, and can be removed")
  void dueButNotPolled() {
    Entry first = add(0, SECOND);
    Entry second = add(0, SECOND);
    Entry third = add(10 * SECOND, SECOND);
    assertThat(contents()).containsExactlyInAnyOrder(first, second, third);
    wheel.remove(first);
    assertThat(contents()).containsExactlyInAnyOrder(second, third);
    assertThat(sweep(10 * SECOND)).containsExactly(second);
    assertThat(contents()).containsExactly(third);
  }

  @Test
  @DisplayName("F15: An entry that is held is looked at again a tick later")
  void held() {
    Entry kept = add(0, SECOND);
    Entry other = add(0, SECOND);
    assertThat(sweep(2 * SECOND, entry -> entry == kept)).containsExactly(other);
    assertThat(contents()).containsExactly(kept);
    assertThat(sweep(2 * SECOND)).as("not twice at one time").isEmpty();
    assertThat(sweep(2 * SECOND + 2 * TICK)).containsExactly(kept);
  }

  @Test
  @DisplayName("E3: An entry whose life was renewed stays for its new life")
  void renewed() {
    ExpiringEntry entry = add(0, SECOND);
    entry.life(10 * SECOND);
    assertThat(sweep(9 * SECOND)).isEmpty();
    assertThat(contents()).containsExactly(entry);
    entry.life(NEVER);
    assertThat(sweep(20 * SECOND)).isEmpty();
    assertThat(contents()).isEmpty();
  }

  @Test
  @DisplayName("E3: An entry without an end is swept some day if a use gave it one")
  void shortened() {
    Expiry<Object, Object> afterUse =
        new Expiry<>() {
          @Override
          public long afterWrite(Object key, Object value, long now) {
            return NEVER;
          }

          @Override
          public long afterRead(Object key, Object value, long now, long remaining) {
            return SECOND;
          }
        };
    Lifetimes variable = new Options().expiry(afterUse).lifetimes();
    TimerWheel looking = new TimerWheel(variable);
    ExpiringEntry entry = new ExpiringEntry("key", 0, "object", Entry.READY);
    variable.stamp(entry, "object", false, 0);
    looking.add(entry, 0);
    assertThat(looking.poll(14 * DAY, TimerWheelTest::noneHeld)).isNull();
    variable.used(entry, 15 * DAY);
    assertThat(looking.poll(15 * DAY + SECOND - 1, TimerWheelTest::noneHeld)).isNull();
    assertThat(looking.poll(28 * DAY, TimerWheelTest::noneHeld)).isSameAs(entry);
  }

  @Test
  @DisplayName("E3: After the clock was set back by years, new and old entries keep their times")
  void setBack() {
    Entry old = add(50 * YEAR, DAY);
    assertThat(sweep(50 * YEAR + DAY / 2)).isEmpty();
    Entry fresh = add(10 * YEAR, DAY);
    assertThat(sweep(10 * YEAR + DAY - 1)).isEmpty();
    assertThat(contents()).containsExactlyInAnyOrder(old, fresh);
    assertThat(sweep(10 * YEAR + DAY + 2 * TICK)).containsExactly(fresh);
    assertThat(sweep(50 * YEAR + DAY + 2 * TICK)).containsExactly(old);
  }

  @Test
  @DisplayName("E5: A clock read a second ago delays the sweep by that much, and does no more")
  void readLate() {
    sweep(10 * SECOND);
    Entry entry = add(9 * SECOND, SECOND);
    assertThat(sweep(10 * SECOND - 1)).isEmpty();
    assertThat(sweep(11 * SECOND + 2 * TICK)).containsExactly(entry);
  }

  @Test
  @DisplayName("E3: A clock that often jumps by a century and back never stops the sweep")
  void centuries() {
    long now = 0;
    for (int i = 0; i < 7; i++) {
      now += 100 * YEAR;
      Entry entry = add(now, DAY);
      assertThat(sweep(now + DAY - 1)).isEmpty();
      assertThat(sweep(now + DAY + 2 * TICK)).containsExactly(entry);
      now -= 100 * YEAR;
      Entry back = add(now, DAY);
      assertThat(sweep(now + DAY - 1)).isEmpty();
      assertThat(sweep(now + DAY + 2 * TICK)).containsExactly(back);
    }
  }

  @Test
  @DisplayName("Random lives, removals, renewals and steps: each is swept in time")
  void randomly() {
    long seed = Long.getLong("latchkey.seed", System.nanoTime());
    System.out.println("TimerWheelTest: latchkey.seed=" + seed);
    Random random = new Random(seed);
    List<ExpiringEntry> live = new ArrayList<>();
    long now = random.nextLong();
    for (int i = 0; i < 20_000; i++) {
      long step = 1L << random.nextInt(random.nextInt(40) == 0 ? 50 : 24);
      now += step;
      switch (random.nextInt(4)) {
        case 0 -> live.add(add(now, 1 + (random.nextLong() >>> (15 + random.nextInt(45)))));
        case 1 -> {
          if (!live.isEmpty()) {
            Entry gone = live.remove(random.nextInt(live.size()));
            wheel.remove(gone);
          }
        }
        case 2 -> {
          if (!live.isEmpty()) {
            ExpiringEntry used = live.get(random.nextInt(live.size()));
            used.life(used.life() + step);
          }
        }
        default -> {
          live.removeAll(sweep(now));
          long latest = now - 2 * TICK;
          for (Entry entry : live) {
            assertThat(lifetimes.over(entry, latest)).as("life %s", entry.key).isFalse();
          }
        }
      }
    }
    assertThat(contents()).containsExactlyInAnyOrderElementsOf(live);
  }
}
