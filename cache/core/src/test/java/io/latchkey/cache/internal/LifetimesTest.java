package io.latchkey.cache.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.Expiry;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How long entries live. */
class LifetimesTest {
  private static final long NEVER = Long.MAX_VALUE;
  private static final long LIFE = 1000;

  /** A time to live told by the test, and what was asked. */
  private static final class Told implements Expiry<Object, Object> {
    private final List<String> asked = new ArrayList<>();
    private long answer;

    Told(long answer) {
      this.answer = answer;
    }

    @Override
    public long afterWrite(Object key, Object value, long now) {
      asked.add("write " + key + "=" + value + " at " + now);
      return answer;
    }

    @Override
    public long afterRead(Object key, Object value, long now, long remaining) {
      asked.add("read " + key + "=" + value + " at " + now + " with " + remaining);
      return answer;
    }
  }

  private static ExpiringEntry entry(Object outcome, byte state) {
    return new ExpiringEntry("key", 5, outcome, state);
  }

  private static ExpiringEntry stamped(Lifetimes lifetimes, long now) {
    ExpiringEntry entry = entry("object", Entry.READY);
    assertThat(lifetimes.stamp(entry, "object", false, now)).isTrue();
    return entry;
  }

  private static Stream<Arguments> options() {
    return Stream.of(
        Arguments.of(new Options(), false, false, false),
        Arguments.of(new Options().jitter(0.5), false, true, true),
        Arguments.of(new Options().stale(5), false, false, false),
        Arguments.of(new Options().afterWrite(0), true, false, true),
        Arguments.of(new Options().afterWrite(5).jitter(0.1), true, true, true),
        Arguments.of(new Options().afterAccess(0), true, true, true),
        Arguments.of(new Options().expiry(new Told(1)), true, true, true),
        Arguments.of(new Options().refresh(5), true, false, false),
        Arguments.of(new Options().absent(5), true, true, true),
        Arguments.of(new Options().failures(5), true, true, true));
  }

  @ParameterizedTest
  @MethodSource("options")
  @DisplayName("A cache keeps time, and lets entries have a life of their own, only when it must")
  void whatIsKept(Options options, boolean needed, boolean ownLife, boolean expires) {
    assertThat(Lifetimes.needed(options.settings())).isEqualTo(needed);
    assertThat(options.lifetimes().ownLife()).isEqualTo(ownLife);
    assertThat(options.lifetimes().expires()).isEqualTo(expires);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -77, Long.MAX_VALUE - 500, Long.MIN_VALUE})
  @DisplayName("E3: An entry expires when its age is its life, wherever the clock stands")
  void exactly(long start) {
    Lifetimes lifetimes = new Options().afterWrite(LIFE).lifetimes();
    TimedEntry entry = new TimedEntry("key", 5, "object", Entry.READY);
    assertThat(lifetimes.stamp(entry, "object", false, start)).isTrue();
    assertThat(lifetimes.expired(entry, start + LIFE - 1)).isFalse();
    assertThat(lifetimes.expired(entry, start + LIFE)).isTrue();
    assertThat(lifetimes.over(entry, start + LIFE - 1)).isFalse();
    assertThat(lifetimes.over(entry, start + LIFE)).isTrue();
    assertThat(Lifetimes.age(entry, start + 7)).isEqualTo(7);
  }

  @Test
  @DisplayName("E3: A negative age counts as 0")
  void negativeAge() {
    Lifetimes lifetimes = new Options().afterWrite(LIFE).refresh(1).lifetimes();
    TimedEntry entry = new TimedEntry("key", 5, "object", Entry.READY);
    lifetimes.stamp(entry, "object", false, 5000);
    assertThat(lifetimes.expired(entry, 0)).isFalse();
    assertThat(lifetimes.removal(entry, 0)).isEqualTo(LIFE);
    assertThat(Lifetimes.age(entry, 0)).isZero();
    assertThat(lifetimes.needsRefresh(entry, 0)).isFalse();
  }

  @Test
  @DisplayName("E3: With the life MAX nothing expires, with life 0 nothing is kept")
  void extremes() {
    Lifetimes forever = new Options().afterWrite(NEVER).lifetimes();
    TimedEntry entry = new TimedEntry("key", 5, "object", Entry.READY);
    assertThat(forever.stamp(entry, "object", false, 0)).isTrue();
    assertThat(forever.expired(entry, NEVER)).isFalse();
    assertThat(forever.removal(entry, 12)).isEqualTo(NEVER);

    assertThat(new Options().afterWrite(0).lifetimes().stamp(entry, "object", false, 0)).isFalse();
    ExpiringEntry own = entry("object", Entry.READY);
    assertThat(new Options().afterAccess(0).lifetimes().stamp(own, "object", false, 0)).isFalse();
    assertThat(new Options().expiry(new Told(0)).lifetimes().stamp(own, "object", false, 0))
        .isFalse();
    assertThat(new Options().afterWrite(0).stale(5).lifetimes().stamp(entry, "object", false, 0))
        .as("it may serve in place of an error")
        .isTrue();
    assertThat(new Options().refresh(5).lifetimes().removal(entry, NEVER)).isEqualTo(NEVER);
  }

  @Test
  @DisplayName("E3: An entry that may still serve in place of an error is over later")
  void stale() {
    Lifetimes lifetimes = new Options().afterWrite(LIFE).stale(300).lifetimes();
    assertThat(lifetimes.servesStale()).isTrue();
    TimedEntry entry = new TimedEntry("key", 5, "object", Entry.READY);
    lifetimes.stamp(entry, "object", false, 0);
    assertThat(lifetimes.expired(entry, LIFE)).isTrue();
    assertThat(lifetimes.removal(entry, LIFE)).isEqualTo(300);
    assertThat(lifetimes.over(entry, LIFE + 299)).isFalse();
    assertThat(lifetimes.over(entry, LIFE + 300)).isTrue();
    Lifetimes always = new Options().afterWrite(LIFE).stale(NEVER).lifetimes();
    assertThat(always.removal(entry, LIFE - 5)).isEqualTo(NEVER);
    assertThat(new Options().lifetimes().servesStale()).isFalse();
  }

  @Test
  @DisplayName("Absences and failures have their own time, and never serve in place of an error")
  void absencesAndFailures() {
    Lifetimes lifetimes =
        new Options()
            .afterWrite(LIFE)
            .afterAccess(1)
            .stale(300)
            .absent(20)
            .failures(30)
            .lifetimes();
    assertThat(lifetimes.keepsAbsent()).isTrue();
    assertThat(lifetimes.keepsFailures()).isTrue();
    ExpiringEntry absence = entry(Entry.ABSENT, Entry.READY);
    assertThat(lifetimes.stamp(absence, Entry.ABSENT, false, 0)).isTrue();
    assertThat(lifetimes.removal(absence, 0)).isEqualTo(20);
    Failure failure = Failure.load("no", new Exception());
    ExpiringEntry failed = entry(failure, Entry.FAILED);
    assertThat(lifetimes.stamp(failed, failure, true, 0)).isTrue();
    assertThat(lifetimes.removal(failed, 0)).isEqualTo(30);
    lifetimes.used(absence, 15);
    assertThat(absence.access()).as("a use does not renew an absence").isZero();

    Lifetimes none = new Options().afterWrite(LIFE).absent(0).failures(0).stale(9).lifetimes();
    assertThat(none.keepsAbsent()).isFalse();
    assertThat(none.keepsFailures()).isFalse();
    assertThat(none.stamp(absence, Entry.ABSENT, false, 0)).isFalse();
    assertThat(none.stamp(failed, failure, true, 0)).isFalse();
  }

  @Test
  @DisplayName("E3: Idleness counts from the last use, beside the time since the write")
  void idle() {
    Lifetimes lifetimes = new Options().afterWrite(LIFE).afterAccess(100).lifetimes();
    ExpiringEntry entry = stamped(lifetimes, 0);
    assertThat(lifetimes.removal(entry, 10)).isEqualTo(90);
    lifetimes.used(entry, 60);
    assertThat(entry.access()).isEqualTo(60);
    assertThat(lifetimes.expired(entry, 159)).isFalse();
    assertThat(lifetimes.expired(entry, 160)).isTrue();
    for (int i = 1; i < 10; i++) {
      lifetimes.used(entry, 60 + i * 99L);
    }
    assertThat(lifetimes.removal(entry, 950)).as("the write bounds it").isEqualTo(50);
    Lifetimes.restamp(entry, 2000);
    assertThat(entry.access()).isEqualTo(2000);
    assertThat(entry.time()).isEqualTo(2000);
    assertThat(lifetimes.removal(entry, 2000)).isEqualTo(100);

    Lifetimes never = new Options().afterAccess(NEVER).lifetimes();
    assertThat(never.removal(stamped(never, 0), 9_000_000)).isEqualTo(NEVER);
  }

  @Test
  @DisplayName("E3: A cache without idleness does not note uses")
  void usesNotNoted() {
    Lifetimes lifetimes = new Options().absent(5).lifetimes();
    ExpiringEntry entry = stamped(lifetimes, 3);
    lifetimes.used(entry, 70);
    assertThat(entry.access()).isEqualTo(3);
    Lifetimes plain = new Options().afterWrite(5).lifetimes();
    plain.used(new TimedEntry("key", 5, "object", Entry.READY), 70);
  }

  @Test
  @DisplayName("E3: A variable life is asked for at each write and read, by what is left")
  void variable() {
    Told told = new Told(LIFE);
    Lifetimes lifetimes = new Options().expiry(told).lifetimes();
    ExpiringEntry entry = stamped(lifetimes, 100);
    assertThat(lifetimes.removal(entry, 100)).isEqualTo(LIFE);
    told.answer = LIFE - 30;
    lifetimes.used(entry, 130);
    assertThat(lifetimes.removal(entry, 130)).as("what was left anyway").isEqualTo(LIFE - 30);
    told.answer = 50;
    lifetimes.used(entry, 140);
    assertThat(lifetimes.removal(entry, 140)).isEqualTo(50);
    told.answer = -5;
    lifetimes.used(entry, 150);
    assertThat(lifetimes.expired(entry, 150)).isTrue();
    told.answer = NEVER;
    lifetimes.used(entry, 160);
    assertThat(lifetimes.removal(entry, 170)).isEqualTo(NEVER);
    lifetimes.used(entry, 180);
    assertThat(told.asked)
        .containsExactly(
            "write key=object at 100",
            "read key=object at 130 with 970",
            "read key=object at 140 with 960",
            "read key=object at 150 with 40",
            "read key=object at 160 with -10",
            "read key=object at 180 with " + NEVER);
    told.answer = -1;
    assertThat(lifetimes.stamp(entry, "object", false, 0)).as("a negative life is 0").isFalse();
    assertThat(lifetimes.useChangesLife()).isTrue();
    assertThat(new Options().afterAccess(1).lifetimes().useChangesLife()).isFalse();
  }

  @Test
  @DisplayName("E3: A read of an entry that dies meanwhile asks for no life")
  void usedWhileDying() {
    Told told = new Told(LIFE);
    Lifetimes lifetimes = new Options().expiry(told).lifetimes();
    ExpiringEntry entry = stamped(lifetimes, 0);
    entry.retire();
    lifetimes.used(entry, 5);
    assertThat(told.asked).containsExactly("write key=object at 0");
  }

  @Test
  @DisplayName("A refresh is due from its age on")
  void refresh() {
    Lifetimes lifetimes = new Options().refresh(10).lifetimes();
    TimedEntry entry = new TimedEntry("key", 5, "object", Entry.READY);
    lifetimes.stamp(entry, "object", false, 0);
    assertThat(lifetimes.needsRefresh(entry, 9)).isFalse();
    assertThat(lifetimes.needsRefresh(entry, 10)).isTrue();
    assertThat(new Options().afterWrite(5).lifetimes().needsRefresh(entry, 10)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.1, 0.5, 1})
  @DisplayName("E3: Jitter stays within its share, on both sides")
  void jitter(double share) {
    Lifetimes lifetimes = new Options().afterWrite(1_000_000).jitter(share).lifetimes();
    long least = Long.MAX_VALUE;
    long most = 0;
    for (int i = 0; i < 5000; i++) {
      ExpiringEntry entry = entry("object", Entry.READY);
      lifetimes.stamp(entry, "object", false, 0);
      least = Math.min(least, entry.life());
      most = Math.max(most, entry.life());
    }
    long reach = (long) (1_000_000 * share);
    assertThat(least).isBetween(1_000_000 - reach, 1_000_000 - reach * 9 / 10);
    assertThat(most).isBetween(1_000_000 + reach * 9 / 10, 1_000_000 + reach);
  }

  @Test
  @DisplayName("E3: Jitter of idleness depends on the key alone, and stays within its share")
  void jitterOfIdleness() {
    Lifetimes lifetimes = new Options().afterAccess(1_000_000).jitter(0.2).lifetimes();
    long least = Long.MAX_VALUE;
    long most = 0;
    for (int hash = 0; hash < 5000; hash++) {
      ExpiringEntry entry = new ExpiringEntry("key", hash, "object", Entry.READY);
      lifetimes.stamp(entry, "object", false, 0);
      long idle = lifetimes.removal(entry, 0);
      assertThat(lifetimes.removal(entry, 0)).isEqualTo(idle);
      least = Math.min(least, idle);
      most = Math.max(most, idle);
    }
    assertThat(least).isBetween(800_000L, 820_000L);
    assertThat(most).isBetween(1_180_000L, 1_200_000L);
  }

  @Test
  @DisplayName("E3: Jitter of a life without end, or near it, never wraps around")
  void jitterOfNever() {
    Lifetimes never = new Options().afterWrite(NEVER).jitter(1).lifetimes();
    Lifetimes nearly = new Options().afterWrite(NEVER - 1).jitter(1).lifetimes();
    for (int i = 0; i < 100; i++) {
      ExpiringEntry entry = entry("object", Entry.READY);
      never.stamp(entry, "object", false, 0);
      assertThat(entry.life()).isEqualTo(NEVER);
      nearly.stamp(entry, "object", false, 0);
      assertThat(entry.life()).isNotNegative();
    }
  }
}
