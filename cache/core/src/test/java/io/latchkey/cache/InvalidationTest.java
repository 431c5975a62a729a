package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.GatedLoads;
import io.latchkey.cache.testing.ManualTicker;
import io.latchkey.cache.testing.Stage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class InvalidationTest {
  /** Every call that takes a key out of the cache. */
  @SuppressWarnings("ImmutableEnumChecker")
  enum Way {
    INVALIDATE(Cache::invalidate),
    INVALIDATE_SOME((cache, key) -> cache.invalidateAll(List.of("x", key, key))),
    INVALIDATE_ALL((cache, key) -> cache.invalidateAll()),
    REMOVE(Cache::remove),
    MAP_REMOVE((cache, key) -> cache.asMap().remove(key)),
    MAP_CLEAR((cache, key) -> cache.asMap().clear()),
    KEY_SET_REMOVE((cache, key) -> cache.asMap().keySet().remove(key)),
    KEY_SET_CLEAR((cache, key) -> cache.asMap().keySet().clear()),
    VALUES_CLEAR((cache, key) -> cache.asMap().values().clear()),
    ENTRY_SET_CLEAR((cache, key) -> cache.asMap().entrySet().clear());

    private final BiConsumer<Cache<String, String>, String> call;

    Way(BiConsumer<Cache<String, String>, String> call) {
      this.call = call;
    }
  }

  @RegisterExtension final Stage stage = new Stage();
  private final GatedLoads<String, String> storage = stage.loads();

  /** Invalidation must not wait for a load; a thread of its own shows if it does. */
  private void invalidate(Way way, Cache<String, String> cache, String key) {
    stage.callers().run(() -> way.call.accept(cache, key)).value();
  }

  private Caller<String> get(Cache<String, String> cache, String key) {
    return stage.callers().start(() -> cache.get(key));
  }

  @ParameterizedTest(name = "F2: {0} of a cached object makes the next get load")
  @EnumSource(Way.class)
  @DisplayName("F2: after the invalidation of a cached object a get loads")
  void cached(Way way) {
    Cache<String, String> cache = stage.over(storage);
    Caller<String> first = get(cache, "a");
    storage.next("a").returns("old");
    assertThat(first.value()).isEqualTo("old");

    invalidate(way, cache, "a");

    assertThat(cache.getIfPresent("a")).isNull();
    assertThat(cache.asMap()).doesNotContainKey("a");
    assertThat(cache.estimatedSize()).isZero();
    Caller<String> second = get(cache, "a");
    storage.next("a").returns("new");
    assertThat(second.value()).isEqualTo("new");
    assertThat(cache.getIfPresent("a")).isEqualTo("new");
  }

  @ParameterizedTest(name = "F2: {0} of a put object makes the next get load")
  @EnumSource(Way.class)
  @DisplayName("F2: after the invalidation of a put object a get loads")
  void put(Way way) {
    Cache<String, String> cache = stage.over(storage);
    cache.put("a", "put");
    invalidate(way, cache, "a");
    Caller<String> second = get(cache, "a");
    storage.next("a").returns("new");
    assertThat(second.value()).isEqualTo("new");
  }

  @ParameterizedTest(name = "F2: {0} detaches a load; a get that comes later loads anew")
  @EnumSource(Way.class)
  @DisplayName("F2: invalidation during a load; the old load ends first")
  void loadingOldEndsFirst(Way way) {
    Cache<String, String> cache = stage.over(storage);
    Caller<String> leader = get(cache, "a");
    GatedLoads.Load<String, String> old = storage.next("a");
    Caller<String> joined = get(cache, "a").awaitParked();

    invalidate(way, cache, "a");

    Caller<String> later = get(cache, "a");
    GatedLoads.Load<String, String> fresh = storage.next("a");
    old.returns("old");
    assertThat(leader.value()).isEqualTo("old");
    assertThat(joined.value()).isEqualTo("old");
    assertThat(cache.getIfPresent("a")).isNull();
    fresh.returns("new");
    assertThat(later.value()).isEqualTo("new");
    assertThat(cache.getIfPresent("a")).isEqualTo("new");
    assertThat(storage.calls()).isEqualTo(2);
  }

  @ParameterizedTest(name = "F2: {0} during a load keeps its object from being stored")
  @EnumSource(Way.class)
  @DisplayName("F2: what was loaded when the key was invalidated is given and not stored")
  void loadingNotStored(Way way) {
    Cache<String, String> cache = stage.over(storage);
    Caller<String> leader = get(cache, "a");
    GatedLoads.Load<String, String> old = storage.next("a");

    invalidate(way, cache, "a");
    old.returns("old");

    assertThat(leader.value()).isEqualTo("old");
    assertThat(cache.getIfPresent("a")).isNull();
    assertThat(cache.estimatedSize()).isZero();
    Caller<String> later = get(cache, "a");
    storage.next("a").returns("new");
    assertThat(later.value()).isEqualTo("new");
  }

  @ParameterizedTest(name = "F2: {0} detaches loads begun by getAsync, getAll, prefetch, timed get")
  @EnumSource(Way.class)
  @DisplayName("F2: loads of every kind are detached")
  void everyKindOfLoad(Way way) throws Exception {
    Cache<String, String> cache = stage.over(storage);
    CompletableFuture<String> future = cache.getAsync("a");
    GatedLoads.Load<String, String> async = storage.next("a");
    invalidate(way, cache, "a");
    Caller<Map<String, String>> bulk = stage.callers().start(() -> cache.getAll(List.of("a")));
    GatedLoads.Load<String, String> bulkLoad = storage.next("a");
    invalidate(way, cache, "a");
    cache.prefetch(List.of("a"));
    GatedLoads.Load<String, String> prefetch = storage.next("a");
    invalidate(way, cache, "a");
    Caller<String> timed = stage.callers().start(() -> cache.get("a", Duration.ofHours(1)));
    GatedLoads.Load<String, String> timedLoad = storage.next("a");
    invalidate(way, cache, "a");

    timedLoad.returns("4");
    prefetch.returns("3");
    bulkLoad.returns("2");
    async.returns("1");

    assertThat(future.get()).isEqualTo("1");
    assertThat(bulk.value()).containsOnly(Map.entry("a", "2"));
    assertThat(timed.value()).isEqualTo("4");
    prefetch.awaitLeft();
    assertThat(cache.getIfPresent("a")).isNull();
    Caller<String> later = get(cache, "a");
    storage.next("a").returns("new");
    assertThat(later.value()).isEqualTo("new");
  }

  @Test
  @DisplayName("F2: invalidation of another key leaves a load and an object alone")
  void otherKeysStay() {
    Cache<String, String> cache = stage.over(storage);
    cache.put("b", "kept");
    Caller<String> leader = get(cache, "a");
    GatedLoads.Load<String, String> load = storage.next("a");
    cache.invalidate("c");
    cache.invalidateAll(List.of("d", "e"));
    cache.invalidateAll(List.of());
    load.returns("v");
    assertThat(leader.value()).isEqualTo("v");
    assertThat(cache.asMap()).containsOnly(Map.entry("a", "v"), Map.entry("b", "kept"));
  }

  @Test
  @DisplayName("F2: each of several detached loads answers those who joined it")
  void severalDetached() {
    Cache<String, String> cache = stage.over(storage);
    List<GatedLoads.Load<String, String>> loads = new ArrayList<>();
    List<Caller<String>> callers = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      callers.add(get(cache, "a"));
      loads.add(storage.next("a"));
      callers.add(get(cache, "a").awaitParked());
      cache.invalidate("a");
    }
    for (int i = 0; i < 5; i++) {
      loads.get(i).returns("v" + i);
    }
    for (int i = 0; i < 10; i++) {
      assertThat(callers.get(i).value()).isEqualTo("v" + i / 2);
    }
    assertThat(cache.getIfPresent("a")).isNull();
  }

  @Test
  @DisplayName("F2: a failed detached load fails those who joined it and nobody else")
  void detachedFailure() {
    Cache<String, String> cache =
        stage.build(Cache.over(storage).cacheFailuresFor(Duration.ofDays(1)), storage);
    Caller<String> leader = get(cache, "a");
    GatedLoads.Load<String, String> old = storage.next("a");
    Caller<String> joined = get(cache, "a").awaitParked();
    cache.invalidate("a");
    old.fails(new IllegalStateException("no"));
    leader.failure(CacheLoadException.class);
    joined.failure(CacheLoadException.class);

    Caller<String> later = get(cache, "a");
    storage.next("a").returns("new");
    assertThat(later.value()).isEqualTo("new");
  }

  @Test
  @DisplayName("F2: absence found by a detached load is not kept")
  void detachedAbsence() {
    Cache<String, String> cache =
        stage.build(Cache.over(storage).cacheAbsentFor(Duration.ofDays(1)), storage);
    Caller<String> leader = get(cache, "a");
    GatedLoads.Load<String, String> old = storage.next("a");
    cache.invalidate("a");
    old.returns(null);
    assertThat(leader.value()).isNull();
    Caller<String> later = get(cache, "a");
    storage.next("a").returns("new");
    assertThat(later.value()).isEqualTo("new");
  }

  @ParameterizedTest(name = "F2: after {0} staleIfError revives nothing")
  @EnumSource(Way.class)
  @DisplayName("F2: staleIfError revives nothing that was invalidated")
  void staleIsNotRevived(Way way) {
    ManualTicker ticker = new ManualTicker();
    Cache<String, String> cache =
        stage.build(
            Cache.over(storage)
                .expireAfterWrite(Duration.ofSeconds(1))
                .staleIfError(Duration.ofHours(1))
                .ticker(ticker),
            storage);
    Caller<String> first = get(cache, "a");
    storage.next("a").returns("old");
    first.value();
    ticker.advance(Duration.ofSeconds(2));
    Caller<String> leader = get(cache, "a");
    GatedLoads.Load<String, String> load = storage.next("a");

    invalidate(way, cache, "a");

    Caller<String> later = get(cache, "a");
    storage.next("a").fails(new IllegalStateException("down"));
    later.failure(CacheLoadException.class);
    load.fails(new IllegalStateException("down"));
    leader.outcome();
    Caller<String> last = get(cache, "a");
    storage.next("a").fails(new IllegalStateException("down"));
    last.failure(CacheLoadException.class);
  }

  @ParameterizedTest(name = "F2: after {0} nobody joins a refresh that began before")
  @EnumSource(Way.class)
  @DisplayName("F2: invalidation during a refresh")
  void refreshUnderWay(Way way) {
    Cache<String, String> cache = stage.over(storage);
    cache.put("a", "put");
    CompletableFuture<String> refresh = cache.refresh("a");
    GatedLoads.Load<String, String> old = storage.next("a");

    invalidate(way, cache, "a");

    assertThat(cache.getIfPresent("a")).isNull();
    Caller<String> later = get(cache, "a");
    GatedLoads.Load<String, String> fresh = storage.next("a");
    old.returns("old");
    assertThat(refresh.join()).isEqualTo("old");
    assertThat(cache.getIfPresent("a")).isNull();
    fresh.returns("new");
    assertThat(later.value()).isEqualTo("new");
    assertThat(cache.get("a")).isEqualTo("new");
  }

  @Test
  @DisplayName("F2: invalidation inside the load of its own key detaches it")
  void invalidationFromTheLoad() {
    Cache<String, String> cache = stage.over(storage);
    Caller<String> leader = get(cache, "a");
    storage
        .next("a")
        .runs(
            () -> {
              cache.invalidate("a");
              return "old";
            });
    assertThat(leader.value()).isEqualTo("old");
    assertThat(cache.getIfPresent("a")).isNull();
  }

  @Test
  @DisplayName("F2: a waiter promoted on a detached flight loads, and its object is not stored")
  void promotionOnADetachedFlight() {
    Cache<String, String> cache = stage.over(storage);
    Caller<String> leader = get(cache, "a");
    storage.next("a");
    Caller<String> joined = get(cache, "a").awaitParked();
    cache.invalidate("a");
    leader.interrupt().failure(CacheInterruptedException.class);
    GatedLoads.Load<String, String> again = storage.next("a");
    assertThat(again.thread()).isSameAs(joined.thread());
    Caller<String> later = get(cache, "a");
    GatedLoads.Load<String, String> fresh = storage.next("a");
    fresh.returns("new");
    assertThat(later.value()).isEqualTo("new");
    again.returns("old");
    assertThat(joined.value()).isEqualTo("old");
    assertThat(cache.get("a")).isEqualTo("new");
  }
}
