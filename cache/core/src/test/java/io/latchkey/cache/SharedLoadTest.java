package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.Callers;
import io.latchkey.cache.testing.CollidingKey;
import io.latchkey.cache.testing.GatedLoads;
import io.latchkey.cache.testing.Stage;
import io.latchkey.cache.testing.VirtualThreads;
import io.latchkey.storage.Storage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class SharedLoadTest {
  private static final Duration LONG = Duration.ofHours(1);

  @RegisterExtension final Stage stage = new Stage();
  private final GatedLoads<String, Object> storage = stage.loads();

  @Test
  @DisplayName("F1: all callers of one key get the one object of one load")
  void oneLoadForAll() {
    Cache<String, Object> cache = stage.over(storage);
    Caller<Object> leader = stage.callers().start(() -> cache.get("a"));
    GatedLoads.Load<String, Object> load = storage.next("a");
    List<Caller<Object>> waiters = stage.callers().startParked(50, () -> cache.get("a"));

    Object value = new Object();
    load.returns(value);

    assertThat(leader.value()).isSameAs(value);
    for (Caller<Object> waiter : waiters) {
      assertThat(waiter.value()).isSameAs(value);
    }
    assertThat(cache.get("a")).isSameAs(value);
    assertThat(storage.calls()).isEqualTo(1);
  }

  @Test
  @DisplayName("F1: a plain get loads in its caller's own thread")
  void leaderIsTheCaller() {
    Cache<String, Object> cache = stage.over(storage);
    Caller<Object> leader = stage.callers().start(() -> cache.get("a"));
    GatedLoads.Load<String, Object> load = storage.next("a");
    assertThat(load.thread()).isSameAs(leader.thread());
    load.returns("v");
    assertThat(leader.value()).isEqualTo("v");
  }

  @Test
  @DisplayName("F1: calls of every kind join the load that a plain get began")
  void everyKindJoinsAGet() throws Exception {
    Cache<String, Object> cache = stage.over(storage);
    Caller<Object> leader = stage.callers().start(() -> cache.get("a"));
    GatedLoads.Load<String, Object> load = storage.next("a");

    everyKindJoins(cache, load);
    assertThat(leader.value()).isEqualTo("v");
  }

  @Test
  @DisplayName("F1: calls of every kind join the load that getAsync began")
  void everyKindJoinsAnAsync() throws Exception {
    Cache<String, Object> cache = stage.over(storage);
    CompletableFuture<Object> first = cache.getAsync("a");

    everyKindJoins(cache, storage.next("a"));
    assertThat(first.get()).isEqualTo("v");
  }

  @Test
  @DisplayName("F1: calls of every kind join the load that a timed get began")
  void everyKindJoinsATimedGet() throws Exception {
    Cache<String, Object> cache = stage.over(storage);
    Caller<Object> first = stage.callers().startParked(() -> cache.get("a", LONG));

    everyKindJoins(cache, storage.next("a"));
    assertThat(first.value()).isEqualTo("v");
  }

  @Test
  @DisplayName("F1: calls of every kind join the load that getAll began")
  void everyKindJoinsABulk() throws Exception {
    Cache<String, Object> cache = stage.over(storage);
    Caller<Map<String, Object>> first = stage.callers().start(() -> cache.getAll(List.of("a")));

    everyKindJoins(cache, storage.next("a"));
    assertThat(first.value()).containsOnly(Map.entry("a", "v"));
  }

  @Test
  @DisplayName("F1: calls of every kind join the load that prefetch began")
  void everyKindJoinsAPrefetch() throws Exception {
    Cache<String, Object> cache = stage.over(storage);
    cache.prefetch(List.of("a"));

    everyKindJoins(cache, storage.next("a"));
  }

  private void everyKindJoins(Cache<String, Object> cache, GatedLoads.Load<String, Object> load)
      throws Exception {
    Caller<Object> plain = stage.callers().startParked(() -> cache.get("a"));
    Caller<Object> timed = stage.callers().startParked(() -> cache.get("a", LONG));
    Caller<Map<String, Object>> bulk =
        stage.callers().startParked(() -> cache.getAll(List.of("a")));
    CompletableFuture<Object> future = cache.getAsync("a");
    cache.prefetch(List.of("a"));
    assertThat(future).isNotDone();

    load.returns("v");

    assertThat(plain.value()).isEqualTo("v");
    assertThat(timed.value()).isEqualTo("v");
    assertThat(bulk.value()).containsOnly(Map.entry("a", "v"));
    assertThat(future.get()).isEqualTo("v");
    assertThat(storage.calls()).isEqualTo(1);
  }

  @Test
  @DisplayName("F1: looking without loading neither waits for a load nor sees it")
  void lookingDoesNotWait() {
    Cache<String, Object> cache = stage.over(storage);
    Caller<Object> leader = stage.callers().start(() -> cache.get("a"));
    GatedLoads.Load<String, Object> load = storage.next("a");

    assertThat(cache.getIfPresent("a")).isNull();
    assertThat(cache.asMap().get("a")).isNull();
    assertThat(cache.asMap()).doesNotContainKey("a").isEmpty();
    assertThat(cache.estimatedSize()).isZero();

    load.returns("v");
    assertThat(leader.value()).isEqualTo("v");
    assertThat(cache.getIfPresent("a")).isEqualTo("v");
    assertThat(cache.asMap()).containsOnly(Map.entry("a", "v"));
    assertThat(storage.calls()).isEqualTo(1);
  }

  @Test
  @DisplayName("F1: keys with one hash have flights of their own")
  void collidingKeysLoadApart() {
    GatedLoads<CollidingKey, Object> loads = stage.loads();
    Cache<CollidingKey, Object> cache = stage.over(loads);
    List<Caller<Object>> callers = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      CollidingKey key = CollidingKey.of(i);
      callers.add(stage.callers().start(() -> cache.get(key)));
      callers.add(stage.callers().start(() -> cache.get(key)));
    }
    for (int i = 39; i >= 0; i--) {
      loads.next(CollidingKey.of(i)).returns(i);
    }
    for (int i = 0; i < callers.size(); i++) {
      assertThat(callers.get(i).value()).isEqualTo(i / 2);
    }
    assertThat(loads.calls()).isEqualTo(40);
    for (int i = 0; i < 40; i++) {
      assertThat(cache.get(CollidingKey.of(i))).isEqualTo(i);
    }
  }

  @Test
  @DisplayName("F1: an equal key of another identity joins")
  void equalKeysJoin() {
    GatedLoads<CollidingKey, Object> loads = stage.loads();
    Cache<CollidingKey, Object> cache = stage.over(loads);
    Caller<Object> leader = stage.callers().start(() -> cache.get(CollidingKey.of(1)));
    GatedLoads.Load<CollidingKey, Object> load = loads.next();
    Caller<Object> waiter = stage.callers().startParked(() -> cache.get(CollidingKey.of(1)));
    load.returns("v");
    assertThat(leader.value()).isEqualTo("v");
    assertThat(waiter.value()).isEqualTo("v");
    assertThat(loads.calls()).isEqualTo(1);
  }

  @Test
  @DisplayName("F1: racing threads load each of many keys once while the table grows")
  void racingThreadsLoadOnce() throws Exception {
    raceForKeys(20_000, Integer::valueOf);
  }

  @Test
  @DisplayName("F1: racing threads load each of many keys with one hash once")
  void racingThreadsLoadCollidingKeysOnce() throws Exception {
    raceForKeys(300, CollidingKey::of);
  }

  /** Four threads walk the same keys in step, so that they meet at nearly each of them. */
  private <K> void raceForKeys(int count, IntFunction<K> keys) throws Exception {
    AtomicIntegerArray loads = new AtomicIntegerArray(count);
    Map<K, Integer> numbers = new java.util.HashMap<>();
    for (int i = 0; i < count; i++) {
      numbers.put(keys.apply(i), i);
    }
    Storage<K, Integer> counting =
        key -> {
          Integer number = numbers.get(key);
          loads.incrementAndGet(number);
          return number;
        };
    Cache<K, Integer> cache = stage.build(Cache.over(counting));
    CyclicBarrier start = new CyclicBarrier(4);
    List<Caller<Object>> threads = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      threads.add(
          stage
              .callers()
              .start(
                  () -> {
                    start.await();
                    for (int i = 0; i < count; i++) {
                      assertThat(cache.get(keys.apply(i))).isEqualTo(i);
                    }
                    return null;
                  }));
    }
    threads.forEach(Caller::value);
    for (int i = 0; i < count; i++) {
      assertThat(loads.get(i)).as("loads of key %s", i).isEqualTo(1);
    }
    assertThat(cache.estimatedSize()).isEqualTo(count);
    assertThat(cache.stats().loadSuccessCount()).isEqualTo(count);
  }

  @Test
  @DisplayName("F1: a thousand virtual threads wait for one load")
  void virtualThreadsShareALoad() {
    ThreadFactory virtual = VirtualThreads.factory().orElse(null);
    Assumptions.assumeTrue(virtual != null, "no virtual threads on this JDK");
    Callers callers = new Callers(virtual);
    Cache<String, Object> cache = stage.over(storage);
    Caller<Object> leader = callers.start(() -> cache.get("a"));
    GatedLoads.Load<String, Object> load = storage.next("a");
    List<Caller<Object>> waiters = callers.startParked(1_000, () -> cache.get("a"));
    load.returns("v");
    assertThat(leader.value()).isEqualTo("v");
    for (Caller<Object> waiter : waiters) {
      assertThat(waiter.value()).isEqualTo("v");
    }
    assertThat(storage.calls()).isEqualTo(1);
  }

  @Test
  @DisplayName("F1: virtual threads that wait hold no carrier")
  void virtualThreadsDoNotPin() {
    ThreadFactory virtual = VirtualThreads.factory().orElse(null);
    Assumptions.assumeTrue(virtual != null, "no virtual threads on this JDK");
    Callers callers = new Callers(virtual);
    Cache<String, Object> cache = stage.over(storage);
    // Far more flights, each with a leader at its gate and a waiter, than there are carriers.
    List<Caller<Object>> all = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      String key = "k" + i;
      all.add(callers.start(() -> cache.get(key)));
      all.add(callers.start(() -> cache.get(key, LONG)));
    }
    for (int i = 199; i >= 0; i--) {
      storage.next("k" + i).returns(i);
    }
    for (int i = 0; i < all.size(); i++) {
      assertThat(all.get(i).value()).isEqualTo(i / 2);
    }
    assertThat(storage.calls()).isEqualTo(200);
  }
}
