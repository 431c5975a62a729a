package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.cache.testing.ManualTicker;
import io.latchkey.cache.testing.MapStorage;
import io.latchkey.cache.testing.Stage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each object's own time to live, and jitter. The value of an object is its life. */
class VariableExpiryTest {
  @RegisterExtension final Stage stage = new Stage();

  private final MapStorage<String, Long> storage = new MapStorage<>();
  private ManualTicker ticker = new ManualTicker();

  private Cache<String, Long> cache() {
    return stage.build(
        Cache.over(storage).expireAfter((key, value, now) -> value).ticker(ticker).recordStats());
  }

  private void advance(long nanos) {
    ticker.advance(Duration.ofNanos(nanos));
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -7, Long.MAX_VALUE - 3, Long.MIN_VALUE, 1L << 62})
  @DisplayName("E3: each object lives exactly as long as its function said, at any time")
  void exact(long start) {
    ticker = new ManualTicker(start);
    Cache<String, Long> cache = cache();
    storage.holding("a", 10L).holding("b", 20L).holding("c", 1_000_000L);
    cache.getAll(List.of("a", "b", "c"));
    cache.put("d", 30L);
    advance(9);
    assertThat(cache.asMap()).containsOnlyKeys("a", "b", "c", "d");
    advance(1);
    assertThat(cache.getIfPresent("a")).isNull();
    advance(9);
    assertThat(cache.getIfPresent("b")).isEqualTo(20);
    advance(1);
    assertThat(cache.asMap()).containsOnlyKeys("c", "d");
    advance(10);
    assertThat(cache.getIfPresent("d")).isNull();
    advance(999_969);
    assertThat(cache.getIfPresent("c")).isEqualTo(1_000_000);
    advance(1);
    assertThat(cache.getIfPresent("c")).isNull();
  }

  @Test
  @DisplayName("E3: a life of zero or less is not served, the largest never ends")
  void extremes() {
    Cache<String, Long> cache = cache();
    for (long life : new long[] {0, -1, Long.MIN_VALUE}) {
      storage.holding("k", life);
      assertThat(cache.get("k")).isEqualTo(life);
      assertThat(cache.getIfPresent("k")).isNull();
    }
    storage.holding("k", Long.MAX_VALUE).holding("l", Long.MAX_VALUE - 1);
    cache.get("k");
    cache.get("l");
    for (int i = 0; i < 10; i++) {
      ticker.advance(Duration.ofDays(28 * 365));
      cache.cleanUp();
      assertThat(cache.getIfPresent("k")).isEqualTo(Long.MAX_VALUE);
      assertThat(cache.getIfPresent("l")).isNotNull();
    }
    ticker.advance(Duration.ofDays(28 * 365));
    assertThat(cache.getIfPresent("k")).as("never").isEqualTo(Long.MAX_VALUE);
  }

  @Test
  @DisplayName("E3: the functions are told the object, the time, and what was left of its life")
  void arguments() {
    List<String> told = new ArrayList<>();
    Expiry<String, Long> expiry =
        new Expiry<>() {
          @Override
          public long afterWrite(String key, Long value, long now) {
            told.add("write " + key + " " + value + " at " + now);
            return value;
          }

          @Override
          public long afterRead(String key, Long value, long now, long remaining) {
            told.add("read " + key + " " + value + " at " + now + " of " + remaining);
            return remaining + 5;
          }
        };
    Cache<String, Long> cache = stage.build(Cache.over(storage).expireAfter(expiry).ticker(ticker));
    ticker.set(1_000);
    storage.holding("k", 100L);
    cache.get("k");
    assertThat(told).containsExactly("write k 100 at 1000");
    advance(40);
    cache.get("k");
    assertThat(told).hasSize(2).last().isEqualTo("read k 100 at 1040 of 60");
    advance(10);
    cache.getIfPresent("k");
    assertThat(told).hasSize(3).last().isEqualTo("read k 100 at 1050 of 55");
    cache.put("k", 7L);
    assertThat(told).hasSize(4).last().isEqualTo("write k 7 at 1050");
    advance(7);
    assertThat(cache.getIfPresent("k")).isNull();
    assertThat(told).hasSize(4);
  }

  @Test
  @DisplayName("E3: a read may prolong a life, shorten it, end it and make it endless")
  void afterRead() {
    for (long then : new long[] {50, 3, 0, Long.MAX_VALUE}) {
      Expiry<String, Long> expiry =
          new Expiry<>() {
            @Override
            public long afterWrite(String key, Long value, long now) {
              return 10;
            }

            @Override
            public long afterRead(String key, Long value, long now, long remaining) {
              return then;
            }
          };
      Cache<String, Long> cache =
          stage.build(Cache.over(storage).expireAfter(expiry).ticker(ticker));
      storage.holding("k", 1L);
      cache.get("k");
      advance(9);
      assertThat(cache.get("k")).isEqualTo(1);
      if (then == Long.MAX_VALUE) {
        ticker.advance(Duration.ofDays(90 * 365));
        cache.cleanUp();
        assertThat(cache.asMap()).containsKey("k");
        continue;
      }
      if (then > 0) {
        advance(then - 1);
        cache.cleanUp();
        assertThat(cache.asMap()).containsKey("k");
        advance(1);
      }
      assertThat(cache.asMap()).doesNotContainKey("k");
      assertThat(cache.getIfPresent("k")).isNull();
    }
  }

  @Test
  @DisplayName("E3: a function that throws fails its own call and leaves the key usable")
  void throwing() {
    IllegalStateException failure = new IllegalStateException("no life");
    boolean[] fails = {true, false};
    Expiry<String, Long> expiry =
        new Expiry<>() {
          @Override
          public long afterWrite(String key, Long value, long now) {
            if (fails[0]) {
              throw failure;
            }
            return 100;
          }

          @Override
          public long afterRead(String key, Long value, long now, long remaining) {
            if (fails[1]) {
              throw failure;
            }
            return remaining;
          }
        };
    Cache<String, Long> cache = stage.build(Cache.over(storage).expireAfter(expiry).ticker(ticker));
    storage.holding("k", 1L);
    assertThatThrownBy(() -> cache.get("k"))
        .isInstanceOf(CacheLoadException.class)
        .hasCause(failure);
    assertThatThrownBy(() -> cache.put("k", 2L)).hasRootCause(failure);
    fails[0] = false;
    assertThat(cache.get("k")).isEqualTo(storage.contents().get("k"));
    fails[1] = true;
    try {
      cache.get("k");
    } catch (RuntimeException e) {
      assertThat(e).hasStackTraceContaining("no life");
    }
    fails[1] = false;
    assertThat(cache.get("k")).isEqualTo(storage.contents().get("k"));
    cache.put("k", 3L);
    assertThat(cache.getIfPresent("k")).isEqualTo(3);
  }

  @Test
  @DisplayName("E5: lives from nothing to years: none is served past its end or swept before it")
  void wheel() {
    long seed = Long.getLong("latchkey.seed", System.nanoTime());
    System.out.println("VariableExpiryTest: latchkey.seed=" + seed);
    Random random = new Random(seed);
    ticker = new ManualTicker(random.nextLong());
    Cache<String, Long> cache = cache();
    Map<String, Long> ends = new HashMap<>();
    for (int i = 0; i < 3_000; i++) {
      String key = "k" + random.nextInt(400);
      // Lives of every magnitude, from one nanosecond to nine years.
      long life = 1 + (random.nextLong() >>> 6 + random.nextInt(57));
      cache.put(key, life);
      ends.put(key, ticker.read() + life);
      if (random.nextInt(4) == 0) {
        advance(random.nextLong() >>> 12 + random.nextInt(51));
      }
      if (random.nextInt(8) == 0) {
        cache.cleanUp();
      }
      ends.values().removeIf(end -> end - ticker.read() <= 0);
      if (i % 20 == 0) {
        assertThat(cache.asMap().keySet()).as("seed %s, step %s", seed, i).isEqualTo(ends.keySet());
      }
    }
    ticker.advance(Duration.ofDays(20 * 365));
    cache.cleanUp();
    assertThat(cache.estimatedSize()).as("seed %s: all are over", seed).isZero();
  }

  @Test
  @DisplayName("E5: cleanUp sweeps short lives soon, not only when the longest are over")
  void sweptSoon() {
    Cache<String, Long> cache = cache();
    cache.put("long", Duration.ofDays(365).toNanos());
    for (int i = 0; i < 500; i++) {
      cache.put("k" + i, 1_000L + i);
    }
    ticker.advance(Duration.ofMinutes(1));
    cache.cleanUp();
    assertThat(cache.estimatedSize()).isEqualTo(1);
    assertThat(cache.getIfPresent("long")).isNotNull();
  }

  private Cache<String, Long> jittered(double share) {
    return stage.build(
        Cache.over((String key) -> 1L)
            .expireAfterWrite(Duration.ofNanos(10_000))
            .expiryJitter(share)
            .ticker(ticker));
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.01, 0.1, 0.5, 1.0})
  @DisplayName("E3: jitter stays within its share of the life, and spreads over all of it")
  void jitter(double share) {
    Cache<String, Long> cache = jittered(share);
    int many = 2_000;
    for (int i = 0; i < many; i++) {
      cache.get("k" + i);
    }
    long spread = (long) (10_000 * share);
    advance(10_000 - spread - 1);
    assertThat(cache.asMap()).as("none dies too early").hasSize(many);
    // In eight steps from the earliest end to the latest about an eighth dies in each.
    int left = many;
    for (int step = 0; step < 8; step++) {
      advance(spread / 4);
      int now = (int) cache.asMap().keySet().stream().count();
      assertThat(left - now).as("deaths in step %s", step).isBetween(many / 16, many / 4);
      left = now;
    }
    advance(spread + 2 - spread / 4 * 8 + spread);
    assertThat(cache.asMap()).as("none lives too long").isEmpty();
    ticker.advance(Duration.ofMinutes(1));
    cache.cleanUp();
    assertThat(cache.estimatedSize()).isZero();
  }

  @Test
  @DisplayName("E3: no jitter is no jitter; jitter on a life of zero or of ever changes nothing")
  void jitterExtremes() {
    Cache<String, Long> none = jittered(0);
    for (int i = 0; i < 100; i++) {
      none.get("k" + i);
    }
    advance(9_999);
    assertThat(none.asMap()).hasSize(100);
    advance(1);
    assertThat(none.asMap()).isEmpty();
    for (Duration life : List.of(Duration.ZERO, Duration.ofSeconds(Long.MAX_VALUE))) {
      Cache<String, Long> cache =
          stage.build(
              Cache.over((String key) -> 1L).expireAfterWrite(life).expiryJitter(1).ticker(ticker));
      for (int i = 0; i < 100; i++) {
        cache.get("k" + i);
      }
      assertThat(cache.asMap()).hasSize(life.isZero() ? 0 : 100);
    }
  }

  @Test
  @DisplayName("E3: jitter that reaches past the end of the clock's numbers means never")
  void jitterOverflow() {
    Duration centuries = Duration.ofDays(200 * 365);
    Cache<String, Long> cache =
        stage.build(
            Cache.over((String key) -> 1L)
                .expireAfterWrite(centuries)
                .expiryJitter(0.5)
                .ticker(ticker));
    for (int i = 0; i < 200; i++) {
      cache.get("k" + i);
    }
    ticker.advance(centuries.dividedBy(2).minusNanos(1));
    cache.cleanUp();
    assertThat(cache.asMap()).hasSize(200);
  }

  @Test
  @DisplayName("E3: a reload draws its jitter anew, and a put, too")
  void jitterAnew() {
    Cache<String, Long> cache = jittered(0.5);
    java.util.Set<Boolean> alive = new java.util.HashSet<>();
    for (int i = 0; i < 64; i++) {
      cache.put("k", 1L);
      advance(10_000);
      alive.add(cache.getIfPresent("k") != null);
    }
    assertThat(alive).containsExactlyInAnyOrder(true, false);
  }
}
