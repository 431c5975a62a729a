package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.CollidingKey;
import io.latchkey.cache.testing.GatedLoads;
import io.latchkey.cache.testing.ManualTicker;
import io.latchkey.cache.testing.Patience;
import io.latchkey.cache.testing.Stage;
import io.latchkey.cache.testing.Via;
import io.latchkey.storage.Storage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Recursion that one call brings about; what several threads do to each other is tested apart. */
class RecursiveLoadTest {
  private static final Duration LONG = Duration.ofHours(1);

  @RegisterExtension final Stage stage = new Stage();

  /** A load that may ask the cache that it loads for. */
  private interface Loading {
    @Nullable String load(Cache<CollidingKey, String> cache, CollidingKey key) throws Exception;
  }

  private Cache<CollidingKey, String> cache(
      UnaryOperator<CacheBuilder<CollidingKey, String>> options, Loading loading) {
    CompletableFuture<Cache<CollidingKey, String>> self = new CompletableFuture<>();
    Storage<CollidingKey, String> storage = key -> loading.load(self.join(), key);
    Cache<CollidingKey, String> cache = stage.build(options.apply(Cache.over(storage)));
    self.complete(cache);
    return cache;
  }

  /** The first RecursiveLoadException that the failure is or stems from. */
  static RecursiveLoadException recursion(@Nullable Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof RecursiveLoadException found) {
        return found;
      }
    }
    throw new AssertionError("no RecursiveLoadException in " + failure, failure);
  }

  static Stream<Arguments> rings() {
    return Stream.of(Via.values())
        .flatMap(
            via ->
                Stream.of(1, 2, 3, 4, 5)
                    .flatMap(keys -> Stream.of(false, true).map(t -> Arguments.of(keys, via, t))));
  }

  @ParameterizedTest(name = "F10: a ring of {0} keys by {1}, loadTimeout {2}")
  @MethodSource("rings")
  @DisplayName("F10: a load that asks for its own key, directly or through others")
  void ring(int keys, Via via, boolean loadTimeout) {
    AtomicInteger healed = new AtomicInteger();
    Cache<CollidingKey, String> cache =
        cache(
            builder -> loadTimeout ? builder.loadTimeout(LONG) : builder,
            (self, key) -> {
              int number = Integer.parseInt(key.name().substring(1));
              return healed.get() == 1
                  ? "healed"
                  : via.get(self, CollidingKey.of((number + 1) % keys));
            });
    Caller<String> caller = stage.callers().start(() -> via.get(cache, CollidingKey.of(0)));
    RecursiveLoadException recursion = recursion(caller.outcome().failure());
    for (int i = 0; i < keys; i++) {
      assertThat(recursion).hasMessageContaining("k" + i);
    }
    assertThat(cache.asMap()).isEmpty();
    healed.set(1);
    for (int i = 0; i < keys; i++) {
      CollidingKey key = CollidingKey.of(i);
      // The loads of the ring end one after the other; a get joins one that is about to fail.
      Patience.until("the load of " + key + " is over", () -> loads(cache, key));
      assertThat(stage.callers().start(() -> cache.get(key)).value()).isEqualTo("healed");
    }
  }

  private static boolean loads(Cache<CollidingKey, String> cache, CollidingKey key) {
    try {
      return cache.get(key) != null;
    } catch (CacheException failed) {
      return false;
    }
  }

  @ParameterizedTest(
      name = "F10: a load that catches the exception of its recursion by {0} goes on")
  @EnumSource(Via.class)
  @DisplayName("F10: a load may catch the exception and answer otherwise")
  void caught(Via via) {
    Cache<CollidingKey, String> cache =
        cache(
            builder -> builder,
            (self, key) -> {
              try {
                return via.get(self, key);
              } catch (RecursiveLoadException e) {
                return "otherwise";
              }
            });
    assertThat(stage.callers().start(() -> cache.get(CollidingKey.of(0))).value())
        .isEqualTo("otherwise");
    assertThat(cache.getIfPresent(CollidingKey.of(0))).isEqualTo("otherwise");
  }

  static Stream<Arguments> chains() {
    return Stream.of(Via.values())
        .flatMap(via -> Stream.of(false, true).map(timeout -> Arguments.of(via, timeout)));
  }

  @ParameterizedTest(name = "F10: loads of colliding keys, 100 deep, by {0}, loadTimeout {1}")
  @MethodSource("chains")
  @DisplayName("F10: a chain of 100 loads of other keys works")
  void deepChain(Via via, boolean loadTimeout) {
    Cache<CollidingKey, String> cache =
        cache(
            builder -> loadTimeout ? builder.loadTimeout(LONG) : builder,
            (self, key) -> {
              int number = Integer.parseInt(key.name().substring(1));
              return number == 100 ? "end" : via.get(self, CollidingKey.of(number + 1));
            });
    Caller<String> caller = stage.callers().start(() -> via.get(cache, CollidingKey.of(0)));
    assertThat(caller.value()).isEqualTo("end");
    assertThat(cache.asMap()).hasSize(101);
    assertThat(cache.stats().loadSuccessCount()).isEqualTo(101);
  }

  @Test
  @DisplayName("F10: a deep chain makes the table grow under the loads that wait above it")
  void growthFromInside() {
    CompletableFuture<Cache<Integer, Integer>> self = new CompletableFuture<>();
    Storage<Integer, Integer> storage =
        key -> {
          if (key % 100 == 99) {
            return key;
          }
          Integer below = self.join().get(key + 1);
          for (int i = 1; i <= 50; i++) {
            self.join().put(-(key * 50 + i), i);
          }
          return below;
        };
    Cache<Integer, Integer> cache = stage.build(Cache.over(storage));
    self.complete(cache);
    for (int chain = 0; chain < 10; chain++) {
      int start = chain * 100;
      assertThat(stage.callers().start(() -> cache.get(start)).value()).isEqualTo(start + 99);
    }
    assertThat(cache.estimatedSize()).isEqualTo(10 * (100 + 99 * 50));
  }

  @Test
  @DisplayName("F10: a load that asks for several keys, its own among them, in one getAll")
  void ownKeyInABulk() {
    Cache<CollidingKey, String> cache =
        cache(
            builder -> builder,
            (self, key) -> {
              if (!key.equals(CollidingKey.of(0))) {
                return "v";
              }
              List<CollidingKey> keys =
                  List.of(CollidingKey.of(1), CollidingKey.of(0), CollidingKey.of(2));
              return String.valueOf(self.getAll(keys));
            });
    Caller<String> caller = stage.callers().start(() -> cache.get(CollidingKey.of(0)));
    recursion(caller.outcome().failure());
    for (int i = 1; i <= 2; i++) {
      CollidingKey key = CollidingKey.of(i);
      assertThat(stage.callers().start(() -> cache.get(key)).value()).isEqualTo("v");
    }
  }

  @Test
  @DisplayName("F10: a bulk of keys whose loads ask for each other, but in no circle, works")
  void chainInABulk() {
    Cache<CollidingKey, String> cache =
        cache(
            builder -> builder,
            (self, key) -> {
              int number = Integer.parseInt(key.name().substring(1));
              return number == 20 ? "end" : self.get(CollidingKey.of(number + 1));
            });
    List<CollidingKey> keys = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      keys.add(CollidingKey.of(i));
    }
    Caller<Map<CollidingKey, String>> caller = stage.callers().start(() -> cache.getAll(keys));
    assertThat(caller.value()).hasSize(20).containsValue("end");
    assertThat(cache.stats().loadSuccessCount()).isEqualTo(21);
  }

  @ParameterizedTest(name = "F10: a loadAll that asks by {0} for a key it is loading")
  @EnumSource(Via.class)
  @DisplayName("F10: recursion from inside loadAll")
  void recursionFromLoadAll(Via via) {
    CompletableFuture<Cache<String, String>> self = new CompletableFuture<>();
    AtomicInteger bulks = new AtomicInteger();
    Storage<String, String> storage =
        new Storage<>() {
          @Override
          public String load(String key) {
            return "v" + key;
          }

          @Override
          public Map<String, String> loadAll(Set<? extends String> keys) {
            Map<String, String> found = new HashMap<>();
            for (String key : keys) {
              found.put(key, "v" + key);
            }
            if (bulks.getAndIncrement() == 0) {
              found.put("a", via.get(self.join(), "b"));
            }
            return found;
          }
        };
    Cache<String, String> cache = stage.build(Cache.over(storage));
    self.complete(cache);
    Caller<Map<String, String>> caller =
        stage.callers().start(() -> cache.getAll(List.of("a", "b", "c")));
    recursion(caller.outcome().failure());
    assertThat(stage.callers().start(() -> cache.getAll(List.of("a", "b"))).value())
        .containsOnly(Map.entry("a", "va"), Map.entry("b", "vb"));
  }

  @Test
  @DisplayName("F10: looking, putting and asynchronous calls from inside a load of the key work")
  void nothingThatWaits() throws Exception {
    List<CompletableFuture<@Nullable String>> futures = new ArrayList<>();
    AtomicInteger loads = new AtomicInteger();
    Cache<CollidingKey, String> cache =
        cache(
            builder -> builder,
            (self, key) -> {
              if (loads.getAndIncrement() == 0) {
                assertThat(self.getIfPresent(key)).isNull();
                assertThat(self.asMap().containsKey(key)).isFalse();
                futures.add(self.getAsync(key));
                self.prefetch(List.of(key));
              }
              return "v";
            });
    CollidingKey key = CollidingKey.of(0);
    assertThat(stage.callers().start(() -> cache.get(key)).value()).isEqualTo("v");
    assertThat(futures.get(0).get()).isEqualTo("v");
    assertThat(cache.get(key)).isEqualTo("v");
  }

  @Test
  @DisplayName("F10: a load that invalidates its key and asks again waits for another flight")
  void newFlightFromInside() {
    AtomicInteger loads = new AtomicInteger();
    Cache<CollidingKey, String> cache =
        cache(
            builder -> builder,
            (self, key) -> {
              if (loads.getAndIncrement() > 0) {
                return "inner";
              }
              self.invalidate(key);
              return "outer of " + self.get(key);
            });
    CollidingKey key = CollidingKey.of(0);
    Caller<String> caller = stage.callers().start(() -> cache.get(key));
    assertThat(caller.value()).isEqualTo("outer of inner");
    assertThat(cache.get(key)).isEqualTo("inner");
    assertThat(loads).hasValue(2);
  }

  @Test
  @DisplayName("F10: a refresh whose load asks for its own key is given the old object")
  void refreshReadsTheOldObject() throws Exception {
    Cache<CollidingKey, String> cache =
        cache(builder -> builder, (self, key) -> "after " + self.get(key));
    CollidingKey key = CollidingKey.of(0);
    cache.put(key, "old");
    assertThat(cache.refresh(key).get()).isEqualTo("after old");
    assertThat(cache.get(key)).isEqualTo("after old");
  }

  @Test
  @DisplayName("F10: a refresh of an absent key whose load asks for that key ends")
  void refreshOfNothing() throws Exception {
    AtomicInteger loads = new AtomicInteger();
    Cache<CollidingKey, String> cache =
        cache(
            builder -> builder, (self, key) -> loads.getAndIncrement() > 1 ? "end" : self.get(key));
    CompletableFuture<@Nullable String> refresh = cache.refresh(CollidingKey.of(0));
    Patience.until("the refresh ends", refresh::isDone);
    assertThat(stage.callers().start(() -> cache.get(CollidingKey.of(0))).outcome()).isNotNull();
  }

  @Test
  @DisplayName("F10: the load of an expired object that asks for its own key")
  void expired() {
    ManualTicker ticker = new ManualTicker();
    Cache<CollidingKey, String> cache =
        cache(
            builder -> builder.expireAfterWrite(Duration.ofSeconds(1)).ticker(ticker),
            (self, key) -> self.get(key));
    CollidingKey key = CollidingKey.of(0);
    cache.put(key, "old");
    ticker.advance(Duration.ofSeconds(1));
    recursion(stage.callers().start(() -> cache.get(key)).outcome().failure());
  }

  @Test
  @DisplayName(
      "F10: two caches whose loads ask each other for other keys work, for the same do not")
  void twoCaches() {
    CompletableFuture<Cache<Integer, String>> left = new CompletableFuture<>();
    CompletableFuture<Cache<Integer, String>> right = new CompletableFuture<>();
    Cache<Integer, String> one =
        stage.build(Cache.over(key -> key > 9 ? "end" : right.join().get(key)));
    Cache<Integer, String> two = stage.build(Cache.over(key -> left.join().get(key * 10)));
    left.complete(one);
    right.complete(two);
    assertThat(stage.callers().start(() -> one.get(1)).value()).isEqualTo("end");
    recursion(stage.callers().start(() -> one.get(0)).outcome().failure());
    recursion(stage.callers().start(() -> two.get(0)).outcome().failure());
  }

  @Test
  @DisplayName("F10: a waiter outside of any load is no part of a cycle")
  void waiterOutside() {
    GatedLoads<String, String> storage = stage.loads();
    Cache<String, String> cache = stage.over(storage);
    Caller<String> first = stage.callers().start(() -> cache.get("a"));
    GatedLoads.Load<String, String> load = storage.next("a");
    // This thread has led a load that asked for another key, and is done with it.
    Caller<String> second = stage.callers().start(() -> cache.get("b") + cache.get("a"));
    storage.next("b").runs(() -> "b" + cache.get("c"));
    storage.next("c").returns("c");
    second.awaitParked();
    load.runs(() -> "a" + cache.get("b") + cache.get("c"));
    assertThat(first.value()).isEqualTo("abcc");
    assertThat(second.value()).isEqualTo("bcabcc");
  }
}
