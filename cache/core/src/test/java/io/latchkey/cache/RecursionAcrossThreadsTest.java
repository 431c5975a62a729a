package io.latchkey.cache;

import static io.latchkey.cache.RecursiveLoadTest.recursion;
import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.CollidingKey;
import io.latchkey.cache.testing.GatedLoads;
import io.latchkey.cache.testing.Patience;
import io.latchkey.cache.testing.Stage;
import io.latchkey.cache.testing.Via;
import io.latchkey.storage.Storage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class RecursionAcrossThreadsTest {
  private static final long SEED = 7_101_963;
  private static final List<Via> VIAS = List.of(Via.values());

  @RegisterExtension final Stage stage = new Stage();
  private final GatedLoads<String, String> gates = stage.loads();

  @ParameterizedTest(name = "F10: A waits for B by {0}, then B for A")
  @EnumSource(Via.class)
  @DisplayName("F10: two loads that wait for each other")
  void twoThreads(Via via) {
    Cache<String, String> cache = stage.over(gates);
    Caller<String> one = stage.callers().start(() -> cache.get("a"));
    GatedLoads.Load<String, String> a = gates.next("a");
    Caller<String> two = stage.callers().start(() -> cache.get("b"));
    GatedLoads.Load<String, String> b = gates.next("b");
    Caller<String> outside = stage.callers().startParked(() -> cache.get("a"));
    a.runs(() -> via.get(cache, "b"));
    one.awaitParked();
    b.runs(() -> via.get(cache, "a"));

    RecursiveLoadException recursion = recursion(two.outcome().failure());
    assertThat(recursion).hasMessageContaining("a").hasMessageContaining("b");
    recursion(one.outcome().failure());
    recursion(outside.outcome().failure());
    assertThat(cache.asMap()).isEmpty();
    assertThat(gates.calls()).isEqualTo(2);
  }

  @Test
  @DisplayName("F10: when one load of a cycle answers otherwise, the others succeed")
  void oneGivesWay() {
    Cache<String, String> cache = stage.over(gates);
    Caller<String> one = stage.callers().start(() -> cache.get("a"));
    GatedLoads.Load<String, String> a = gates.next("a");
    Caller<String> two = stage.callers().start(() -> cache.get("b"));
    GatedLoads.Load<String, String> b = gates.next("b");
    // Whichever of the two is told, and perhaps it is both, answers without the other.
    a.runs(() -> askOr(cache, "b", "A"));
    b.runs(() -> askOr(cache, "a", "B"));
    String first = one.value();
    String second = two.value();
    assertThat(List.of(first, second)).containsAnyOf("A", "B");
    assertThat(first).isIn("A", "B");
    assertThat(second).isIn("A", "B");
    assertThat(cache.asMap()).containsOnly(Map.entry("a", first), Map.entry("b", second));
  }

  private static String askOr(Cache<String, String> cache, String key, String otherwise) {
    try {
      return cache.get(key);
    } catch (RecursiveLoadException e) {
      return otherwise;
    }
  }

  @Test
  @DisplayName("F10: a cycle through the outer of two nested loads")
  void throughTheOuterLoad() {
    Cache<String, String> cache = stage.over(gates);
    Caller<String> one = stage.callers().start(() -> cache.get("outer"));
    gates.next("outer").runs(() -> cache.get("inner"));
    GatedLoads.Load<String, String> inner = gates.next("inner");
    Caller<String> two = stage.callers().start(() -> cache.get("other"));
    GatedLoads.Load<String, String> other = gates.next("other");
    other.runs(() -> cache.get("outer"));
    two.awaitParked();
    inner.runs(() -> cache.get("other"));
    recursion(one.outcome().failure());
    recursion(two.outcome().failure());
  }

  @Test
  @DisplayName("F10: a cycle through a flight that was detached")
  void throughADetachedFlight() {
    Cache<String, String> cache = stage.over(gates);
    Caller<String> one = stage.callers().start(() -> cache.get("a"));
    GatedLoads.Load<String, String> a = gates.next("a");
    Caller<String> two = stage.callers().start(() -> cache.get("b"));
    gates.next("b").runs(() -> cache.get("a"));
    two.awaitParked();
    cache.invalidate("a");
    a.runs(() -> cache.get("b"));
    recursion(one.outcome().failure());
    recursion(two.outcome().failure());
  }

  @Test
  @DisplayName("F10: a cycle that is closed by a promoted leader")
  void edgesFollowPromotion() {
    Cache<String, String> cache = stage.over(gates);
    Caller<String> leader = stage.callers().start(() -> cache.get("a"));
    gates.next("a");
    Caller<String> inLoad = stage.callers().start(() -> cache.get("b"));
    gates.next("b").runs(() -> cache.get("a"));
    inLoad.awaitParked();
    Caller<String> waiter = stage.callers().startParked(() -> cache.get("a"));
    leader.interrupt().failure(CacheInterruptedException.class);
    // Whichever of the two leads now: b waits for a, and now a for b.
    gates.next("a").runs(() -> cache.get("b"));
    recursion(inLoad.outcome().failure());
    recursion(waiter.outcome().failure());
    assertThat(cache.asMap()).isEmpty();
  }

  @Test
  @DisplayName("F10: after its leader was interrupted a flight no longer depends on that thread")
  void oldLeaderIsFree() {
    Cache<String, String> cache = stage.over(gates);
    Caller<String> leader =
        stage
            .callers()
            .start(
                () -> {
                  try {
                    return cache.get("a");
                  } catch (CacheInterruptedException e) {
                    assertThat(Thread.interrupted()).isTrue();
                    return cache.get("c");
                  }
                });
    gates.next("a");
    Caller<String> waiter = stage.callers().startParked(() -> cache.get("a"));
    leader.interrupt();
    GatedLoads.Load<String, String> again = gates.next("a");
    assertThat(again.thread()).isSameAs(waiter.thread());
    gates.next("c").runs(() -> "c" + cache.get("a"));
    leader.awaitParked();
    again.runs(() -> "a" + cache.get("d"));
    gates.next("d").returns("d");
    assertThat(waiter.value()).isEqualTo("ad");
    assertThat(leader.value()).isEqualTo("cad");
  }

  @Test
  @DisplayName("F10: a cycle between loads on the executor that futures began")
  void onTheExecutor() {
    Cache<String, String> cache = stage.over(gates);
    CompletableFuture<String> one = cache.getAsync("a");
    CompletableFuture<String> two = cache.getAsync("b");
    GatedLoads.Load<String, String> a = gates.next("a");
    GatedLoads.Load<String, String> b = gates.next("b");
    a.runs(() -> cache.get("b"));
    b.runs(() -> cache.get("a"));
    Patience.until("both end", () -> one.isDone() && two.isDone());
    assertThat(one).isCompletedExceptionally();
    assertThat(two).isCompletedExceptionally();
    recursion(one.handle((value, failure) -> failure).join());
  }

  @Test
  @DisplayName("F10: a cycle through two caches and two threads")
  void acrossCaches() {
    GatedLoads<String, String> otherGates = stage.loads();
    Cache<String, String> left = stage.over(gates);
    Cache<String, String> right = stage.over(otherGates);
    Caller<String> one = stage.callers().start(() -> left.get("a"));
    GatedLoads.Load<String, String> a = gates.next("a");
    Caller<String> two = stage.callers().start(() -> right.get("a"));
    GatedLoads.Load<String, String> b = otherGates.next("a");
    a.runs(() -> right.get("a"));
    one.awaitParked();
    b.runs(() -> left.get("a"));
    recursion(two.outcome().failure());
    recursion(one.outcome().failure());
  }

  static Stream<Arguments> races() {
    return Stream.of(Via.values())
        .flatMap(via -> Stream.of(2, 3, 5).map(threads -> Arguments.of(threads, via)));
  }

  @ParameterizedTest(name = "F10: {0} threads close a cycle by {1} at the same moment")
  @MethodSource("races")
  @DisplayName("F10: threads that close a cycle at the same moment")
  void closedAtOnce(int threads, Via via) throws Exception {
    int rounds = 20;
    CompletableFuture<Cache<CollidingKey, String>> self = new CompletableFuture<>();
    CyclicBarrier meet = new CyclicBarrier(threads);
    Storage<CollidingKey, String> storage =
        key -> {
          meet.await(Patience.LIMIT_SECONDS, TimeUnit.SECONDS);
          String[] name = key.name().split("-", -1);
          int next = (Integer.parseInt(name[1]) + 1) % threads;
          return via.get(self.join(), new CollidingKey(name[0] + "-" + next));
        };
    Cache<CollidingKey, String> cache = stage.build(Cache.over(storage));
    self.complete(cache);
    CyclicBarrier roundEnd = new CyclicBarrier(threads);
    AtomicInteger recursions = new AtomicInteger();
    List<Caller<Object>> callers = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      int own = t;
      callers.add(
          stage
              .callers()
              .start(
                  () -> {
                    for (int round = 0; round < rounds; round++) {
                      try {
                        cache.get(new CollidingKey(round + "-" + own));
                      } catch (CacheException e) {
                        recursion(e);
                        recursions.incrementAndGet();
                      }
                      roundEnd.await(Patience.LIMIT_SECONDS, TimeUnit.SECONDS);
                    }
                    return null;
                  }));
    }
    callers.forEach(Caller::value);
    // Nobody gives way here, so that everybody's load fails.
    assertThat(recursions).hasValue(rounds * threads);
  }

  @Test
  @DisplayName(
      "F10: loads that ask at random, in cycles, with interrupts and invalidations, all end")
  void randomGraph() {
    askAtRandom(true);
  }

  @Test
  @DisplayName("F10: loads that ask at random, but never in a cycle, are never called recursive")
  void randomGraphWithoutCycles() {
    askAtRandom(false);
  }

  private void askAtRandom(boolean cycles) {
    int keys = 12;
    CompletableFuture<Cache<CollidingKey, String>> self = new CompletableFuture<>();
    AtomicInteger loads = new AtomicInteger();
    AtomicInteger recursions = new AtomicInteger();
    Storage<CollidingKey, String> storage =
        key -> {
          SplittableRandom random = new SplittableRandom(SEED + loads.incrementAndGet());
          int number = Integer.parseInt(key.name().substring(1));
          // Each load asks for two others and the keys are invalidated all the time; without an end
          // the loads would beget ever more loads.
          boolean asks = number + 1 < keys && loads.get() < 1_500;
          for (int i = 0; i < 2 && asks; i++) {
            int next = cycles ? random.nextInt(keys) : random.nextInt(number + 1, keys);
            Via via = VIAS.get(random.nextInt(VIAS.size()));
            try {
              via.get(self.join(), CollidingKey.of(next));
            } catch (RecursiveLoadException e) {
              recursions.incrementAndGet();
            }
          }
          if (random.nextInt(8) == 0) {
            Thread.currentThread().interrupt();
            throw new InterruptedException();
          }
          return "v" + number;
        };
    Cache<CollidingKey, String> cache = stage.build(Cache.over(storage));
    self.complete(cache);
    AtomicBoolean over = new AtomicBoolean();
    List<Caller<Object>> callers = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      SplittableRandom random = new SplittableRandom(SEED - t);
      callers.add(
          stage
              .callers()
              .start(
                  () -> {
                    for (int i = 0; i < 150; i++) {
                      ask(cache, random, keys);
                    }
                    return null;
                  }));
    }
    Caller<Object> breaker =
        stage
            .callers()
            .run(
                () -> {
                  SplittableRandom random = new SplittableRandom(SEED / 2);
                  while (!over.get()) {
                    cache.invalidate(CollidingKey.of(random.nextInt(keys)));
                    Thread.yield();
                  }
                });
    try {
      callers.forEach(Caller::value);
    } finally {
      over.set(true);
    }
    breaker.value();
    if (!cycles) {
      assertThat(recursions).as("seed %s", SEED).hasValue(0);
    }
  }

  private static void ask(Cache<CollidingKey, String> cache, SplittableRandom random, int keys) {
    CollidingKey key = CollidingKey.of(random.nextInt(keys));
    try {
      String value =
          switch (random.nextInt(4)) {
            case 0 -> cache.get(key, Duration.ofHours(1));
            case 1 -> cache.getAll(List.of(key)).get(key);
            default -> cache.get(key);
          };
      assertThat(value).isEqualTo("v" + key.name().substring(1));
    } catch (CacheException e) {
      // Interrupted, or a failed load of one that was; a cycle that a load gave way to.
      Thread.interrupted();
    }
  }
}
