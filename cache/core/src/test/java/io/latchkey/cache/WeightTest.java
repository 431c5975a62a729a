package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.GatedLoads;
import io.latchkey.cache.testing.MapStorage;
import io.latchkey.cache.testing.Sneaky;
import io.latchkey.cache.testing.Stage;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The weight of an object is its value, unless a test says otherwise. */
class WeightTest {
  @RegisterExtension final Stage stage = new Stage();

  private final MapStorage<String, Integer> storage = new MapStorage<>();
  private volatile @Nullable Throwable weigherFails;

  private int weigh(String key, Integer value) {
    Throwable failure = weigherFails;
    return failure == null ? value : Sneaky.<Integer>raise(failure);
  }

  private Cache<String, Integer> cache(long maximum) {
    return stage.build(
        Cache.over(storage).maximumWeight(maximum).weigher(this::weigh).recordStats());
  }

  private static long weightOf(Cache<?, Integer> cache) {
    return cache.asMap().values().stream().mapToLong(Integer::longValue).sum();
  }

  @Test
  @DisplayName("F14: an object heavier than the bound is returned to all waiters and not kept")
  void tooHeavy() {
    GatedLoads<String, Integer> loads = stage.loads();
    Cache<String, Integer> cache =
        stage.build(Cache.over(loads).maximumWeight(10).weigher((k, v) -> v), loads);
    cache.asMap().put("light", 3);
    Caller<Integer> leader = stage.callers().start(() -> cache.get("k"));
    GatedLoads.Load<String, Integer> load = loads.next("k");
    List<Caller<Integer>> waiters = stage.callers().startParked(3, () -> cache.get("k"));
    load.returns(11);
    assertThat(leader.value()).isEqualTo(11);
    waiters.forEach(waiter -> assertThat(waiter.value()).isEqualTo(11));
    assertThat(loads.calls("k")).isEqualTo(1);
    cache.cleanUp();
    assertThat(cache.getIfPresent("k")).isNull();
    assertThat(cache.getIfPresent("light")).as("nothing gave way for it").isEqualTo(3);
    Caller<Integer> again = stage.callers().start(() -> cache.get("k"));
    loads.next("k").returns(10);
    assertThat(again.value()).isEqualTo(10);
  }

  @Test
  @DisplayName("F14: a put of an object heavier than the bound stores it and keeps none")
  void tooHeavyPut() {
    storage.holding("k", 1);
    Cache<String, Integer> cache = cache(10);
    cache.get("k");
    cache.put("k", 11);
    cache.cleanUp();
    assertThat(cache.getIfPresent("k")).as("neither the heavy one nor the old one").isNull();
    assertThat(cache.get("k")).isEqualTo(11);
    cache.asMap().put("k", 99);
    cache.cleanUp();
    assertThat(cache.getIfPresent("k")).isNull();
    assertThat(cache.get("k")).isEqualTo(11);
  }

  @Test
  @DisplayName("F14: a refresh to a too heavy object gives it, and the old one goes")
  void tooHeavyRefresh() {
    storage.holding("k", 1);
    Cache<String, Integer> cache = cache(10);
    cache.get("k");
    storage.holding("k", 50);
    assertThat(cache.refresh("k").join()).isEqualTo(50);
    cache.cleanUp();
    assertThat(cache.getIfPresent("k")).isNull();
  }

  @Test
  @DisplayName("F14: too heavy ones in a bulk are given, the others are kept")
  void tooHeavyBulk() {
    storage.holding("a", 4).holding("b", 400).holding("c", 5);
    Cache<String, Integer> cache = cache(10);
    assertThat(cache.getAll(List.of("a", "b", "c"))).isEqualTo(Map.of("a", 4, "b", 400, "c", 5));
    cache.cleanUp();
    assertThat(cache.asMap()).isEqualTo(Map.of("a", 4, "c", 5));
    assertThat(storage.calls()).hasSize(1);
  }

  @Test
  @DisplayName("F14: a weigher that throws fails the load for all waiters; nothing is stuck")
  void throwsInLoad() {
    for (Throwable failure :
        List.of(new IllegalStateException("w"), new AssertionError("w"), new IOException("w"))) {
      weigherFails = failure;
      GatedLoads<String, Integer> loads = stage.loads();
      Cache<String, Integer> cache =
          stage.build(Cache.over(loads).maximumWeight(10).weigher(this::weigh), loads);
      Caller<Integer> leader = stage.callers().start(() -> cache.get("k"));
      GatedLoads.Load<String, Integer> load = loads.next();
      List<Caller<Integer>> waiters = stage.callers().startParked(2, () -> cache.get("k"));
      load.returns(1);
      assertThat(leader.failure(CacheLoadException.class)).hasCause(failure);
      waiters.forEach(
          waiter -> assertThat(waiter.failure(CacheLoadException.class)).hasCause(failure));
      assertThat(loads.calls()).isEqualTo(1);
      weigherFails = null;
      Caller<Integer> again = stage.callers().start(() -> cache.get("k"));
      loads.next().returns(2);
      assertThat(again.value()).isEqualTo(2);
      assertThat(cache.getIfPresent("k")).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, Integer.MIN_VALUE})
  @DisplayName("F14: a negative weight fails the load with the weight in the message")
  void negativeInLoad(int weight) {
    storage.holding("k", weight);
    Cache<String, Integer> cache = cache(10);
    assertThatThrownBy(() -> cache.get("k"))
        .isInstanceOf(CacheLoadException.class)
        .satisfies(e -> assertThat(messages(e)).contains(String.valueOf(weight)));
    assertThatThrownBy(() -> cache.getAsync("k").join())
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(CacheLoadException.class);
    assertThatThrownBy(() -> cache.refresh("k").join())
        .hasCauseInstanceOf(CacheLoadException.class);
    storage.holding("k", 3);
    assertThat(cache.get("k")).isEqualTo(3);
  }

  private static String messages(Throwable failure) {
    StringBuilder text = new StringBuilder();
    for (Throwable t = failure; t != null; t = t.getCause()) {
      text.append(t.getMessage()).append('\n');
    }
    return text.toString();
  }

  @Test
  @DisplayName(
      "F14: in put a weigher that throws or gives a negative weight does so before storing")
  void throwsInPut() {
    storage.holding("k", 1);
    Cache<String, Integer> cache = cache(10);
    cache.get("k");
    storage.forget();
    assertThatThrownBy(() -> cache.put("k", -5))
        .isInstanceOf(CacheLoadException.class)
        .satisfies(e -> assertThat(messages(e)).contains("-5"));
    IllegalStateException failure = new IllegalStateException("w");
    weigherFails = failure;
    assertThatThrownBy(() -> cache.put("k", 2))
        .isInstanceOf(CacheLoadException.class)
        .hasCause(failure);
    assertThatThrownBy(() -> cache.put("new", 2)).isInstanceOf(CacheLoadException.class);
    assertThatThrownBy(() -> cache.putAll(Map.of("k", 2, "l", 3)))
        .isInstanceOf(CacheLoadException.class);
    assertThatThrownBy(() -> cache.asMap().put("k", 2)).isInstanceOf(CacheLoadException.class);
    assertThat(storage.calls()).as("nothing was stored").isEmpty();
    weigherFails = null;
    assertThat(cache.get("k")).isEqualTo(1);
    assertThat(cache.get("new")).isNull();
    cache.put("k", 4);
    assertThat(cache.get("k")).isEqualTo(4);
  }

  @Test
  @DisplayName("F14: of a putAll with one bad weight nothing is stored")
  void oneBadInPutAll() {
    Cache<String, Integer> cache = cache(10);
    assertThatThrownBy(() -> cache.putAll(Map.of("a", 2, "b", -3, "c", 4)))
        .isInstanceOf(CacheLoadException.class);
    assertThat(storage.calls()).isEmpty();
    assertThat(cache.asMap()).isEmpty();
    cache.putAll(Map.of("a", 2, "b", 3, "c", 4));
    assertThat(cache.asMap()).isEqualTo(Map.of("a", 2, "b", 3, "c", 4));
  }

  @Test
  @DisplayName("F14, F13: a bad weight in a bulk fails the call; the good ones stay cached")
  void badInBulk() {
    storage.holding("a", 2).holding("b", -3).holding("c", 4);
    Cache<String, Integer> cache = cache(10);
    assertThatThrownBy(() -> cache.getAll(List.of("a", "b", "c")))
        .isInstanceOf(CacheLoadException.class);
    assertThat(cache.asMap()).isEqualTo(Map.of("a", 2, "c", 4));
    storage.holding("b", 3);
    assertThat(cache.getAll(List.of("a", "b", "c"))).hasSize(3);
  }

  @Test
  @DisplayName("F14, F15: a refresh whose object cannot be weighed keeps the old one")
  void badInRefresh() {
    storage.holding("k", 2);
    Cache<String, Integer> cache = cache(10);
    cache.get("k");
    storage.holding("k", -2);
    assertThat(cache.refresh("k")).failsWithin(java.time.Duration.ofSeconds(30));
    assertThat(cache.getIfPresent("k")).isEqualTo(2);
  }

  @Test
  @DisplayName("E1: the weight of what is cached stays in the bound, whatever comes and goes")
  void bound() {
    for (int i = 0; i < 2_000; i++) {
      storage.holding("k" + i, i % 17);
    }
    Cache<String, Integer> cache = cache(100);
    for (int i = 0; i < 2_000; i++) {
      cache.get("k" + i);
      if (i % 3 == 0) {
        cache.put("k" + i / 2, i % 23);
      }
      if (i % 7 == 0) {
        cache.invalidate("k" + i / 3);
      }
      if (i % 50 == 0) {
        cache.cleanUp();
        assertThat(weightOf(cache)).isLessThanOrEqualTo(100);
      }
    }
    cache.policy().setMaximum(20);
    cache.cleanUp();
    assertThat(weightOf(cache)).isLessThanOrEqualTo(20);
    assertThat(cache.policy().maximum()).isEqualTo(20);
  }

  @Test
  @DisplayName("E1: objects of no weight are kept beside a full cache, under a zero bound none is")
  void weightless() {
    Cache<String, Integer> cache = cache(5);
    cache.put("full", 5);
    for (int i = 0; i < 100; i++) {
      cache.put("k" + i, 0);
    }
    cache.cleanUp();
    assertThat(cache.asMap()).containsKey("full").hasSize(101);
    Cache<String, Integer> none = cache(0);
    assertThat(none.get("full")).isEqualTo(5);
    assertThat(none.get("k1")).isZero();
    none.cleanUp();
    assertThat(none.estimatedSize()).isZero();
  }

  @Test
  @DisplayName("E1: the heaviest weights do not overflow the sum")
  void heaviest() {
    Cache<String, Integer> cache = cache(Long.MAX_VALUE);
    for (int i = 0; i < 20; i++) {
      cache.put("k" + i, Integer.MAX_VALUE);
    }
    cache.cleanUp();
    assertThat(cache.estimatedSize()).isEqualTo(20);
    cache.policy().setMaximum(3L * Integer.MAX_VALUE);
    cache.cleanUp();
    assertThat(cache.estimatedSize()).isEqualTo(3);
    assertThat(cache.stats().evictionWeight()).isEqualTo(17L * Integer.MAX_VALUE);
    assertThat(cache.stats().evictionCount()).isEqualTo(17);
  }

  @Test
  @DisplayName("E1: an object is weighed once; a weigher that changes its mind upsets no sum")
  void weighedOnce() {
    AtomicInteger weighings = new AtomicInteger();
    Cache<String, Integer> cache =
        stage.build(
            Cache.over(storage)
                .maximumWeight(100)
                .weigher((key, value) -> 1 + weighings.incrementAndGet() % 10));
    for (int i = 0; i < 300; i++) {
      cache.put("k" + i % 40, i);
    }
    assertThat(weighings.get()).isEqualTo(300);
    cache.invalidateAll();
    cache.cleanUp();
    weighings.set(-1);
    // Ten objects of weights 1 to 10, 55 together, fit only if the sum went back to zero.
    for (int i = 0; i < 10; i++) {
      cache.put("n" + i, i);
    }
    cache.cleanUp();
    assertThat(cache.estimatedSize()).isEqualTo(10);
  }

  @Test
  @DisplayName("E1: a heavier object put over a light one makes room for itself")
  void heavierPut() {
    Cache<String, Integer> cache = cache(10);
    for (int i = 0; i < 10; i++) {
      cache.put("k" + i, 1);
    }
    for (int round = 0; round < 50; round++) {
      cache.put("k0", 1 + round % 9);
      cache.cleanUp();
      assertThat(weightOf(cache)).isLessThanOrEqualTo(10);
    }
  }
}
