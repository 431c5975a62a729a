package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.GatedLoads;
import io.latchkey.cache.testing.ManualTicker;
import io.latchkey.cache.testing.Stage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class AbsenceTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  @RegisterExtension final Stage stage = new Stage();
  private final GatedLoads<String, String> storage = stage.loads();
  private final ManualTicker ticker = new ManualTicker();

  private Cache<String, String> keeping(Duration life) {
    return stage.build(
        Cache.over(storage).cacheAbsentFor(life).ticker(ticker).recordStats(), storage);
  }

  private Caller<String> get(Cache<String, String> cache) {
    return stage.callers().start(() -> cache.get("a"));
  }

  private void findsNothing(Cache<String, String> cache) {
    Caller<String> caller = get(cache);
    storage.next().returns(null);
    assertThat(caller.value()).isNull();
  }

  private void loads(Cache<String, String> cache) {
    Caller<String> caller = get(cache);
    storage.next().returns("v");
    assertThat(caller.value()).isEqualTo("v");
    assertThat(cache.get("a")).isEqualTo("v");
  }

  @Test
  @DisplayName("F9: absence is shared by all who wait, in every kind of call, and not kept")
  void shared() throws Exception {
    Cache<String, String> cache = stage.over(storage);
    Caller<String> leader = get(cache);
    GatedLoads.Load<String, String> load = storage.next();
    List<Caller<String>> waiters = stage.callers().startParked(10, () -> cache.get("a"));
    Caller<String> timed = stage.callers().startParked(() -> cache.get("a", MINUTE));
    Caller<Map<String, String>> bulk =
        stage.callers().startParked(() -> cache.getAll(List.of("a")));
    CompletableFuture<@Nullable String> future = cache.getAsync("a");
    load.returns(null);
    assertThat(leader.value()).isNull();
    for (Caller<String> waiter : waiters) {
      assertThat(waiter.value()).isNull();
    }
    assertThat(timed.value()).isNull();
    assertThat(bulk.value()).isEmpty();
    assertThat(future.get()).isNull();
    assertThat(future).isCompleted();
    assertThat(storage.calls()).isEqualTo(1);
    assertThat(cache.estimatedSize()).isZero();
    assertThat(cache.stats().loadSuccessCount()).isEqualTo(1);
    loads(cache);
  }

  @ParameterizedTest(name = "F9: from clock {0} absence is remembered for its time, and no longer")
  @ValueSource(longs = {0, Long.MAX_VALUE, Long.MAX_VALUE - 30_000_000_000L, Long.MIN_VALUE, -1})
  @DisplayName("F9: cacheAbsentFor remembers absence for its time")
  void keptForItsTime(long clock) {
    ticker.set(clock);
    Cache<String, String> cache = keeping(MINUTE);
    findsNothing(cache);
    ticker.advance(MINUTE.minusNanos(1));
    assertThat(get(cache).value()).isNull();
    assertThat(storage.calls()).isEqualTo(1);
    ticker.advance(Duration.ofNanos(1));
    loads(cache);
    ticker.advance(Duration.ofDays(9_999));
    assertThat(cache.get("a")).isEqualTo("v");
    assertThat(storage.calls()).isEqualTo(2);
  }

  @Test
  @DisplayName("F9: absence remembered for no time is not remembered, for ever is for ever")
  void extremes() {
    Cache<String, String> never = keeping(Duration.ZERO);
    findsNothing(never);
    loads(never);
    AtomicInteger calls = new AtomicInteger();
    Cache<String, String> ever =
        stage.build(
            Cache.<String, String>over(key -> calls.getAndIncrement() == 0 ? null : "found")
                .cacheAbsentFor(Duration.ofSeconds(Long.MAX_VALUE))
                .ticker(ticker));
    assertThat(ever.get("a")).isNull();
    ticker.advance(Duration.ofDays(36_500));
    assertThat(ever.get("a")).isNull();
    assertThat(calls).hasValue(1);
  }

  @Test
  @DisplayName("F9: remembered absence answers every call that loads, and shows nowhere else")
  void everyKindOfCall() throws Exception {
    Cache<String, String> cache = keeping(MINUTE);
    findsNothing(cache);
    assertThat(cache.get("a", MINUTE)).isNull();
    assertThat(cache.getAsync("a").get()).isNull();
    assertThat(cache.getAll(List.of("a"))).isEmpty();
    assertThat(cache.getIfPresent("a")).isNull();
    assertThat(cache.asMap().get("a")).isNull();
    assertThat(cache.asMap().getOrDefault("a", "default")).isEqualTo("default");
    assertThat(cache.asMap()).doesNotContainKey("a").isEmpty();
    assertThat(cache.asMap().values()).isEmpty();
    assertThat(storage.calls()).isEqualTo(1);
    assertThat(cache.stats().hitCount()).isGreaterThanOrEqualTo(3);
    assertThat(cache.estimatedSize()).as("negative entries count").isEqualTo(1);
  }

  static Stream<Consumer<Cache<String, String>>> removals() {
    return Stream.of(
        cache -> cache.invalidate("a"),
        cache -> cache.invalidateAll(List.of("a")),
        Cache::invalidateAll,
        cache -> cache.remove("a"),
        cache -> assertThat(cache.asMap().remove("a")).isNull(),
        cache -> cache.asMap().clear());
  }

  @ParameterizedTest(name = "F9: remembered absence is invalidated like an object ({index})")
  @MethodSource("removals")
  @DisplayName("F9: remembered absence is invalidated like an object")
  void invalidated(Consumer<Cache<String, String>> removal) {
    Cache<String, String> cache = keeping(MINUTE);
    findsNothing(cache);
    removal.accept(cache);
    assertThat(cache.estimatedSize()).isZero();
    loads(cache);
  }

  @Test
  @DisplayName("F9: a put replaces remembered absence")
  void put() {
    Cache<String, String> cache = keeping(MINUTE);
    findsNothing(cache);
    cache.put("a", "put");
    assertThat(cache.get("a")).isEqualTo("put");
    cache.invalidate("a");
    findsNothing(cache);
    assertThat(cache.asMap().replace("a", "no")).isNull();
    assertThat(get(cache).value()).isNull();
    assertThat(cache.asMap().putIfAbsent("a", "other")).isNull();
    assertThat(cache.get("a")).isEqualTo("other");
    assertThat(storage.calls()).isEqualTo(2);
  }

  @Test
  @DisplayName("F9: what a refresh finds replaces remembered absence")
  void refreshed() {
    Cache<String, String> cache = keeping(MINUTE);
    findsNothing(cache);
    CompletableFuture<@Nullable String> refresh = cache.refresh("a");
    storage.next().returns("v");
    assertThat(refresh.join()).isEqualTo("v");
    assertThat(cache.get("a")).isEqualTo("v");
  }

  @Test
  @DisplayName("F9: absence has its own time beside expireAfterWrite")
  void ownTime() {
    Cache<String, String> cache =
        stage.build(
            Cache.over(storage)
                .cacheAbsentFor(MINUTE)
                .expireAfterWrite(Duration.ofHours(1))
                .ticker(ticker),
            storage);
    findsNothing(cache);
    ticker.advance(MINUTE.minusNanos(1));
    assertThat(get(cache).value()).isNull();
    ticker.advance(Duration.ofNanos(1));
    loads(cache);
    ticker.advance(MINUTE);
    assertThat(cache.get("a")).isEqualTo("v");
    ticker.advance(Duration.ofHours(1));
    loads(cache);
  }

  @Test
  @DisplayName("F9: absence is not remembered unless asked, whatever else the cache keeps")
  void notUnlessAsked() {
    Cache<String, String> cache =
        stage.build(
            Cache.over(storage)
                .expireAfterWrite(Duration.ofHours(1))
                .cacheFailuresFor(MINUTE)
                .maximumSize(10)
                .ticker(ticker),
            storage);
    findsNothing(cache);
    findsNothing(cache);
    loads(cache);
  }

  @Test
  @DisplayName("F9: remembered absence obeys the bound")
  void bounded() {
    Cache<Integer, String> cache =
        stage.build(
            Cache.<Integer, String>over(key -> null).cacheAbsentFor(MINUTE).maximumSize(10));
    for (int i = 0; i < 1_000; i++) {
      assertThat(cache.get(i)).isNull();
    }
    cache.cleanUp();
    assertThat(cache.estimatedSize()).isLessThanOrEqualTo(10);
  }
}
