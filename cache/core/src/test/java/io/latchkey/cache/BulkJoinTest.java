package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.ManualExecutor;
import io.latchkey.cache.testing.ManualTicker;
import io.latchkey.cache.testing.MapStorage;
import io.latchkey.cache.testing.Patience;
import io.latchkey.cache.testing.Stage;
import io.latchkey.storage.testkit.GatedBulkStorage;
import io.latchkey.storage.testkit.GatedCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Bulk loads that meet single ones, each other, writes and invalidations. */
class BulkJoinTest {
  @RegisterExtension final Stage stage = new Stage();

  private final GatedBulkStorage<String, String> storage = stage.gated(new GatedBulkStorage<>());

  private Cache<String, String> cache() {
    return stage.build(Cache.over(storage).recordStats());
  }

  private Caller<Map<String, String>> getAll(Cache<String, String> cache, String... keys) {
    return stage.callers().start(() -> cache.getAll(List.of(keys)));
  }

  @Test
  @DisplayName("F13: getAll joins a load under way and loads the rest in one loadAll")
  void joinsSingle() {
    Cache<String, String> cache = cache();
    Caller<String> single = stage.callers().start(() -> cache.get("a"));
    storage.await("a");
    Caller<Map<String, String>> bulk = getAll(cache, "a", "b", "c");
    storage.releaseBulk(Map.of("b", "2", "c", "3"));
    bulk.awaitParked();
    assertThat(storage.bulkLoads()).containsExactly(Set.of("b", "c"));
    storage.release("a", "1");
    assertThat(single.value()).isEqualTo("1");
    assertThat(bulk.value()).isEqualTo(Map.of("a", "1", "b", "2", "c", "3"));
    assertThat(storage.loads()).isEqualTo(1);
  }

  @Test
  @DisplayName("F13: a bulk that joins all its keys loads nothing; absence is joined too")
  void joinsAll() {
    Cache<String, String> cache = cache();
    stage.callers().start(() -> cache.get("a"));
    stage.callers().start(() -> cache.get("b"));
    storage.await("a");
    storage.await("b");
    Caller<Map<String, String>> bulk =
        stage.callers().startParked(() -> cache.getAll(List.of("a", "b")));
    storage.releaseAbsent("a");
    storage.release("b", "2");
    assertThat(bulk.value()).isEqualTo(Map.of("b", "2"));
    assertThat(storage.bulkLoads()).isEmpty();
  }

  @Test
  @DisplayName("F13: single gets, timed gets and futures join a bulk under way")
  void singlesJoin() {
    Cache<String, String> cache = cache();
    Caller<Map<String, String>> bulk = getAll(cache, "a", "b", "x");
    GatedCall<String, Map<String, String>> call = storage.awaitBulk();
    Caller<String> a = stage.callers().startParked(() -> cache.get("a"));
    Caller<String> timed = stage.callers().startParked(() -> cache.get("b", Duration.ofDays(1)));
    CompletableFuture<String> future = cache.getAsync("b");
    Caller<String> absent = stage.callers().startParked(() -> cache.get("x"));
    call.release(Map.of("a", "1", "b", "2"));
    assertThat(a.value()).isEqualTo("1");
    assertThat(timed.value()).isEqualTo("2");
    assertThat(future.join()).isEqualTo("2");
    assertThat(absent.value()).isNull();
    assertThat(bulk.value()).isEqualTo(Map.of("a", "1", "b", "2"));
    assertThat(storage.loads()).isZero();
    assertThat(cache.stats().missCount()).isEqualTo(7);
  }

  @Test
  @DisplayName("F13: all that joined a bulk that fails get the failure, each its own")
  void joinedFailure() {
    Cache<String, String> cache = cache();
    Caller<Map<String, String>> bulk = getAll(cache, "a", "b");
    storage.awaitBulk();
    Caller<String> a = stage.callers().startParked(() -> cache.get("a"));
    Caller<Map<String, String>> other =
        stage.callers().startParked(() -> cache.getAll(List.of("b", "a")));
    IllegalStateException down = new IllegalStateException("down");
    storage.failBulk(down);
    List<CacheLoadException> failures =
        List.of(
            bulk.failure(CacheLoadException.class),
            a.failure(CacheLoadException.class),
            other.failure(CacheLoadException.class));
    assertThat(failures).allSatisfy(failure -> assertThat(failure).hasCause(down));
    assertThat(Set.copyOf(failures)).hasSize(3);
    assertThat(storage.bulkLoads()).hasSize(1);
    storage.open("a", "now");
    assertThat(cache.get("a")).isEqualTo("now");
  }

  @Test
  @DisplayName("F13: a bulk publishes all that it leads before it waits for others")
  void publishesFirst() {
    Cache<String, String> cache = cache();
    stage.callers().start(() -> cache.get("z"));
    storage.await("z");
    Caller<Map<String, String>> bulk = getAll(cache, "z", "a", "b");
    storage.releaseBulk(Map.of("a", "1", "b", "2"));
    Patience.until("a is published", () -> "1".equals(cache.getIfPresent("a")));
    Patience.until("b is published", () -> "2".equals(cache.getIfPresent("b")));
    assertThat(bulk.ended()).isFalse();
    storage.release("z", "26");
    assertThat(bulk.value()).hasSize(3);
  }

  @Test
  @DisplayName("F13: two bulks that cross end, whichever load ends first")
  void crossed() {
    for (boolean firstFirst : new boolean[] {true, false}) {
      Cache<String, String> cache = cache();
      Caller<Map<String, String>> one = getAll(cache, "a", "b");
      GatedCall<String, Map<String, String>> ofOne = storage.awaitBulk("a");
      Caller<Map<String, String>> two = getAll(cache, "c", "b", "a", "d");
      GatedCall<String, Map<String, String>> ofTwo = storage.awaitBulk("c");
      Caller<Map<String, String>> three =
          stage.callers().startParked(() -> cache.getAll(List.of("d", "a")));
      assertThat(ofTwo.keys()).containsExactlyInAnyOrder("c", "d");
      Map<String, String> first = Map.of("a", "1", "b", "2");
      Map<String, String> second = Map.of("c", "3", "d", "4");
      if (firstFirst) {
        ofOne.release(first);
        assertThat(one.value()).isEqualTo(first);
        ofTwo.release(second);
      } else {
        ofTwo.release(second);
        two.awaitParked();
        ofOne.release(first);
        assertThat(one.value()).isEqualTo(first);
      }
      assertThat(two.value()).containsAllEntriesOf(first).containsAllEntriesOf(second);
      assertThat(three.value()).isEqualTo(Map.of("a", "1", "d", "4"));
    }
    assertThat(storage.loads()).isZero();
  }

  @Test
  @DisplayName("F13: of two bulks that cross, one failing fails those who wanted its keys only")
  void crossedFailure() {
    Cache<String, String> cache = cache();
    Caller<Map<String, String>> one = getAll(cache, "a", "b");
    storage.awaitBulk("a");
    Caller<Map<String, String>> two = getAll(cache, "b", "c");
    GatedCall<String, Map<String, String>> ofTwo = storage.awaitBulk("c");
    storage.awaitBulk("a").fail(new IllegalStateException("down"));
    one.failure(CacheLoadException.class);
    ofTwo.release(Map.of("c", "3"));
    two.failure(CacheLoadException.class);
    assertThat(cache.getIfPresent("c")).as("the good one stays cached").isEqualTo("3");
    assertThat(cache.getIfPresent("b")).isNull();
  }

  @Test
  @DisplayName("F13: random bulks and singles that cross load each key once and all end")
  void manyCrossed() {
    long seed = Long.getLong("latchkey.seed", System.nanoTime());
    System.out.println("BulkJoinTest: latchkey.seed=" + seed);
    MapStorage<Integer, Integer> numbers =
        new MapStorage<>() {
          @Override
          public Integer load(Integer key) {
            note("key " + key);
            return key;
          }

          @Override
          public Map<Integer, Integer> loadAll(Set<? extends Integer> keys) {
            Map<Integer, Integer> found = new java.util.HashMap<>();
            for (Integer key : keys) {
              note("key " + key);
              found.put(key, key);
            }
            return found;
          }
        };
    for (int round = 0; round < 60; round++) {
      Cache<Integer, Integer> cache = stage.build(Cache.over(numbers));
      numbers.forget();
      List<Caller<Object>> callers = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        Random random = new Random(seed + round * 31L + i);
        callers.add(stage.callers().run(() -> bulks(cache, random)));
      }
      callers.forEach(Caller::value);
      assertThat(numbers.calls()).as("round %s of seed %s", round, seed).doesNotHaveDuplicates();
      cache.close();
    }
  }

  private static void bulks(Cache<Integer, Integer> cache, Random random) {
    for (int i = 0; i < 20; i++) {
      if (random.nextInt(4) == 0) {
        int key = random.nextInt(60);
        assertThat(cache.get(key)).isEqualTo(key);
      } else {
        List<Integer> keys = random.ints(8, 0, 60).boxed().toList();
        assertThat(cache.getAll(keys).keySet()).isEqualTo(Set.copyOf(keys));
      }
    }
  }

  @Test
  @DisplayName("F13, F2: an invalidation during a bulk keeps that key's object out, no other")
  void invalidated() {
    Cache<String, String> cache = cache();
    Caller<Map<String, String>> bulk = getAll(cache, "a", "b");
    GatedCall<String, Map<String, String>> call = storage.awaitBulk();
    cache.invalidate("b");
    Caller<String> later = stage.callers().start(() -> cache.get("b"));
    storage.release("b", "new");
    assertThat(later.value()).isEqualTo("new");
    call.release(Map.of("a", "1", "b", "old"));
    assertThat(bulk.value()).isEqualTo(Map.of("a", "1", "b", "old"));
    assertThat(cache.getIfPresent("a")).isEqualTo("1");
    assertThat(cache.getIfPresent("b")).isEqualTo("new");
  }

  @Test
  @DisplayName("F13, F3: invalidateAll during a bulk keeps all of it out")
  void invalidatedAll() {
    Cache<String, String> cache = cache();
    Caller<Map<String, String>> bulk = getAll(cache, "a", "b");
    GatedCall<String, Map<String, String>> call = storage.awaitBulk();
    cache.invalidateAll();
    call.release(Map.of("a", "1", "b", "2"));
    assertThat(bulk.value()).hasSize(2);
    assertThat(cache.asMap()).isEmpty();
  }

  @Test
  @DisplayName("F13, F5: a put during a bulk wins and stays, also if the bulk fails")
  void putDuringBulk() {
    for (boolean fails : new boolean[] {false, true}) {
      Cache<String, String> cache = cache();
      Caller<Map<String, String>> bulk = getAll(cache, "a", "b");
      GatedCall<String, Map<String, String>> call = storage.awaitBulk();
      cache.put("b", "put");
      if (fails) {
        call.fail(new IllegalStateException("down"));
        bulk.failure(CacheLoadException.class);
      } else {
        call.release(Map.of("a", "1", "b", "2"));
        assertThat(bulk.value()).containsEntry("a", "1");
        assertThat(bulk.value().get("b")).isIn("2", "put");
      }
      assertThat(cache.getIfPresent("b")).isEqualTo("put");
    }
  }

  @Test
  @DisplayName("F13, F8: a getAll that is interrupted while it waits leaves; what it led stays")
  void interruptedWaiting() {
    Cache<String, String> cache = cache();
    Caller<String> single = stage.callers().start(() -> cache.get("z"));
    storage.await("z");
    Caller<Map<String, String>> bulk = getAll(cache, "a", "z");
    storage.releaseBulk(Map.of("a", "1"));
    Patience.until("a is published", () -> cache.getIfPresent("a") != null);
    bulk.awaitParked().interrupt();
    bulk.failure(CacheInterruptedException.class);
    assertThat(bulk.outcome().interrupted()).isTrue();
    assertThat(cache.getIfPresent("a")).isEqualTo("1");
    assertThat(single.ended()).isFalse();
    storage.release("z", "26");
    assertThat(single.value()).isEqualTo("26");
  }

  @Test
  @DisplayName("F13, F7: when a bulk is interrupted, those that joined its keys load on")
  void interruptedLoading() {
    Cache<String, String> cache = cache();
    Caller<Map<String, String>> bulk = getAll(cache, "a", "b");
    storage.awaitBulk();
    Caller<String> a = stage.callers().startParked(() -> cache.get("a"));
    Caller<String> b1 = stage.callers().startParked(() -> cache.get("b"));
    Caller<String> b2 = stage.callers().startParked(() -> cache.get("b"));
    bulk.interrupt();
    bulk.failure(CacheInterruptedException.class);
    assertThat(bulk.outcome().interrupted()).isTrue();
    storage.release("a", "1");
    storage.release("b", "2");
    assertThat(a.value()).isEqualTo("1");
    assertThat(b1.value()).isEqualTo("2");
    assertThat(b2.value()).isEqualTo("2");
    assertThat(storage.loads("b")).isEqualTo(1);
    assertThat(cache.stats().loadAbandonedCount()).isEqualTo(1);
  }

  @Test
  @DisplayName("F13, F7: a bulk that waits for an interrupted load takes it over")
  void takesOver() {
    Cache<String, String> cache = cache();
    Caller<String> single = stage.callers().start(() -> cache.get("z"));
    storage.await("z");
    Caller<Map<String, String>> bulk =
        stage.callers().startParked(() -> cache.getAll(List.of("z")));
    single.interrupt();
    single.failure(CacheInterruptedException.class);
    Patience.until(
        "the bulk loads in its place",
        () -> storage.loadsUnderWay("z") + storage.bulkLoadsUnderWay() == 1);
    if (storage.bulkLoadsUnderWay() == 1) {
      storage.releaseBulk(Map.of("z", "26"));
    } else {
      storage.release("z", "26");
    }
    assertThat(bulk.value()).isEqualTo(Map.of("z", "26"));
  }

  @Test
  @DisplayName("F13, F7: with a loadTimeout a bulk is one loadAll, too, on the executor")
  void onExecutor() {
    Cache<String, String> cache =
        stage.build(Cache.over(storage).loadTimeout(Duration.ofDays(1)).recordStats());
    Caller<String> z = stage.callers().start(() -> cache.get("z"));
    storage.await("z");
    Caller<Map<String, String>> bulk = getAll(cache, "a", "z", "b");
    GatedCall<String, Map<String, String>> call = storage.awaitBulk();
    assertThat(call.keys()).containsExactlyInAnyOrder("a", "b");
    assertThat(call.thread()).isNotSameAs(bulk.thread());
    Caller<String> single = stage.callers().startParked(() -> cache.get("b"));
    Caller<Map<String, String>> other =
        stage.callers().startParked(() -> cache.getAll(List.of("b", "a")));
    call.release(Map.of("a", "1", "b", "2"));
    assertThat(single.value()).isEqualTo("2");
    assertThat(other.value()).isEqualTo(Map.of("a", "1", "b", "2"));
    storage.release("z", "26");
    assertThat(z.value()).isEqualTo("26");
    assertThat(bulk.value()).isEqualTo(Map.of("a", "1", "z", "26", "b", "2"));
    assertThat(cache.stats().loadSuccessCount()).isEqualTo(2);
    assertThat(cache.stats().missCount()).isEqualTo(7);
  }

  @Test
  @DisplayName("F13, F7: at loadTimeout a bulk is given up as a whole, and its keys load anew")
  void timedOut() {
    storage.ignoringInterrupts();
    Cache<String, String> cache =
        stage.build(Cache.over(storage).loadTimeout(Duration.ofMillis(20)).recordStats());
    Caller<Map<String, String>> bulk = getAll(cache, "a", "b");
    bulk.failure(CacheTimeoutException.class);
    assertThat(cache.getIfPresent("a")).isNull();
    storage.open();
    storage.contents().putAll(Map.of("a", "1", "b", "2"));
    Patience.until("a load is in time", () -> inTime(cache, "a") && inTime(cache, "b"));
    storage.failHeld(new IllegalStateException("late"));
    assertThat(cache.getIfPresent("a")).isEqualTo("1");
  }

  @Test
  @DisplayName("F13, F7: an executor that refuses the bulk fails it, and its keys load anew")
  void refused() {
    ManualExecutor executor = new ManualExecutor();
    executor.reject(true);
    storage.open();
    storage.contents().putAll(Map.of("a", "1", "b", "2"));
    Cache<String, String> cache =
        stage.build(Cache.over(storage).loadTimeout(Duration.ofDays(1)).executor(executor));
    Caller<Map<String, String>> bulk = getAll(cache, "a", "b");
    bulk.failure(CacheLoadException.class);
    executor.reject(false);
    Caller<Map<String, String>> again = getAll(cache, "a", "b");
    executor.awaitAndRunNext();
    assertThat(again.value()).hasSize(2);
  }

  @Test
  @DisplayName("F13: prefetch loads in bulk without waiting; a later get joins")
  void prefetch() {
    Cache<String, String> cache = cache();
    cache.put("a", "1");
    cache.prefetch(List.of("a", "b", "c", "b"));
    GatedCall<String, Map<String, String>> call = storage.awaitBulk();
    assertThat(call.keys()).containsExactlyInAnyOrder("b", "c");
    Caller<String> joins = stage.callers().startParked(() -> cache.get("b"));
    call.release(Map.of("b", "2"));
    assertThat(joins.value()).isEqualTo("2");
    assertThat(storage.loads()).isZero();
  }

  @Test
  @DisplayName("a prefetch that fails reaches nobody and is counted")
  void prefetchFails() {
    Cache<String, String> cache = cache();
    cache.prefetch(List.of("b", "c"));
    storage.failBulk(new IllegalStateException("down"));
    Patience.until("the failure is counted", () -> cache.stats().loadFailureCount() == 1);
    storage.open("b", "2");
    Patience.until("the failed load is over", () -> loads(cache, "b"));
    assertThat(cache.get("b")).isEqualTo("2");
  }

  @Test
  @DisplayName("F13, E3: a prefetch of expired objects is one loadAll, also in their grace")
  void prefetchExpired() {
    for (Duration grace : List.of(Duration.ZERO, Duration.ofDays(1))) {
      ManualTicker ticker = new ManualTicker();
      Cache<String, String> cache =
          stage.build(
              Cache.over(storage)
                  .expireAfterWrite(Duration.ofNanos(5))
                  .staleIfError(grace)
                  .ticker(ticker));
      cache.putAll(Map.of("a", "0", "b", "0"));
      ticker.advance(Duration.ofNanos(5));
      cache.prefetch(List.of("a", "b", "c"));
      GatedCall<String, Map<String, String>> call = storage.awaitBulk();
      assertThat(call.keys()).containsExactlyInAnyOrder("a", "b", "c");
      Caller<String> joins = stage.callers().startParked(() -> cache.get("a"));
      call.release(Map.of("a", "1", "b", "2"));
      assertThat(joins.value()).isEqualTo("1");
      Patience.until("b is there", () -> "2".equals(cache.getIfPresent("b")));
    }
    assertThat(storage.loads()).isZero();
  }

  private static boolean inTime(Cache<String, String> cache, String key) {
    try {
      return cache.getAll(List.of(key)).size() == 1;
    } catch (CacheTimeoutException late) {
      return false;
    }
  }

  private static boolean loads(Cache<String, String> cache, String key) {
    try {
      return cache.get(key) != null;
    } catch (CacheLoadException failed) {
      return false;
    }
  }
}
