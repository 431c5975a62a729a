package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.GatedLoads;
import io.latchkey.cache.testing.ManualTicker;
import io.latchkey.cache.testing.Stage;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class CachedFailureTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  @RegisterExtension final Stage stage = new Stage();
  private final GatedLoads<String, String> storage = stage.loads();
  private final ManualTicker ticker = new ManualTicker();
  private final IOException failure = new IOException("no");

  private Cache<String, String> cache(Duration life) {
    return stage.build(
        Cache.over(storage).cacheFailuresFor(life).ticker(ticker).recordStats(), storage);
  }

  private Caller<String> get(Cache<String, String> cache) {
    return stage.callers().start(() -> cache.get("a"));
  }

  private Caller<String> failLoad(Cache<String, String> cache) {
    Caller<String> caller = get(cache);
    storage.next().fails(failure);
    caller.failure(CacheLoadException.class);
    return caller;
  }

  private void loads(Cache<String, String> cache) {
    Caller<String> caller = get(cache);
    storage.next().returns("v");
    assertThat(caller.value()).isEqualTo("v");
  }

  @ParameterizedTest(
      name = "F6: from clock {0} a cached failure is thrown for its time, and no longer")
  @ValueSource(longs = {0, Long.MAX_VALUE, Long.MAX_VALUE - 30_000_000_000L, Long.MIN_VALUE, -1})
  @DisplayName("F6: cacheFailuresFor keeps a failure for its time")
  void keptForItsTime(long clock) {
    ticker.set(clock);
    Cache<String, String> cache = cache(MINUTE);
    Throwable first = failLoad(cache).outcome().failure();
    ticker.advance(MINUTE.minusNanos(1));
    CacheLoadException second = get(cache).failure(CacheLoadException.class);
    CacheLoadException third = get(cache).failure(CacheLoadException.class);
    assertThat(second).isNotSameAs(first).isNotSameAs(third).hasCause(failure);
    assertThat(second).hasMessageContaining("gated");
    assertThat(third).hasCause(failure);
    assertThat(storage.calls()).isEqualTo(1);
    ticker.advance(Duration.ofNanos(1));
    loads(cache);
    ticker.advance(Duration.ofDays(9_999));
    assertThat(cache.get("a")).isEqualTo("v");
  }

  @Test
  @DisplayName("F6: the time of a cached failure counts from the end of the load")
  void countsFromTheEnd() {
    Cache<String, String> cache = cache(MINUTE);
    Caller<String> caller = get(cache);
    GatedLoads.Load<String, String> load = storage.next();
    ticker.advance(MINUTE.multipliedBy(2));
    load.fails(failure);
    caller.failure(CacheLoadException.class);
    ticker.advance(MINUTE.minusNanos(1));
    get(cache).failure(CacheLoadException.class);
    ticker.advance(Duration.ofNanos(1));
    loads(cache);
  }

  @Test
  @DisplayName("F6: a failure cached for no time is not cached")
  void zero() {
    Cache<String, String> cache = cache(Duration.ZERO);
    failLoad(cache);
    loads(cache);
  }

  @Test
  @DisplayName("F6: a failure may be cached for good")
  void forGood() {
    Cache<String, String> cache = cache(Duration.ofSeconds(Long.MAX_VALUE));
    failLoad(cache);
    ticker.advance(Duration.ofDays(36_500));
    get(cache).failure(CacheLoadException.class);
    assertThat(storage.calls()).isEqualTo(1);
  }

  @Test
  @DisplayName("F6: a cached failure answers calls of every kind that load, and shows nowhere else")
  void everyKindOfCall() {
    Cache<String, String> cache = cache(MINUTE);
    failLoad(cache);
    assertThatThrownBy(() -> cache.get("a", MINUTE))
        .isInstanceOf(CacheLoadException.class)
        .hasCause(failure);
    assertThatThrownBy(() -> cache.getAll(List.of("a")))
        .isInstanceOf(CacheLoadException.class)
        .hasCause(failure);
    CompletableFuture<String> future = cache.getAsync("a");
    assertThatThrownBy(future::get).cause().isInstanceOf(CacheLoadException.class);
    assertThat(cache.getIfPresent("a")).isNull();
    assertThat(cache.asMap().get("a")).isNull();
    assertThat(cache.asMap()).doesNotContainKey("a").isEmpty();
    assertThat(storage.calls()).isEqualTo(1);
  }

  @Test
  @DisplayName("F6: a failure cached by getAsync is seen by a plain get")
  void cachedByAsync() {
    Cache<String, String> cache = cache(MINUTE);
    CompletableFuture<String> future = cache.getAsync("a");
    storage.next().fails(failure);
    assertThatThrownBy(future::get).cause().isInstanceOf(CacheLoadException.class);
    get(cache).failure(CacheLoadException.class);
    assertThat(storage.calls()).isEqualTo(1);
  }

  static Stream<Consumer<Cache<String, String>>> removals() {
    return Stream.of(
        cache -> cache.invalidate("a"),
        cache -> cache.invalidateAll(List.of("a")),
        Cache::invalidateAll,
        cache -> cache.remove("a"),
        cache -> cache.asMap().remove("a"),
        cache -> cache.asMap().clear());
  }

  @ParameterizedTest(name = "F6: a cached failure is invalidated like an object ({index})")
  @MethodSource("removals")
  @DisplayName("F6: a cached failure is invalidated like an object")
  void invalidated(Consumer<Cache<String, String>> removal) {
    Cache<String, String> cache = cache(MINUTE);
    failLoad(cache);
    removal.accept(cache);
    loads(cache);
  }

  @Test
  @DisplayName("F6: a put replaces a cached failure")
  void put() {
    Cache<String, String> cache = cache(MINUTE);
    failLoad(cache);
    cache.put("a", "put");
    assertThat(cache.get("a")).isEqualTo("put");
    cache.invalidate("a");
    failLoad(cache);
    assertThat(cache.asMap().putIfAbsent("a", "other")).isNull();
    assertThat(cache.get("a")).isEqualTo("other");
  }

  @Test
  @DisplayName("F6: an interrupted load is not a failure to cache")
  void interruptIsNotCached() {
    Cache<String, String> cache = cache(MINUTE);
    Caller<String> caller = get(cache);
    storage.next();
    caller.interrupt().failure(CacheInterruptedException.class);
    loads(cache);
  }

  @Test
  @DisplayName("F6: a refresh renews a cached failure")
  void refreshed() {
    Cache<String, String> cache = cache(MINUTE);
    failLoad(cache);
    CompletableFuture<String> refresh = cache.refresh("a");
    storage.next().returns("v");
    assertThat(refresh.join()).isEqualTo("v");
    assertThat(cache.get("a")).isEqualTo("v");
  }
}
