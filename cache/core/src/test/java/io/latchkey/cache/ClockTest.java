package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.testing.ManualTicker;
import io.latchkey.cache.testing.Patience;
import io.latchkey.cache.testing.Stage;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ClockTest {
  private static final Duration DAY = Duration.ofDays(1);

  @RegisterExtension final Stage stage = new Stage();

  private static Set<Thread> threads() {
    return new HashSet<>(Thread.getAllStackTraces().keySet());
  }

  /** The clock of caches that earlier tests forgot has to go first. */
  @BeforeEach
  void noClock() {
    Patience.until(
        "no clock is left over",
        () -> {
          boolean none = threads().stream().noneMatch(thread -> thread.getName().contains("clock"));
          if (!none) {
            System.gc();
          }
          return none;
        });
  }

  private static CacheBuilder<String, String> builder() {
    return Cache.over(key -> "v");
  }

  /** The only thread that this cache with expiry and the default clock made start. */
  private Thread clockOf(Set<Thread> before) {
    Set<Thread> started = threads();
    started.removeAll(before);
    started.removeIf(thread -> !thread.getName().startsWith("latchkey"));
    assertThat(started).as("threads of a cache with expiry").hasSize(1);
    Thread clock = started.iterator().next();
    assertThat(clock.isDaemon()).isTrue();
    return clock;
  }

  private static void awaitEnd(Thread thread) {
    Patience.until(() -> thread + " ends", () -> !thread.isAlive());
  }

  @Test
  @DisplayName(
      "E3: one daemon thread drives the default clock of all caches, as long as one needs it")
  void oneThread() {
    Set<Thread> before = threads();
    Cache<String, String> first = stage.build(builder().expireAfterWrite(DAY));
    Thread clock = clockOf(before);
    Cache<String, String> second = stage.build(builder().expireAfterAccess(DAY));
    Cache<String, String> third = stage.build(builder().cacheAbsentFor(DAY));
    assertThat(clockOf(before)).isSameAs(clock);
    first.close();
    third.close();
    second.get("k");
    assertThat(clock.isAlive()).isTrue();
    second.close();
    awaitEnd(clock);
    Cache<String, String> later = stage.build(builder().expireAfterWrite(DAY));
    Thread next = clockOf(before);
    assertThat(next.isAlive()).isTrue();
    later.close();
    awaitEnd(next);
  }

  @Test
  @DisplayName("E3, F16: the clock's thread ends with the last cache that becomes garbage, too")
  void garbage() {
    Set<Thread> before = threads();
    WeakReference<Object> forgotten = new WeakReference<>(forgottenCache());
    Thread clock = clockOf(before);
    Patience.until(
        "the cache is collected and its clock ends",
        () -> {
          System.gc();
          return forgotten.get() == null && !clock.isAlive();
        });
  }

  private static Cache<String, String> forgottenCache() {
    Cache<String, String> cache = builder().expireAfterWrite(DAY).build();
    cache.get("k");
    return cache;
  }

  @Test
  @DisplayName("E3: a cache without expiry, or with a ticker of its own, starts no thread")
  void noThread() {
    Set<Thread> before = threads();
    stage.build(builder().maximumSize(5)).get("k");
    stage.build(builder().expireAfterWrite(DAY).ticker(new ManualTicker())).get("k");
    stage.build(builder().expireAfterWrite(DAY).ticker(Ticker.system())).get("k");
    Set<Thread> after = threads();
    after.removeAll(before);
    after.removeIf(thread -> !thread.getName().startsWith("latchkey"));
    assertThat(after).isEmpty();
  }

  @Test
  @DisplayName("E3: the coarse clock moves with the system's and is never ahead of it")
  void coarse() {
    Ticker coarse = Ticker.coarse();
    stage.build(builder().expireAfterWrite(DAY));
    long start = System.nanoTime();
    long first = coarse.read();
    assertThat(first - start).as("behind or just read").isLessThan(1_000_000_000L);
    for (int i = 0; i < 20; i++) {
      long reading = coarse.read();
      assertThat(reading - System.nanoTime()).isLessThanOrEqualTo(0);
      Patience.until("the coarse clock moves on", () -> coarse.read() - reading > 0);
    }
    Patience.until("it follows", () -> coarse.read() - start > 5_000_000);
  }

  @Test
  @DisplayName("E3: the system's clock is nanoTime")
  void system() {
    long before = System.nanoTime();
    long reading = Ticker.system().read();
    assertThat(reading - before).isNotNegative();
    assertThat(System.nanoTime() - reading).isNotNegative();
  }

  @Test
  @DisplayName("E3: with the default clock objects expire in real time")
  void realTime() {
    Duration life = Duration.ofMillis(3);
    for (Cache<String, String> cache :
        Set.of(
            stage.build(builder().expireAfterWrite(life)),
            stage.build(builder().expireAfterWrite(life).ticker(Ticker.coarse())),
            stage.build(builder().expireAfterWrite(life).ticker(Ticker.system())),
            stage.build(builder().expireAfter((key, value, now) -> life.toNanos())))) {
      cache.get("k");
      Patience.until("the object expires", () -> cache.getIfPresent("k") == null);
      assertThat(cache.get("k")).isEqualTo("v");
    }
  }

  @Test
  @DisplayName("E3: a long life is not cut short by the default clock starting late")
  void startsRight() {
    Cache<String, String> first = stage.build(builder().expireAfterWrite(DAY));
    first.get("k");
    first.close();
    Cache<String, String> second = stage.build(builder().expireAfterWrite(Duration.ofMinutes(5)));
    second.get("k");
    assertThat(second.getIfPresent("k")).isEqualTo("v");
    assertThat(second.policy().age("k").orElseThrow())
        .isBetween(Duration.ZERO, Duration.ofMinutes(1));
  }

  @Test
  @DisplayName("E3: the user's ticker is read on every hit of a cache with expiry, else never")
  void readOnEveryHit() {
    AtomicInteger reads = new AtomicInteger();
    Ticker ticker =
        () -> {
          reads.incrementAndGet();
          return 0;
        };
    Cache<String, String> timed = stage.build(builder().expireAfterWrite(DAY).ticker(ticker));
    timed.get("k");
    for (int i = 0; i < 50; i++) {
      int before = reads.get();
      timed.get("k");
      assertThat(reads.get()).isGreaterThan(before);
    }
    Cache<String, String> timeless = stage.build(builder().ticker(ticker));
    timeless.get("k");
    int before = reads.get();
    for (int i = 0; i < 50; i++) {
      timeless.get("k");
      timeless.getIfPresent("k");
    }
    assertThat(reads.get()).isEqualTo(before);
  }
}
