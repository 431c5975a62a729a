package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.GatedLoads;
import io.latchkey.cache.testing.Patience;
import io.latchkey.cache.testing.Stage;
import io.latchkey.storage.testkit.GatedCall;
import io.latchkey.storage.testkit.GatedWritableStorage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PutDuringLoadTest {
  /** Every call that puts an object under a key. */
  @SuppressWarnings("ImmutableEnumChecker")
  enum Way {
    PUT((cache, value) -> cache.put("a", value)),
    PUT_ALL((cache, value) -> cache.putAll(Map.of("a", value, "b", "other"))),
    MAP_PUT((cache, value) -> cache.asMap().put("a", value)),
    MAP_PUT_ALL((cache, value) -> cache.asMap().putAll(Map.of("a", value))),
    MAP_PUT_IF_ABSENT((cache, value) -> cache.asMap().putIfAbsent("a", value)),
    MAP_COMPUTE((cache, value) -> cache.asMap().compute("a", (key, old) -> value)),
    MAP_COMPUTE_IF_ABSENT((cache, value) -> cache.asMap().computeIfAbsent("a", key -> value)),
    MAP_MERGE((cache, value) -> cache.asMap().merge("a", value, (old, given) -> given));

    private final BiConsumer<Cache<String, String>, String> call;

    Way(BiConsumer<Cache<String, String>, String> call) {
      this.call = call;
    }
  }

  @RegisterExtension final Stage stage = new Stage();
  private final GatedLoads<String, String> storage = stage.loads();

  private void put(Way way, Cache<String, String> cache, String value) {
    stage.callers().run(() -> way.call.accept(cache, value)).value();
  }

  private Caller<String> get(Cache<String, String> cache) {
    return stage.callers().start(() -> cache.get("a"));
  }

  /** Ends every further load this way until the caller has its outcome. */
  private void endLoadsUntil(Caller<?> caller, Consumer<GatedLoads.Load<String, String>> end) {
    Patience.until(
        () -> caller + " ends",
        () -> {
          GatedLoads.Load<String, String> more = storage.poll();
          if (more != null) {
            end.accept(more);
          }
          return caller.ended();
        });
  }

  @ParameterizedTest(name = "F5: {0} during a load wins and stays")
  @EnumSource(Way.class)
  @DisplayName("F5: a put during a load wins and stays")
  void putWins(Way way) {
    Cache<String, String> cache = stage.over(storage);
    Caller<String> leader = get(cache);
    GatedLoads.Load<String, String> load = storage.next("a");
    List<Caller<String>> waiters = stage.callers().startParked(5, () -> cache.get("a"));

    put(way, cache, "put");

    assertThat(cache.getIfPresent("a")).isEqualTo("put");
    assertThat(get(cache).value()).isEqualTo("put");
    load.returns("loaded");
    assertThat(leader.value()).isEqualTo("loaded");
    for (Caller<String> waiter : waiters) {
      assertThat(waiter.value()).isIn("put", "loaded");
    }
    assertThat(cache.get("a")).isEqualTo("put");
    assertThat(cache.asMap()).containsEntry("a", "put");
    assertThat(storage.calls()).isEqualTo(1);
  }

  @ParameterizedTest(name = "F5: with {0} during a load that fails everybody gets the put object")
  @EnumSource(Way.class)
  @DisplayName("F5: a put during a load that fails")
  void putSavesAFailedLoad(Way way) {
    Cache<String, String> cache =
        stage.build(Cache.over(storage).cacheFailuresFor(Duration.ofDays(1)), storage);
    Caller<String> leader = get(cache);
    GatedLoads.Load<String, String> load = storage.next("a");
    List<Caller<String>> waiters = stage.callers().startParked(5, () -> cache.get("a"));

    put(way, cache, "put");
    load.fails(new StackOverflowError("in the driver"));

    assertThat(leader.value()).isEqualTo("put");
    for (Caller<String> waiter : waiters) {
      assertThat(waiter.value()).isEqualTo("put");
    }
    assertThat(cache.get("a")).isEqualTo("put");
    assertThat(storage.calls()).isEqualTo(1);
  }

  @Test
  @DisplayName("F5: a put during a load that finds nothing stays")
  void putDuringAbsence() {
    Cache<String, String> cache =
        stage.build(Cache.over(storage).cacheAbsentFor(Duration.ofDays(1)), storage);
    Caller<String> leader = get(cache);
    GatedLoads.Load<String, String> load = storage.next("a");
    Caller<String> waiter = get(cache).awaitParked();

    cache.put("a", "put");
    load.returns(null);

    assertThat(leader.value()).isNull();
    assertThat(waiter.value()).isIn("put", null);
    assertThat(cache.get("a")).isEqualTo("put");
  }

  @Test
  @DisplayName("F5: nobody who waits gets an error when the leader is interrupted after a put")
  void putAndInterrupt() {
    Cache<String, String> cache = stage.over(storage);
    Caller<String> leader = get(cache);
    GatedLoads.Load<String, String> load = storage.next("a");
    Caller<String> waiter = get(cache).awaitParked();

    cache.put("a", "put");
    leader.interrupt();
    load.awaitLeft();

    assertThat(leader.outcome().interrupted()).isTrue();
    endLoadsUntil(waiter, again -> again.returns("loaded"));
    assertThat(waiter.value()).isIn("put", "loaded");
    assertThat(cache.get("a")).isEqualTo("put");
  }

  @Test
  @DisplayName("F5: of several puts during a load the last stays")
  void lastPutStays() {
    Cache<String, String> cache = stage.over(storage);
    Caller<String> leader = get(cache);
    GatedLoads.Load<String, String> load = storage.next("a");
    Caller<String> waiter = get(cache).awaitParked();
    for (int i = 0; i < 5; i++) {
      cache.put("a", "put" + i);
    }
    load.fails(new IllegalStateException("no"));
    assertThat(leader.value()).startsWith("put");
    assertThat(waiter.value()).startsWith("put");
    assertThat(cache.get("a")).isEqualTo("put4");
  }

  @Test
  @DisplayName("F5: a put between an invalidation and the old load's end stays")
  void invalidateThenPut() {
    Cache<String, String> cache = stage.over(storage);
    Caller<String> leader = get(cache);
    GatedLoads.Load<String, String> load = storage.next("a");
    cache.invalidate("a");
    cache.put("a", "put");
    load.returns("loaded");
    assertThat(leader.value()).isEqualTo("loaded");
    assertThat(cache.get("a")).isEqualTo("put");
  }

  @Test
  @DisplayName("F5: after a put and an invalidation during a load neither object is cached")
  void putThenInvalidate() {
    Cache<String, String> cache = stage.over(storage);
    Caller<String> leader = get(cache);
    GatedLoads.Load<String, String> load = storage.next("a");
    cache.put("a", "put");
    cache.invalidate("a");
    assertThat(cache.getIfPresent("a")).isNull();
    load.returns("loaded");
    assertThat(leader.value()).isEqualTo("loaded");
    assertThat(cache.getIfPresent("a")).isNull();
    Caller<String> later = get(cache);
    storage.next("a").returns("new");
    assertThat(later.value()).isEqualTo("new");
  }

  @Test
  @DisplayName("F5: a put during a load on the executor: its futures get one of the two objects")
  void putDuringAsyncLoad() throws Exception {
    Cache<String, String> cache = stage.over(storage);
    CompletableFuture<@Nullable String> first = cache.getAsync("a");
    GatedLoads.Load<String, String> load = storage.next("a");
    CompletableFuture<@Nullable String> second = cache.getAsync("a");
    Caller<Map<String, String>> bulk =
        stage.callers().startParked(() -> cache.getAll(List.of("a")));
    cache.put("a", "put");
    load.fails(new IllegalStateException("no"));
    assertThat(first.get()).isEqualTo("put");
    assertThat(second.get()).isEqualTo("put");
    assertThat(bulk.value()).containsOnly(Map.entry("a", "put"));
    assertThat(cache.get("a")).isEqualTo("put");
  }

  @Test
  @DisplayName("F5: a put during a bulk load wins for its key, though the bulk fails")
  void putDuringBulk() {
    Cache<String, String> cache = stage.over(storage);
    Caller<Map<String, String>> bulk = stage.callers().start(() -> cache.getAll(List.of("a", "b")));
    GatedLoads.Load<String, String> load = storage.next();
    Caller<String> waiter = get(cache).awaitParked();
    cache.put("a", "put");
    cache.put("b", "put");
    load.fails(new IllegalStateException("no"));
    endLoadsUntil(bulk, other -> other.fails(new IllegalStateException("no")));
    assertThat(waiter.value()).isEqualTo("put");
    assertThat(cache.get("a")).isEqualTo("put");
    assertThat(cache.get("b")).isEqualTo("put");
  }

  @Test
  @DisplayName("F5: a put from inside the load of its own key does not block and stays")
  void putFromTheLoad() {
    Cache<String, String> cache = stage.over(storage);
    Caller<String> leader = get(cache);
    GatedLoads.Load<String, String> load = storage.next("a");
    Caller<String> waiter = get(cache).awaitParked();
    load.runs(
        () -> {
          cache.put("a", "put");
          return "loaded";
        });
    assertThat(leader.value()).isEqualTo("loaded");
    assertThat(waiter.value()).isIn("put", "loaded");
    assertThat(cache.get("a")).isEqualTo("put");
  }

  @Test
  @DisplayName("F5: a put through to a storage during a load wins and stays")
  void putThroughDuringLoad() {
    GatedWritableStorage<String, String> writable = stage.gated(new GatedWritableStorage<>());
    writable.openWrites();
    Cache<String, String> cache = stage.build(Cache.over(writable));
    Caller<String> leader = get(cache);
    GatedCall<String, String> load = writable.await("a");
    Caller<String> waiter = get(cache).awaitParked();
    cache.put("a", "put");
    assertThat(cache.get("a")).isEqualTo("put");
    load.release("loaded");
    assertThat(leader.value()).isEqualTo("loaded");
    assertThat(waiter.value()).isIn("put", "loaded");
    assertThat(cache.get("a")).isEqualTo("put");
    assertThat(writable.loads()).isEqualTo(1);
  }
}
