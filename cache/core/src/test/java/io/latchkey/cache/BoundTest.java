package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.GatedLoads;
import io.latchkey.cache.testing.MapStorage;
import io.latchkey.cache.testing.Stage;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BoundTest {
  /** The admissions that may wait, beside the bound. */
  private static final int QUEUE = 128;

  @RegisterExtension final Stage stage = new Stage();

  private Cache<Integer, Integer> cache(long maximum) {
    return stage.build(Cache.over((Integer key) -> key).maximumSize(maximum).recordStats());
  }

  private static void fill(Cache<Integer, Integer> cache, int from, int to) {
    IntStream.range(from, to).forEach(cache::get);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 10, 100, 1_000})
  @DisplayName("E1: the bound holds after each operation up to the queue, after cleanUp exactly")
  void holds(long maximum) {
    Cache<Integer, Integer> cache = cache(maximum);
    for (int i = 0; i < 5_000; i++) {
      if (i % 3 == 0) {
        cache.put(i, i);
      } else {
        cache.get(i);
      }
      assertThat(cache.estimatedSize()).isLessThanOrEqualTo(maximum + QUEUE);
      if (i % 500 == 499) {
        cache.cleanUp();
        assertThat(cache.estimatedSize()).isEqualTo(Math.min(maximum, i + 1));
      }
    }
    assertThat(cache.asMap()).hasSize((int) maximum);
    assertThat(cache.stats().evictionCount()).isEqualTo(5_000 - maximum);
  }

  @Test
  @DisplayName("E1: the bound holds while threads insert, overwrite, invalidate and clean up")
  void holdsConcurrently() {
    long seed = Long.getLong("latchkey.seed", System.nanoTime());
    System.out.println("BoundTest: latchkey.seed=" + seed);
    Cache<Integer, Integer> cache = cache(200);
    AtomicBoolean over = new AtomicBoolean();
    Caller<Object> watcher =
        stage
            .callers()
            .run(
                () -> {
                  while (!over.get()) {
                    // Each of the threads may be between its insertion and its eviction.
                    assertThat(cache.estimatedSize()).isLessThanOrEqualTo(200 + QUEUE + 4);
                  }
                });
    List<Caller<Object>> callers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Random random = new Random(seed + i);
      callers.add(stage.callers().run(() -> churn(cache, random)));
    }
    callers.forEach(Caller::value);
    over.set(true);
    watcher.value();
    cache.cleanUp();
    assertThat(cache.estimatedSize()).as("seed %s", seed).isEqualTo(200);
    assertThat(new HashSet<>(cache.asMap().keySet())).hasSize(200);
    assertThat(cache.policy().coldest(1_000)).hasSize(200);
  }

  private static void churn(Cache<Integer, Integer> cache, Random random) {
    for (int n = 0; n < 20_000; n++) {
      int key = random.nextInt(2_000);
      switch (random.nextInt(20)) {
        case 0 -> cache.invalidate(key);
        case 1 -> cache.put(key, key);
        case 2 -> cache.asMap().computeIfPresent(key, (k, v) -> v);
        case 3 -> cache.refresh(key).join();
        case 4 -> cache.cleanUp();
        default -> assertThat(cache.get(key)).isEqualTo(key);
      }
    }
    for (int key = 3_000; key < 3_400; key++) {
      cache.get(key);
    }
  }

  @Test
  @DisplayName("E1: under a zero bound nothing stays; loads are still shared, writes still stored")
  void zero() {
    GatedLoads<String, String> loads = stage.loads();
    Cache<String, String> cache = stage.build(Cache.over(loads).maximumSize(0), loads);
    Caller<String> leader = stage.callers().start(() -> cache.get("k"));
    GatedLoads.Load<String, String> load = loads.next();
    List<Caller<String>> waiters = stage.callers().startParked(4, () -> cache.get("k"));
    load.returns("v");
    assertThat(leader.value()).isEqualTo("v");
    waiters.forEach(waiter -> assertThat(waiter.value()).isEqualTo("v"));
    assertThat(loads.calls()).isEqualTo(1);
    assertThat(cache.estimatedSize()).isZero();
    assertThat(cache.getIfPresent("k")).isNull();
    MapStorage<String, String> map = new MapStorage<>();
    Cache<String, String> written = stage.build(Cache.over(map).maximumSize(0));
    written.put("k", "1");
    written.putAll(Map.of("l", "2"));
    written.asMap().put("m", "3");
    assertThat(written.estimatedSize()).isZero();
    assertThat(written.asMap()).isEmpty();
    assertThat(written.get("k")).isEqualTo("1");
    assertThat(written.getAll(List.of("k", "l", "m"))).isEqualTo(Map.of("k", "1", "l", "2"));
    assertThat(written.refresh("k").join()).isEqualTo("1");
    assertThat(written.getAsync("l").join()).isEqualTo("2");
    assertThat(written.estimatedSize()).isZero();
    assertThat(written.policy().hottest(5)).isEmpty();
  }

  @Test
  @DisplayName("E1: setMaximum lowers and raises the bound at once, to zero and from it, too")
  void setMaximum() {
    Cache<Integer, Integer> cache = cache(100);
    fill(cache, 0, 150);
    cache.policy().setMaximum(30);
    assertThat(cache.policy().maximum()).isEqualTo(30);
    cache.cleanUp();
    assertThat(cache.estimatedSize()).isEqualTo(30);
    fill(cache, 1_000, 1_100);
    cache.cleanUp();
    assertThat(cache.estimatedSize()).isEqualTo(30);
    cache.policy().setMaximum(60);
    fill(cache, 2_000, 2_100);
    cache.cleanUp();
    assertThat(cache.estimatedSize()).isEqualTo(60);
    cache.policy().setMaximum(0);
    cache.cleanUp();
    assertThat(cache.estimatedSize()).isZero();
    fill(cache, 0, 10);
    cache.cleanUp();
    assertThat(cache.estimatedSize()).isZero();
    cache.policy().setMaximum(5_000);
    fill(cache, 0, 4_000);
    cache.cleanUp();
    assertThat(cache.estimatedSize()).isEqualTo(4_000);
    cache.policy().setMaximum(Long.MAX_VALUE);
    fill(cache, 0, 8_000);
    cache.cleanUp();
    assertThat(cache.estimatedSize()).isEqualTo(8_000);
    cache.policy().setMaximum(1);
    cache.cleanUp();
    assertThat(cache.estimatedSize()).isEqualTo(1);
  }

  @Test
  @DisplayName("E1: setMaximum while threads insert leaves the last bound in force")
  void setMaximumConcurrently() {
    Cache<Integer, Integer> cache = cache(500);
    List<Caller<Object>> callers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      int from = i * 100_000;
      callers.add(stage.callers().run(() -> fill(cache, from, from + 10_000)));
    }
    for (int round = 0; round < 200; round++) {
      cache.policy().setMaximum(round % 7 * 100L);
    }
    cache.policy().setMaximum(77);
    callers.forEach(Caller::value);
    fill(cache, 0, 1_000); // they may all have ended while the bound was 0
    cache.cleanUp();
    assertThat(cache.estimatedSize()).isEqualTo(77);
  }

  @Test
  @DisplayName("E1: keys that are loading are outside the bound and drive nothing out")
  void loadingOutside() {
    GatedLoads<String, String> loads = stage.loads();
    Cache<String, String> cache = stage.build(Cache.over(loads).maximumSize(2), loads);
    cache.put("a", "1");
    cache.put("b", "2");
    List<Caller<String>> leaders = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      String key = "k" + i;
      leaders.add(stage.callers().start(() -> cache.get(key)));
      loads.next(key);
    }
    cache.cleanUp();
    assertThat(cache.asMap()).isEqualTo(Map.of("a", "1", "b", "2"));
    assertThat(cache.estimatedSize()).isEqualTo(2);
    cache.policy().setMaximum(1);
    cache.cleanUp();
    assertThat(cache.estimatedSize()).isEqualTo(1);
    assertThat(leaders).noneMatch(Caller::ended);
    leaders.forEach(Caller::interrupt);
  }

  @Test
  @DisplayName("E2: eviction takes no outcome from those who wait for it")
  void waitersKeepOutcome() {
    for (long maximum : new long[] {0, 1, 2}) {
      GatedLoads<Integer, Integer> loads = stage.loads();
      Cache<Integer, Integer> cache = stage.build(Cache.over(loads).maximumSize(maximum), loads);
      List<Caller<Integer>> callers = new ArrayList<>();
      List<GatedLoads.Load<Integer, Integer>> held = new ArrayList<>();
      for (int k = 0; k < 12; k++) {
        int key = k;
        callers.add(stage.callers().start(() -> cache.get(key)));
        held.add(loads.next(key));
        callers.addAll(stage.callers().startParked(2, () -> cache.get(key)));
      }
      held.forEach(load -> load.returns(-load.key()));
      for (int i = 0; i < callers.size(); i++) {
        assertThat(callers.get(i).value()).isEqualTo(-(i / 3));
      }
      cache.cleanUp();
      assertThat(cache.estimatedSize()).isEqualTo(maximum);
      assertThat(loads.calls()).isEqualTo(12);
    }
  }

  @Test
  @DisplayName("E1: overwriting and invalidating leaves room: nothing else is evicted for it")
  void noRoomLost() {
    Cache<Integer, Integer> cache = cache(10);
    fill(cache, 0, 10);
    for (int i = 0; i < 10_000; i++) {
      cache.put(3, i);
      cache.refresh(4).join();
      cache.invalidate(5);
      cache.get(5);
      cache.asMap().replace(6, i);
    }
    cache.cleanUp();
    assertThat(cache.stats().evictionCount()).isZero();
    assertThat(cache.asMap()).containsOnlyKeys(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    cache.invalidateAll();
    fill(cache, 100, 110);
    cache.cleanUp();
    assertThat(cache.stats().evictionCount()).isZero();
    assertThat(cache.estimatedSize()).isEqualTo(10);
  }

  @Test
  @DisplayName("E1: an evicted object is loaded again, and used ones are not all thrown out")
  void evictedReload() {
    MapStorage<Integer, Integer> map = new MapStorage<>();
    IntStream.range(0, 100).forEach(i -> map.contents().put(i, i));
    Cache<Integer, Integer> cache = stage.build(Cache.over(map).maximumSize(10));
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < 100; i++) {
        assertThat(cache.get(i)).isEqualTo(i);
      }
    }
    assertThat(map.count("load")).isGreaterThan(100);
  }

  @Test
  @DisplayName("policy: hottest and coldest list what is cached, each key once, to the limit")
  void order() {
    Cache<Integer, Integer> cache = cache(10);
    assertThat(cache.policy().hottest(5)).isEmpty();
    fill(cache, 0, 30);
    cache.cleanUp();
    List<Integer> coldest = cache.policy().coldest(100);
    List<Integer> hottest = cache.policy().hottest(100);
    assertThat(coldest).containsExactlyInAnyOrderElementsOf(cache.asMap().keySet());
    assertThat(hottest).containsExactlyInAnyOrderElementsOf(cache.asMap().keySet());
    assertThat(cache.policy().coldest(3)).isEqualTo(coldest.subList(0, 3));
    assertThat(cache.policy().hottest(3)).isEqualTo(hottest.subList(0, 3));
    assertThat(hottest.get(0)).isNotEqualTo(coldest.get(0));
    assertThat(cache.policy().hottest(0)).isEmpty();
    assertThat(cache.policy().coldest(Integer.MAX_VALUE)).hasSize(10);
    cache.invalidate(coldest.get(0));
    assertThat(cache.policy().coldest(100)).hasSize(9).doesNotContain(coldest.get(0));
    cache.invalidateAll();
    assertThat(cache.policy().hottest(100)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {20, 300})
  @DisplayName("policy: what stands coldest in a full cache is evicted next")
  void coldestGoesFirst(int loads) {
    Cache<Integer, Integer> cache = cache(20);
    fill(cache, 0, loads);
    for (int i = 1_000; i < 1_010; i++) {
      cache.cleanUp();
      Integer coldest = cache.policy().coldest(1).get(0);
      assertThat(cache.asMap()).containsKey(coldest);
      cache.get(i);
      cache.cleanUp();
      assertThat(cache.asMap()).doesNotContainKey(coldest);
    }
  }

  @Test
  @DisplayName("policy: a smaller bound leaves what was used, and of the rest what is new")
  void shrink() {
    Cache<Integer, Integer> cache = cache(1_000);
    fill(cache, 0, 100);
    for (int round = 0; round < 3; round++) {
      fill(cache, 0, 10);
    }
    List<Integer> coldest = cache.policy().coldest(40);
    cache.policy().setMaximum(50);
    cache.cleanUp();
    assertThat(cache.asMap().keySet())
        .hasSize(50)
        .contains(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
        .doesNotContainAnyElementsOf(coldest);
  }
}
