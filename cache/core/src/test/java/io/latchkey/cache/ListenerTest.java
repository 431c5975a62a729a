package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.FeedStorage;
import io.latchkey.cache.testing.ManualExecutor;
import io.latchkey.cache.testing.ManualTicker;
import io.latchkey.cache.testing.MapStorage;
import io.latchkey.cache.testing.Stage;
import io.latchkey.storage.testkit.GatedCall;
import io.latchkey.storage.testkit.GatedStorage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every object that leaves is told once, with why. */
class ListenerTest {
  private static final Duration LIFE = Duration.ofNanos(100);

  @RegisterExtension final Stage stage = new Stage();

  private final FeedStorage<String, String> storage = new FeedStorage<>();
  private final ManualTicker ticker = new ManualTicker();
  private final List<String> told = new CopyOnWriteArrayList<>();

  private CacheBuilder<String, String> builder() {
    return Cache.over(storage)
        .maximumSize(3)
        .expireAfterWrite(LIFE)
        .ticker(ticker)
        .executor(Runnable::run)
        .removalListener((key, value, cause) -> told.add(key + "=" + value + " " + cause));
  }

  private Cache<String, String> filled() {
    storage.holding("a", "1").holding("b", "2").holding("c", "3");
    Cache<String, String> cache = stage.build(builder());
    storage.whole();
    cache.getAll(List.of("a", "b", "c"));
    storage.holding("a", "one");
    assertThat(told).isEmpty();
    return cache;
  }

  private static Arguments removal(
      String name, Consumer<Cache<String, String>> call, String... expected) {
    return Arguments.of(name, call, List.of(expected));
  }

  private static Stream<Arguments> removals() {
    String[] all = {"a=1 INVALIDATED", "b=2 INVALIDATED", "c=3 INVALIDATED"};
    return Stream.of(
        removal("invalidate", c -> c.invalidate("a"), "a=1 INVALIDATED"),
        removal("invalidate what is not there", c -> c.invalidate("x")),
        removal(
            "invalidateAll of keys",
            c -> c.invalidateAll(List.of("a", "x", "b", "a")),
            "a=1 INVALIDATED",
            "b=2 INVALIDATED"),
        removal("invalidateAll", Cache::invalidateAll, all),
        removal("remove", c -> c.remove("a"), "a=1 INVALIDATED"),
        removal("asMap remove", c -> c.asMap().remove("a"), "a=1 INVALIDATED"),
        removal("asMap remove of a value", c -> c.asMap().remove("a", "1"), "a=1 INVALIDATED"),
        removal("asMap remove of another value", c -> c.asMap().remove("a", "x")),
        removal(
            "asMap computeIfPresent to null",
            c -> c.asMap().computeIfPresent("a", (k, v) -> null),
            "a=1 INVALIDATED"),
        removal("asMap clear", c -> c.asMap().clear(), all),
        removal("keySet retainAll", c -> c.asMap().keySet().retainAll(List.of()), all),
        removal("put", c -> c.put("a", "p"), "a=1 REPLACED"),
        removal("put of an equal object", c -> c.put("a", new String("1")), "a=1 REPLACED"),
        removal(
            "putAll", c -> c.putAll(Map.of("a", "p", "b", "q")), "a=1 REPLACED", "b=2 REPLACED"),
        removal("asMap put", c -> c.asMap().put("a", "p"), "a=1 REPLACED"),
        removal("asMap replace", c -> c.asMap().replace("a", "p"), "a=1 REPLACED"),
        removal("asMap putIfAbsent", c -> c.asMap().putIfAbsent("a", "p")),
        removal("asMap merge", c -> c.asMap().merge("a", "p", String::concat), "a=1 REPLACED"),
        removal("refresh", c -> c.refresh("a").join(), "a=1 REPLACED"),
        removal("get", c -> c.get("a")));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("removals")
  @DisplayName("the listener is told of each object that leaves, once, with its cause")
  void causes(String name, Consumer<Cache<String, String>> call, List<String> expected) {
    Cache<String, String> cache = filled();
    call.accept(cache);
    cache.cleanUp();
    assertThat(told).containsExactlyInAnyOrderElementsOf(expected);
  }

  @Test
  @DisplayName("F19: events of the feed are told as invalidations")
  void feed() {
    Cache<String, String> cache = filled();
    storage.changed("a");
    assertThat(told).containsExactly("a=1 INVALIDATED");
    storage.lost();
    assertThat(told)
        .containsExactlyInAnyOrder("a=1 INVALIDATED", "b=2 INVALIDATED", "c=3 INVALIDATED");
    assertThat(cache.get("b")).isEqualTo("2");
    assertThat(told).as("what is not kept never was there").hasSize(3);
  }

  @Test
  @DisplayName("E1: what the policy throws out is told as evicted")
  void evicted() {
    Cache<String, String> cache = filled();
    for (int i = 0; i < 20; i++) {
      cache.put("k" + i, "v" + i);
    }
    cache.cleanUp();
    assertThat(told)
        .hasSize(20)
        .allMatch(line -> line.endsWith(" EVICTED"))
        .doesNotHaveDuplicates();
    cache.policy().setMaximum(0);
    cache.cleanUp();
    assertThat(told)
        .hasSize(23)
        .allMatch(line -> line.endsWith(" EVICTED"))
        .doesNotHaveDuplicates();
    assertThat(cache.stats().evictionCount()).isEqualTo(23);
  }

  @Test
  @DisplayName("E3: what has run out is told as expired, by a sweep, a reload or a put")
  void expired() {
    Cache<String, String> cache = filled();
    ticker.advance(LIFE);
    cache.get("a");
    cache.put("b", "p");
    cache.cleanUp();
    assertThat(told).containsExactlyInAnyOrder("a=1 EXPIRED", "b=2 EXPIRED", "c=3 EXPIRED");
    assertThat(cache.asMap()).containsOnlyKeys("a", "b");
    ticker.advance(LIFE);
    cache.invalidate("a");
    cache.asMap().remove("b");
    cache.cleanUp();
    assertThat(told).hasSize(5).doesNotHaveDuplicates();
  }

  @Test
  @DisplayName("absences, failures and loads that were never kept are not told")
  void neverThere() {
    GatedStorage<String, String> gated = stage.gated(new GatedStorage<>());
    Cache<String, String> cache =
        stage.build(
            Cache.over(gated)
                .cacheAbsentFor(Duration.ofDays(1))
                .cacheFailuresFor(Duration.ofDays(1))
                .executor(Runnable::run)
                .removalListener((key, value, cause) -> told.add(key + "=" + value)));
    Caller<String> detached = stage.callers().start(() -> cache.get("k"));
    GatedCall<String, String> load = gated.await("k");
    cache.invalidate("k");
    load.release("late");
    detached.value();
    Caller<String> absent = stage.callers().start(() -> cache.get("none"));
    gated.releaseAbsent("none");
    absent.value();
    Caller<String> bad = stage.callers().start(() -> cache.get("bad"));
    gated.fail("bad", new IllegalStateException("bad"));
    bad.failure(CacheLoadException.class);
    cache.put("none", "now");
    cache.invalidateAll();
    cache.cleanUp();
    assertThat(told).containsExactly("none=now");
  }

  @Test
  @DisplayName("the listener runs on the executor, not in the call")
  void executor() {
    ManualExecutor executor = new ManualExecutor();
    Cache<String, String> cache =
        stage.build(
            Cache.over(new MapStorage<String, String>())
                .executor(executor)
                .removalListener((key, value, cause) -> told.add(key)));
    cache.put("a", "1");
    cache.invalidate("a");
    assertThat(told).isEmpty();
    executor.runAll();
    assertThat(told).containsExactly("a");
    cache.put("a", "1");
    executor.reject(true);
    cache.invalidate("a");
    assertThat(cache.getIfPresent("a")).as("invalidated, told or not").isNull();
    executor.reject(false);
    cache.put("a", "2");
    cache.put("a", "3");
    executor.runAll();
    assertThat(told).contains("a");
  }

  @Test
  @DisplayName("what a listener throws is dropped and harms neither the call nor other objects")
  void throwing() {
    AtomicInteger calls = new AtomicInteger();
    for (Throwable failure : List.of(new IllegalStateException("no"), new AssertionError("no"))) {
      Cache<Integer, Integer> cache =
          stage.build(
              Cache.over((Integer key) -> key)
                  .maximumSize(5)
                  .executor(Runnable::run)
                  .removalListener(
                      (key, value, cause) -> {
                        calls.incrementAndGet();
                        io.latchkey.cache.testing.Sneaky.raise(failure);
                      }));
      calls.set(0);
      for (int i = 0; i < 20; i++) {
        assertThat(cache.get(i)).isEqualTo(i);
      }
      cache.cleanUp();
      assertThat(calls).hasValue(15);
      cache.invalidateAll();
      assertThat(calls).hasValue(20);
      assertThat(cache.estimatedSize()).isZero();
      cache.put(1, 2);
      cache.put(1, 3);
      assertThat(cache.getIfPresent(1)).isEqualTo(3);
    }
  }

  @Test
  @DisplayName("among threads each object that was cached is told once: none twice, none forgotten")
  void onceAmongThreads() {
    long seed = Long.getLong("latchkey.seed", System.nanoTime());
    System.out.println("ListenerTest: latchkey.seed=" + seed);
    AtomicLong numbers = new AtomicLong();
    Map<Long, Integer> leavings = new ConcurrentHashMap<>();
    Cache<Integer, Long> cache =
        stage.build(
            Cache.over((Integer key) -> numbers.incrementAndGet())
                .maximumSize(20)
                .expireAfterWrite(LIFE)
                .ticker(ticker)
                .executor(Runnable::run)
                .removalListener((key, value, cause) -> leavings.merge(value, 1, Integer::sum)));
    Map<Long, Boolean> seen = new ConcurrentHashMap<>();
    List<Caller<Object>> callers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Random random = new Random(seed + i);
      callers.add(stage.callers().run(() -> churn(cache, random, seen, numbers)));
    }
    callers.forEach(Caller::value);
    Map<Integer, Long> left = new HashMap<>(cache.asMap());
    assertThat(leavings.keySet()).as("seed %s", seed).doesNotContainAnyElementsOf(left.values());
    cache.cleanUp();
    assertThat(cache.estimatedSize()).as("seed %s", seed).isBetween((long) left.size(), 20L);
    cache.invalidateAll();
    cache.cleanUp();
    assertThat(cache.estimatedSize()).as("seed %s", seed).isZero();
    assertThat(leavings.values()).as("told once, seed %s", seed).containsOnly(1);
    assertThat(leavings.keySet()).as("none forgotten, seed %s", seed).containsAll(seen.keySet());
  }

  private void churn(
      Cache<Integer, Long> cache, Random random, Map<Long, Boolean> seen, AtomicLong numbers) {
    for (int i = 0; i < 5_000; i++) {
      int key = random.nextInt(40);
      switch (random.nextInt(10)) {
        case 0 -> cache.invalidate(key);
        case 1 -> cache.put(key, numbers.incrementAndGet());
        case 2 -> cache.refresh(key).join();
        case 3 -> cache.asMap().put(key, numbers.incrementAndGet());
        case 4 -> ticker.advance(Duration.ofNanos(random.nextInt(5)));
        case 5 -> cache.cleanUp();
        case 6 -> cache.asMap().remove(key);
        case 7 -> {
          Long present = cache.getIfPresent(key);
          if (present != null) {
            seen.put(present, true);
          }
        }
        default -> cache.get(key);
      }
    }
  }
}
