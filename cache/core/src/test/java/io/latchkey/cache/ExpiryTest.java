package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.GatedLoads;
import io.latchkey.cache.testing.ManualTicker;
import io.latchkey.cache.testing.MapStorage;
import io.latchkey.cache.testing.Stage;
import io.latchkey.storage.testkit.GatedCall;
import io.latchkey.storage.testkit.GatedWritableStorage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Time to live and time to idle; {@link VariableExpiryTest} and {@link StaleTest} have the rest.
 */
class ExpiryTest {
  private static final Duration LIFE = Duration.ofNanos(100);
  private static final Duration TICK = Duration.ofNanos(1);

  /** A life of the size that a sweep tells apart. */
  private static final Duration SWEPT_LIFE = Duration.ofMillis(100);

  private static final Duration YEARS = Duration.ofDays(200 * 365);

  @RegisterExtension final Stage stage = new Stage();

  private final MapStorage<String, String> storage =
      new MapStorage<String, String>().holding("k", "v").holding("l", "w");
  private ManualTicker ticker = new ManualTicker();

  private Cache<String, String> living(Duration life) {
    return stage.build(Cache.over(storage).expireAfterWrite(life).ticker(ticker).recordStats());
  }

  private Cache<String, String> idling(Duration idle) {
    return stage.build(Cache.over(storage).expireAfterAccess(idle).ticker(ticker).recordStats());
  }

  @ParameterizedTest
  @ValueSource(
      longs = {0, -1, -100, 1L << 40, Long.MAX_VALUE, Long.MAX_VALUE - 99, Long.MIN_VALUE, -50})
  @DisplayName("E3: an object of exactly its life is expired, one tick younger is not, at any time")
  void exact(long start) {
    ticker = new ManualTicker(start);
    for (Cache<String, String> cache : List.of(living(LIFE), idling(LIFE))) {
      cache.get("k");
      cache.put("l", "put");
      ticker.advance(LIFE.minus(TICK));
      assertThat(cache.asMap()).containsOnlyKeys("k", "l");
      ticker.advance(TICK);
      assertThat(cache.getIfPresent("k")).isNull();
      assertThat(cache.getIfPresent("l")).isNull();
      assertThat(cache.get("k")).isEqualTo("v");
      assertThat(storage.count("load k")).isEqualTo(2);
      ticker.set(start);
      storage.forget();
    }
  }

  @Test
  @DisplayName("E3: reads do not prolong a time to live, writes begin it anew")
  void liveFromWrite() {
    Cache<String, String> cache = living(LIFE);
    cache.get("k");
    for (int i = 0; i < 99; i++) {
      ticker.advance(TICK);
      assertThat(cache.get("k")).isEqualTo("v");
    }
    cache.put("k", "new");
    ticker.advance(LIFE.minus(TICK));
    assertThat(cache.getIfPresent("k")).isEqualTo("new");
    cache.asMap().put("k", "newer");
    ticker.advance(LIFE.minus(TICK));
    assertThat(cache.getIfPresent("k")).isEqualTo("newer");
    ticker.advance(TICK);
    assertThat(cache.getIfPresent("k")).isNull();
  }

  @Test
  @DisplayName("E3: get, getIfPresent, getAll, getAsync and timed gets renew idleness alike")
  void idleFromRead() {
    Cache<String, String> cache = idling(LIFE);
    cache.get("k");
    for (int i = 0; i < 50; i++) {
      ticker.advance(LIFE.minus(TICK));
      String read =
          switch (i % 5) {
            case 0 -> cache.get("k");
            case 1 -> cache.getIfPresent("k");
            case 2 -> cache.getAll(List.of("k")).get("k");
            case 3 -> cache.getAsync("k").join();
            default -> cache.get("k", YEARS);
          };
      assertThat(read).as("read %s", i).isEqualTo("v");
    }
    assertThat(storage.calls()).containsExactly("load k");
    ticker.advance(LIFE);
    assertThat(cache.getIfPresent("k")).isNull();
  }

  @Test
  @DisplayName("E3: of a time to live and a time to idle the one that is over first counts")
  void both() {
    Cache<String, String> cache =
        stage.build(
            Cache.over(storage)
                .expireAfterWrite(LIFE)
                .expireAfterAccess(Duration.ofNanos(30))
                .ticker(ticker));
    cache.get("k");
    ticker.advance(Duration.ofNanos(30));
    assertThat(cache.getIfPresent("k")).as("idle").isNull();
    cache.get("k");
    for (int i = 0; i < 4; i++) {
      ticker.advance(Duration.ofNanos(24));
      assertThat(cache.getIfPresent("k")).isEqualTo("v");
    }
    ticker.advance(Duration.ofNanos(4));
    assertThat(cache.getIfPresent("k")).as("old").isNull();
  }

  @Test
  @DisplayName("E3: time counts from the end of the load")
  void fromLoadsEnd() {
    GatedLoads<String, String> loads = stage.loads();
    Cache<String, String> cache =
        stage.build(Cache.over(loads).expireAfterWrite(LIFE).ticker(ticker), loads);
    Caller<String> caller = stage.callers().start(() -> cache.get("k"));
    GatedLoads.Load<String, String> load = loads.next();
    ticker.advance(YEARS);
    load.returns("v");
    caller.value();
    ticker.advance(LIFE.minus(TICK));
    assertThat(cache.getIfPresent("k")).isEqualTo("v");
    ticker.advance(TICK);
    assertThat(cache.getIfPresent("k")).isNull();
  }

  @Test
  @DisplayName("E3, F18: for a put time counts from the end of the store")
  void fromStoresEnd() {
    GatedWritableStorage<String, String> slow = stage.gated(new GatedWritableStorage<>());
    slow.gateWrites();
    for (CacheBuilder<String, String> builder :
        List.of(
            Cache.over(slow).expireAfterWrite(LIFE),
            Cache.over(slow).expireAfterAccess(LIFE),
            Cache.over(slow).expireAfter((key, value, now) -> LIFE.toNanos()))) {
      Cache<String, String> cache = stage.build(builder.ticker(ticker));
      Caller<Object> writer = stage.callers().run(() -> cache.put("k", "v"));
      GatedCall<String, Void> write = slow.awaitWrite("k");
      ticker.advance(YEARS.dividedBy(2));
      write.release(null);
      writer.value();
      ticker.advance(LIFE.minus(TICK));
      assertThat(cache.getIfPresent("k")).isEqualTo("v");
      ticker.advance(LIFE);
      assertThat(cache.getIfPresent("k")).isNull();
    }
  }

  @Test
  @DisplayName("E3: a clock that jumps by years expires all that has a life, and works on")
  void jumpsForward() {
    for (Cache<String, String> cache : List.of(living(LIFE), idling(LIFE))) {
      cache.get("k");
      for (int i = 0; i < 5; i++) {
        ticker.advance(YEARS);
        assertThat(cache.getIfPresent("k")).isNull();
        cache.cleanUp();
        assertThat(cache.get("k")).isEqualTo("v");
        assertThat(cache.getIfPresent("k")).isEqualTo("v");
      }
    }
  }

  @Test
  @DisplayName("E3: when the clock goes back an age is 0, not negative, and nothing lives too long")
  void jumpsBack() {
    for (Cache<String, String> cache : List.of(living(LIFE), idling(LIFE))) {
      ticker.set(1_000);
      cache.get("k");
      ticker.advance(YEARS.negated());
      assertThat(cache.getIfPresent("k")).isEqualTo("v");
      assertThat(cache.policy().age("k")).contains(Duration.ZERO);
      cache.cleanUp();
      assertThat(cache.getIfPresent("k")).isEqualTo("v");
      // Written after k, at an earlier time: it stands behind k and is over before k.
      cache.get("l");
      ticker.advance(LIFE);
      assertThat(cache.getIfPresent("l")).isNull();
      cache.cleanUp();
      assertThat(cache.get("l")).isEqualTo("w");
      ticker.set(1_000 + LIFE.toNanos());
      assertThat(cache.getIfPresent("l")).isNull();
      cache.cleanUp();
      cache.invalidateAll();
    }
  }

  @Test
  @DisplayName("E3: a life of zero serves nothing from the cache, but loads and their waiters")
  void zero() {
    for (Cache<String, String> cache : List.of(living(Duration.ZERO), idling(Duration.ZERO))) {
      storage.forget();
      assertThat(cache.get("k")).isEqualTo("v");
      assertThat(cache.get("k")).isEqualTo("v");
      cache.put("k", "put");
      assertThat(cache.getIfPresent("k")).isNull();
      assertThat(cache.asMap()).isEmpty();
      assertThat(cache.getAll(List.of("k", "l"))).isEqualTo(Map.of("k", "put", "l", "w"));
      assertThat(cache.getAsync("l").join()).isEqualTo("w");
      assertThat(storage.count("load ")).isEqualTo(3);
      storage.holding("k", "v");
    }
    GatedLoads<String, String> loads = stage.loads();
    Cache<String, String> cache =
        stage.build(Cache.over(loads).expireAfterWrite(Duration.ZERO).ticker(ticker), loads);
    Caller<String> leader = stage.callers().start(() -> cache.get("k"));
    GatedLoads.Load<String, String> load = loads.next();
    Caller<String> waiter = stage.callers().startParked(() -> cache.get("k"));
    load.returns("shared");
    assertThat(leader.value()).isEqualTo("shared");
    assertThat(waiter.value()).isEqualTo("shared");
  }

  @Test
  @DisplayName("E3: the longest life never ends, at any reading of the clock")
  void longest() {
    Duration max = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);
    for (long start : new long[] {0, -5, Long.MAX_VALUE - 5, Long.MIN_VALUE}) {
      ticker = new ManualTicker(start);
      for (Cache<String, String> cache : List.of(living(max), idling(max))) {
        ticker.set(start);
        cache.get("k");
        ticker.advance(YEARS);
        assertThat(cache.getIfPresent("k")).isEqualTo("v");
        cache.cleanUp();
        assertThat(cache.getIfPresent("k")).isEqualTo("v");
        assertThat(cache.estimatedSize()).isEqualTo(1);
      }
    }
  }

  @Test
  @DisplayName("E5: cleanUp sweeps what has expired, and that only; unread objects too")
  void sweep() {
    Random random = new Random(42);
    for (Cache<String, String> cache : List.of(living(SWEPT_LIFE), idling(SWEPT_LIFE))) {
      for (int i = 0; i < 1_000; i++) {
        cache.put("k" + i, "v");
        if (random.nextInt(10) == 0) {
          cache.invalidate("k" + random.nextInt(i + 1));
        }
        if (random.nextInt(3) == 0) {
          ticker.advance(Duration.ofMillis(1));
        }
        if (i % 100 == 0) {
          cache.cleanUp();
          assertThat(cache.estimatedSize()).isEqualTo(cache.asMap().keySet().stream().count());
        }
      }
      ticker.advance(SWEPT_LIFE);
      cache.put("last", "v");
      cache.cleanUp();
      assertThat(cache.estimatedSize()).isEqualTo(1);
      assertThat(cache.getIfPresent("last")).isEqualTo("v");
    }
  }

  @Test
  @DisplayName("E5: objects that were read stay when older ones of the same queue are swept")
  void sweepIdle() {
    Cache<String, String> cache = idling(SWEPT_LIFE);
    for (int i = 0; i < 100; i++) {
      cache.put("k" + i, "v");
    }
    ticker.advance(Duration.ofMillis(60));
    for (int i = 0; i < 100; i += 2) {
      cache.get("k" + i);
    }
    ticker.advance(Duration.ofMillis(60));
    cache.cleanUp();
    assertThat(cache.asMap()).hasSize(50);
    assertThat(cache.estimatedSize()).isEqualTo(50);
    ticker.advance(Duration.ofMillis(40));
    cache.cleanUp();
    assertThat(cache.estimatedSize()).isZero();
  }

  @Test
  @DisplayName(
      "E5: expired objects make way for new ones without cleanUp, in a cache without bound")
  void sweepByUse() {
    Cache<String, String> cache = living(LIFE);
    for (int i = 0; i < 50_000; i++) {
      cache.put("k" + i, "v");
      ticker.advance(TICK);
    }
    assertThat(cache.estimatedSize()).isLessThan(5_000);
  }

  @Test
  @DisplayName(
      "E3: policy.age is the time since the write, empty when there is no object or no time")
  void age() {
    Cache<String, String> cache = living(LIFE);
    assertThat(cache.policy().age("k")).isEmpty();
    cache.get("k");
    assertThat(cache.policy().age("k")).contains(Duration.ZERO);
    ticker.advance(Duration.ofNanos(40));
    cache.get("k");
    assertThat(cache.policy().age("k")).contains(Duration.ofNanos(40));
    cache.put("k", "new");
    assertThat(cache.policy().age("k")).contains(Duration.ZERO);
    ticker.advance(LIFE);
    assertThat(cache.policy().age("k")).as("expired").isEmpty();
    Cache<String, String> timeless = stage.build(Cache.over(storage));
    timeless.get("k");
    assertThat(timeless.policy().age("k")).isEmpty();
  }

  @Test
  @DisplayName("E3: the policy lists no object that has expired")
  void policyLists() {
    Cache<String, String> cache =
        stage.build(Cache.over(storage).maximumSize(10).expireAfterWrite(LIFE).ticker(ticker));
    cache.get("k");
    ticker.advance(LIFE);
    cache.get("l");
    assertThat(cache.policy().hottest(10)).containsExactly("l");
    assertThat(cache.policy().coldest(10)).containsExactly("l");
  }

  @Test
  @DisplayName("E3: a cached absence and a cached failure end exactly when they were to")
  void negatives() {
    Cache<String, String> cache =
        stage.build(
            Cache.<String, String>over(
                    key -> {
                      storage.load(key);
                      if (key.equals("bad")) {
                        throw new IllegalStateException("bad");
                      }
                      return null;
                    })
                .cacheAbsentFor(LIFE)
                .cacheFailuresFor(LIFE)
                .ticker(ticker));
    for (int round = 1; round <= 2; round++) {
      assertThat(cache.get("none")).isNull();
      assertThatThrownBy(() -> cache.get("bad")).isInstanceOf(CacheLoadException.class);
      ticker.advance(LIFE.minus(TICK));
      assertThat(cache.get("none")).isNull();
      assertThatThrownBy(() -> cache.get("bad"))
          .isInstanceOf(CacheLoadException.class)
          .hasRootCauseMessage("bad");
      assertThat(storage.calls()).hasSize(2 * round);
      ticker.advance(TICK);
    }
    ticker.advance(SWEPT_LIFE);
    cache.cleanUp();
    assertThat(cache.estimatedSize()).as("swept").isZero();
  }

  @Test
  @DisplayName("E3: absences and failures cached for no time are not cached")
  void negativesForZero() {
    Cache<String, String> cache =
        stage.build(
            Cache.over(storage).cacheAbsentFor(Duration.ZERO).cacheFailuresFor(Duration.ZERO));
    cache.get("none");
    cache.get("none");
    assertThat(storage.calls()).hasSize(2);
  }
}
