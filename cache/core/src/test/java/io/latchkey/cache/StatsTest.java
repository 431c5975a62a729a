package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.GatedLoads;
import io.latchkey.cache.testing.ManualTicker;
import io.latchkey.cache.testing.MapStorage;
import io.latchkey.cache.testing.Patience;
import io.latchkey.cache.testing.Stage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class StatsTest {
  private static final Duration DAY = Duration.ofDays(1);

  @RegisterExtension final Stage stage = new Stage();

  private final MapStorage<String, String> storage =
      new MapStorage<String, String>().holding("a", "1").holding("b", "2").holding("c", "3");

  /** A storage that fails for the key bad and has all others but none. */
  private static @Nullable String flaky(String key) {
    return switch (key) {
      case "bad" -> throw new IllegalStateException("bad");
      case "none" -> null;
      default -> "v";
    };
  }

  private static void expectFailure(Runnable call) {
    assertThatThrownBy(call::run).isInstanceOf(CacheLoadException.class);
  }

  private static void expect(Cache<?, ?> cache, long hits, long misses) {
    CacheStats stats = cache.stats();
    assertThat(stats.hitCount()).as("hits").isEqualTo(hits);
    assertThat(stats.missCount()).as("misses").isEqualTo(misses);
  }

  private static void expectLoads(Cache<?, ?> cache, long good, long failed, long abandoned) {
    CacheStats stats = cache.stats();
    assertThat(stats.loadSuccessCount()).as("successes").isEqualTo(good);
    assertThat(stats.loadFailureCount()).as("failures").isEqualTo(failed);
    assertThat(stats.loadAbandonedCount()).as("abandoned").isEqualTo(abandoned);
  }

  @Test
  @DisplayName("F17: a new cache has counted nothing, and its hit rate is 1")
  void fresh() {
    Cache<String, String> cache = stage.build(Cache.over(storage).recordStats());
    assertThat(cache.stats()).isEqualTo(new CacheStats(0, 0, 0, 0, 0, 0, 0, 0, 0));
    assertThat(cache.stats().hitRate()).isEqualTo(1.0);
    cache.get("a");
    cache.get("a");
    cache.get("a");
    cache.get("b");
    assertThat(cache.stats().hitRate()).isEqualTo(0.5);
  }

  @Test
  @DisplayName("F17: every kind of look-up counts, getAll its distinct keys")
  void lookups() {
    Cache<String, String> cache = stage.build(Cache.over(storage).recordStats());
    cache.get("a");
    expect(cache, 0, 1);
    cache.get("a");
    cache.get("a", DAY);
    cache.getAsync("a").join();
    cache.getIfPresent("a");
    expect(cache, 4, 1);
    cache.getIfPresent("b");
    expect(cache, 4, 2);
    cache.getAll(List.of("a", "b", "b", "a", "c", "x"));
    expect(cache, 5, 5);
    cache.get("d", DAY);
    cache.getAsync("e").join();
    expect(cache, 5, 7);
  }

  @Test
  @DisplayName("F17: the map, refresh, writes, invalidation and policy count no look-up")
  void noLookups() {
    Cache<String, String> cache = stage.build(Cache.over(storage).maximumSize(9).recordStats());
    Map<String, String> map = cache.asMap();
    cache.put("a", "p");
    map.get("a");
    map.get("z");
    assertThat(map.containsKey("a")).isTrue();
    map.put("b", "q");
    map.merge("b", "r", String::concat);
    map.computeIfAbsent("y", k -> "s");
    map.forEach((k, v) -> {});
    cache.refresh("a").join();
    cache.refresh("c").join();
    cache.invalidate("a");
    cache.remove("b");
    cache.putAll(Map.of("a", "1"));
    cache.policy().age("a");
    cache.policy().hottest(5);
    cache.cleanUp();
    expect(cache, 0, 0);
    expectLoads(cache, 2, 0, 0);
  }

  @Test
  @DisplayName("F17: without recordStats loads and evictions are counted, look-ups are not")
  void notRecorded() {
    Cache<String, String> cache = stage.build(Cache.over(storage).maximumSize(2));
    for (String key : List.of("a", "a", "b", "c", "none")) {
      cache.get(key);
    }
    cache.cleanUp();
    expect(cache, 0, 0);
    expectLoads(cache, 4, 0, 0);
    assertThat(cache.stats().evictionCount()).isEqualTo(1);
    assertThat(cache.stats().hitRate()).isEqualTo(1.0);
  }

  @Test
  @DisplayName("F17: joining a load is a miss, and no load")
  void joins() {
    GatedLoads<String, String> loads = stage.loads();
    Cache<String, String> cache = stage.over(loads);
    Caller<String> leader = stage.callers().start(() -> cache.get("k"));
    GatedLoads.Load<String, String> load = loads.next();
    List<Caller<String>> waiters = stage.callers().startParked(4, () -> cache.get("k"));
    load.returns("v");
    leader.value();
    waiters.forEach(Caller::value);
    expect(cache, 0, 5);
    expectLoads(cache, 1, 0, 0);
    cache.get("k");
    expect(cache, 1, 5);
  }

  @Test
  @DisplayName("F17: a cached absence and a cached failure are hits; absence loaded is a success")
  void negatives() {
    Cache<String, String> cache =
        stage.build(
            Cache.over(StatsTest::flaky).cacheAbsentFor(DAY).cacheFailuresFor(DAY).recordStats());
    cache.get("none");
    expectFailure(() -> cache.get("bad"));
    expect(cache, 0, 2);
    expectLoads(cache, 1, 1, 0);
    cache.get("none");
    expectFailure(() -> cache.get("bad"));
    cache.getAll(List.of("none"));
    expect(cache, 3, 2);
    expectLoads(cache, 1, 1, 0);
    Cache<String, String> plain = stage.build(Cache.over(StatsTest::flaky).recordStats());
    plain.get("none");
    plain.get("none");
    expectFailure(() -> plain.get("bad"));
    expectFailure(() -> plain.get("bad"));
    expect(plain, 0, 4);
    expectLoads(plain, 2, 2, 0);
  }

  @Test
  @DisplayName("F17: a bulk is one load; keys loaded singly are one each")
  void bulks() {
    Cache<String, String> bulk = stage.build(Cache.over(storage).recordStats());
    bulk.getAll(List.of("a", "b", "c"));
    expectLoads(bulk, 1, 0, 0);
    expect(bulk, 0, 3);
    Cache<String, String> singly = stage.build(Cache.over(StatsTest::flaky).recordStats());
    singly.getAll(List.of("a", "b", "none"));
    expectLoads(singly, 3, 0, 0);
    expectFailure(() -> singly.getAll(List.of("a", "bad", "d")));
    expectLoads(singly, 4, 1, 0);
    expect(singly, 1, 5);
  }

  @Test
  @DisplayName("F17: a detached load that ended well is a success, one that failed a failure")
  void detached() {
    GatedLoads<String, String> loads = stage.loads();
    Cache<String, String> cache = stage.over(loads);
    for (boolean good : new boolean[] {true, false}) {
      Caller<String> caller = stage.callers().start(() -> cache.get("k"));
      GatedLoads.Load<String, String> load = loads.next();
      cache.invalidate("k");
      if (good) {
        load.returns("v");
      } else {
        load.fails(new IllegalStateException("bad"));
      }
      caller.outcome();
    }
    expectLoads(cache, 1, 1, 0);
  }

  @Test
  @DisplayName("F17: a load that was interrupted is abandoned, the one that took over a success")
  void interrupted() {
    GatedLoads<String, String> loads = stage.loads();
    Cache<String, String> cache = stage.over(loads);
    Caller<String> leader = stage.callers().start(() -> cache.get("k"));
    loads.next();
    Caller<String> waiter = stage.callers().startParked(() -> cache.get("k"));
    leader.interrupt().failure(CacheInterruptedException.class);
    loads.next().returns("v");
    assertThat(waiter.value()).isEqualTo("v");
    expectLoads(cache, 1, 0, 1);
    expect(cache, 0, 2);
    Caller<String> alone = stage.callers().start(() -> cache.get("l"));
    loads.next("l");
    alone.interrupt().failure(CacheInterruptedException.class);
    expectLoads(cache, 1, 0, 2);
  }

  @Test
  @DisplayName("F17: a load past loadTimeout is abandoned once, however it ends later")
  void timedOut() {
    for (String end : List.of("returns", "fails", "absent")) {
      GatedLoads<String, String> loads = stage.loads(GatedLoads.Interrupts.SWALLOW);
      Cache<String, String> cache =
          stage.build(Cache.over(loads).loadTimeout(Duration.ofMillis(1)).recordStats(), loads);
      // A load whose time is up before a thread took it never reaches the storage.
      while (loads.calls() == 0) {
        Caller<String> caller = stage.callers().start(() -> cache.get("k"));
        caller.failure(CacheTimeoutException.class);
      }
      Patience.until("a load is abandoned", () -> cache.stats().loadAbandonedCount() > 0);
      for (int i = loads.calls(); i > 0; i--) {
        GatedLoads.Load<String, String> load = loads.next();
        switch (end) {
          case "returns" -> load.returns("v");
          case "fails" -> load.fails(new IllegalStateException("bad"));
          default -> load.returns(null);
        }
        load.awaitLeft();
      }
      Patience.until(
          "every load that began is abandoned",
          () -> cache.stats().loadAbandonedCount() == loads.calls());
      assertThat(cache.stats().loadSuccessCount()).isZero();
      assertThat(cache.stats().loadFailureCount()).isZero();
    }
  }

  @Test
  @DisplayName("F17: a caller that leaves by its own timeout abandons no load")
  void leftAlone() {
    GatedLoads<String, String> loads = stage.loads();
    Cache<String, String> cache = stage.over(loads);
    Caller<String> timed = stage.callers().start(() -> cache.get("k", Duration.ofMillis(1)));
    GatedLoads.Load<String, String> load = loads.next();
    timed.failure(CacheTimeoutException.class);
    expectLoads(cache, 0, 0, 0);
    load.returns("v");
    Patience.until("the load is counted", () -> cache.stats().loadSuccessCount() == 1);
    assertThat(cache.get("k")).isEqualTo("v");
    expect(cache, 1, 1);
    expectLoads(cache, 1, 0, 0);
  }

  @Test
  @DisplayName(
      "F17: only the policy's doing is an eviction: no invalidation, expiry or replacement")
  void evictions() {
    ManualTicker ticker = new ManualTicker();
    Cache<String, String> cache =
        stage.build(
            Cache.over(StatsTest::flaky)
                .maximumSize(10)
                .expireAfterWrite(Duration.ofNanos(10))
                .ticker(ticker)
                .recordStats());
    for (int i = 0; i < 10; i++) {
      cache.get("k" + i);
    }
    cache.put("k0", "p");
    cache.refresh("k1").join();
    cache.asMap().put("k2", "m");
    cache.asMap().remove("k3");
    cache.invalidate("k4");
    cache.remove("k5");
    ticker.advance(Duration.ofNanos(10));
    cache.get("k6");
    cache.cleanUp();
    cache.invalidateAll();
    cache.cleanUp();
    assertThat(cache.stats().evictionCount()).isZero();
    assertThat(cache.stats().evictionWeight()).isZero();
    for (int i = 0; i < 25; i++) {
      cache.get("k" + i);
    }
    cache.cleanUp();
    assertThat(cache.stats().evictionCount()).isEqualTo(15);
    cache.policy().setMaximum(4);
    cache.cleanUp();
    assertThat(cache.stats().evictionCount()).isEqualTo(21);
    assertThat(cache.stats().evictionWeight()).as("each weighs 1").isEqualTo(21);
  }

  @Test
  @DisplayName("F17: load time is the storage's, wait time the waiters'; the one is not the other")
  void times() {
    GatedLoads<String, String> loads = stage.loads();
    Cache<String, String> cache = stage.over(loads);
    Caller<String> leader = stage.callers().start(() -> cache.get("k"));
    GatedLoads.Load<String, String> load = loads.next();
    long begun = System.nanoTime();
    Patience.until("some time goes by", () -> System.nanoTime() - begun > 2_000_000);
    load.returns("v");
    leader.value();
    CacheStats alone = cache.stats();
    assertThat(alone.totalLoadTimeNanos()).isGreaterThanOrEqualTo(2_000_000);
    assertThat(alone.totalWaitTimeNanos()).as("nobody waited").isZero();
    cache.get("k");
    assertThat(cache.stats().totalLoadTimeNanos()).isEqualTo(alone.totalLoadTimeNanos());
    Caller<String> second = stage.callers().start(() -> cache.get("l"));
    GatedLoads.Load<String, String> held = loads.next();
    List<Caller<String>> waiters = stage.callers().startParked(3, () -> cache.get("l"));
    long parked = System.nanoTime();
    Patience.until("some time goes by", () -> System.nanoTime() - parked > 2_000_000);
    held.returns("w");
    second.value();
    waiters.forEach(Caller::value);
    assertThat(cache.stats().totalWaitTimeNanos()).isGreaterThanOrEqualTo(3 * 2_000_000);
  }

  @Test
  @DisplayName("F17: when all is quiet the counts of a busy cache are exact")
  void exact() {
    long seed = Long.getLong("latchkey.seed", System.nanoTime());
    System.out.println("StatsTest: latchkey.seed=" + seed);
    AtomicLong calls = new AtomicLong();
    AtomicLong lookups = new AtomicLong();
    Cache<Integer, Integer> cache =
        stage.build(
            Cache.over(
                    (Integer key) -> {
                      calls.incrementAndGet();
                      if (key % 11 == 0) {
                        throw new IllegalStateException("bad");
                      }
                      return key % 7 == 0 ? null : key;
                    })
                .maximumSize(40)
                .cacheAbsentFor(DAY)
                .cacheFailuresFor(Duration.ofNanos(1))
                .recordStats());
    List<Caller<Object>> callers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Random random = new Random(seed + i);
      callers.add(stage.callers().run(() -> busy(cache, random, lookups)));
    }
    callers.forEach(Caller::value);
    cache.cleanUp();
    // Loads on the executor are counted by their own threads, maybe after the future ended.
    Patience.until(
        () -> "all of " + calls + " loads of seed " + seed + " are counted: " + cache.stats(),
        () -> loads(cache.stats()) == calls.get());
    CacheStats stats = cache.stats();
    assertThat(stats.hitCount() + stats.missCount()).as("seed %s", seed).isEqualTo(lookups.get());
    assertThat(stats.loadAbandonedCount()).isZero();
    assertThat(stats.loadFailureCount()).isPositive();
  }

  private static long loads(CacheStats stats) {
    return stats.loadSuccessCount() + stats.loadFailureCount() + stats.loadAbandonedCount();
  }

  private static void busy(Cache<Integer, Integer> cache, Random random, AtomicLong lookups) {
    for (int i = 0; i < 4_000; i++) {
      int key = random.nextInt(100);
      try {
        switch (random.nextInt(12)) {
          case 0 -> cache.invalidate(key);
          case 1 -> cache.put(key, -key);
          case 2 -> cache.refresh(key).join();
          case 3 -> cache.asMap().remove(key);
          case 4 -> {
            List<Integer> keys = random.ints(5, 0, 100).boxed().distinct().toList();
            lookups.addAndGet(keys.size());
            cache.getAll(keys);
          }
          case 5 -> {
            lookups.incrementAndGet();
            cache.getAsync(key).join();
          }
          case 6 -> {
            lookups.incrementAndGet();
            cache.getIfPresent(key);
          }
          default -> {
            lookups.incrementAndGet();
            cache.get(key);
          }
        }
      } catch (CacheLoadException | java.util.concurrent.CompletionException e) {
        assertThat(e).hasRootCauseMessage("bad");
      }
    }
  }

  @Test
  @DisplayName("F17: stats that were taken do not change")
  void snapshot() {
    Cache<String, String> cache = stage.build(Cache.over(storage).recordStats());
    cache.get("a");
    CacheStats before = cache.stats();
    cache.get("a");
    cache.get("b");
    assertThat(before.hitCount()).isZero();
    assertThat(before.missCount()).isEqualTo(1);
  }
}
