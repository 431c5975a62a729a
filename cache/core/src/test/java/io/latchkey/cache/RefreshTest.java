package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.ManualTicker;
import io.latchkey.cache.testing.Patience;
import io.latchkey.cache.testing.Stage;
import io.latchkey.storage.testkit.GatedCall;
import io.latchkey.storage.testkit.GatedStorage;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What a refresh does to a cached object; {@link RefreshAfterWriteTest} has those by age. */
class RefreshTest {
  private static final Duration LIFE = Duration.ofNanos(100);
  private static final Duration GRACE = Duration.ofNanos(50);

  @RegisterExtension final Stage stage = new Stage();

  private final GatedStorage<String, String> storage = stage.gated(new GatedStorage<>());
  private final ManualTicker ticker = new ManualTicker();

  /** A cache in which k is cached as old, with later loads held. */
  private Cache<String, String> holdingOld(CacheBuilder<String, String> builder) {
    Cache<String, String> cache = stage.build(builder.ticker(ticker).recordStats());
    storage.open("k", "old");
    assertThat(cache.get("k")).isEqualTo("old");
    storage.shut();
    return cache;
  }

  private Cache<String, String> holdingOld() {
    return holdingOld(Cache.over(storage));
  }

  private static void awaitEnd(CompletableFuture<?> future) {
    Patience.until("the future ends", future::isDone);
  }

  @Test
  @DisplayName("F15: the old object is served until the new one is there")
  void oldUntilNew() {
    Cache<String, String> cache = holdingOld();
    CompletableFuture<String> future = cache.refresh("k");
    GatedCall<String, String> load = storage.await("k");
    stage.meanwhile(
        () -> {
          assertThat(cache.get("k")).isEqualTo("old");
          assertThat(cache.getIfPresent("k")).isEqualTo("old");
          assertThat(cache.getAll(List.of("k"))).containsEntry("k", "old");
          assertThat(cache.getAsync("k").join()).isEqualTo("old");
          assertThat(cache.asMap()).containsEntry("k", "old");
          assertThat(cache.estimatedSize()).isEqualTo(1);
        });
    assertThat(future).isNotDone();
    load.release("new");
    assertThat(future.join()).isEqualTo("new");
    assertThat(cache.getIfPresent("k")).isEqualTo("new");
    assertThat(cache.get("k")).isEqualTo("new");
    assertThat(storage.loads()).isEqualTo(2);
    assertThat(cache.estimatedSize()).isEqualTo(1);
  }

  @Test
  @DisplayName("F15: reads by the thousand do not make a good refresh void")
  void readsDuringRefresh() {
    Cache<String, String> cache =
        holdingOld(Cache.over(storage).expireAfterAccess(LIFE).maximumSize(10));
    CompletableFuture<String> future = cache.refresh("k");
    GatedCall<String, String> load = storage.await("k");
    stage.meanwhile(
        () -> {
          for (int i = 0; i < 5_000; i++) {
            assertThat(cache.get("k")).isEqualTo("old");
            ticker.advance(Duration.ofNanos(1));
          }
        });
    load.release("new");
    assertThat(future.join()).isEqualTo("new");
    assertThat(cache.getIfPresent("k")).isEqualTo("new");
  }

  @Test
  @DisplayName("F15, F1: refreshes of one key share one load, and a get of a new key joins it")
  void shared() {
    Cache<String, String> cache = holdingOld();
    List<CompletableFuture<String>> futures =
        List.of(cache.refresh("k"), cache.refresh("k"), cache.refresh("k"));
    storage.release("k", "new");
    futures.forEach(future -> assertThat(future.join()).isEqualTo("new"));
    assertThat(storage.loads("k")).isEqualTo(2);
    CompletableFuture<String> future = cache.refresh("fresh");
    GatedCall<String, String> load = storage.await("fresh");
    Caller<String> getter = stage.callers().startParked(() -> cache.get("fresh"));
    CompletableFuture<String> second = cache.refresh("fresh");
    load.release("v");
    assertThat(getter.value()).isEqualTo("v");
    assertThat(future.join()).isEqualTo("v");
    assertThat(second.join()).isEqualTo("v");
    assertThat(storage.loads("fresh")).isEqualTo(1);
  }

  @Test
  @DisplayName("F15: a refresh of a key whose load is under way joins that load")
  void joinsLoad() {
    Cache<String, String> cache = stage.build(Cache.over(storage));
    Caller<String> getter = stage.callers().start(() -> cache.get("k"));
    GatedCall<String, String> load = storage.await("k");
    CompletableFuture<String> future = cache.refresh("k");
    load.release("v");
    assertThat(getter.value()).isEqualTo("v");
    assertThat(future.join()).isEqualTo("v");
    assertThat(storage.loads()).isEqualTo(1);
  }

  @Test
  @DisplayName("F15: what one holder does to its future concerns no other, nor the cache")
  void ownFuture() {
    Cache<String, String> cache = holdingOld();
    CompletableFuture<String> cancelled = cache.refresh("k");
    CompletableFuture<String> forged = cache.refresh("k");
    CompletableFuture<String> honest = cache.refresh("k");
    GatedCall<String, String> load = storage.await("k");
    cancelled.cancel(true);
    forged.complete("forged");
    load.release("new");
    assertThat(honest.join()).isEqualTo("new");
    assertThatThrownBy(cancelled::join).isInstanceOf(CancellationException.class);
    assertThat(cache.getIfPresent("k")).isEqualTo("new");
  }

  private static Arguments change(
      String name, Consumer<Cache<String, String>> change, String then) {
    return Arguments.of(name, change, then);
  }

  private static Stream<Arguments> changes() {
    return Stream.of(
        change("invalidate", c -> c.invalidate("k"), null),
        change("invalidateAll of keys", c -> c.invalidateAll(List.of("k")), null),
        change("invalidateAll", Cache::invalidateAll, null),
        change("remove", c -> c.remove("k"), null),
        change("asMap remove", c -> c.asMap().remove("k"), null),
        change("asMap clear", c -> c.asMap().clear(), null),
        change("put", c -> c.put("k", "put"), "put"),
        change("put of the same object", c -> c.put("k", "old"), "old"),
        change("putAll", c -> c.putAll(java.util.Map.of("k", "put")), "put"),
        change("asMap put", c -> c.asMap().put("k", "put"), "put"),
        change("asMap replace", c -> c.asMap().replace("k", "put"), "put"),
        change("asMap compute", c -> c.asMap().compute("k", (k, v) -> v + "!"), "old!"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("changes")
  @DisplayName("F15: a refresh that lost against a change stores nothing; its future has its load")
  void lost(String name, Consumer<Cache<String, String>> change, String then) {
    Cache<String, String> cache = holdingOld();
    CompletableFuture<String> future = cache.refresh("k");
    GatedCall<String, String> load = storage.await("k");
    change.accept(cache);
    load.release("stale");
    assertThat(future.join()).isEqualTo("stale");
    assertThat(cache.getIfPresent("k")).isEqualTo(then);
    if (then == null) {
      storage.open("k", "next");
      assertThat(cache.get("k")).isEqualTo("next");
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("changes")
  @DisplayName("F15: a lost refresh that fails or finds absence harms nothing newer")
  void lostBadly(String name, Consumer<Cache<String, String>> change, String then) {
    for (boolean fails : new boolean[] {true, false}) {
      Cache<String, String> cache = holdingOld();
      CompletableFuture<String> future = cache.refresh("k");
      GatedCall<String, String> load = storage.await("k");
      change.accept(cache);
      if (fails) {
        load.fail(new IllegalStateException("down"));
      } else {
        load.release(null);
      }
      awaitEnd(future);
      assertThat(future.isCompletedExceptionally()).isEqualTo(fails);
      assertThat(cache.getIfPresent("k")).isEqualTo(then);
    }
  }

  @Test
  @DisplayName("F15: a refresh does not bring back an object that was evicted meanwhile")
  void evicted() {
    Cache<String, String> cache = holdingOld(Cache.over(storage).maximumSize(10));
    CompletableFuture<String> future = cache.refresh("k");
    GatedCall<String, String> load = storage.await("k");
    cache.policy().setMaximum(0);
    cache.cleanUp();
    assertThat(cache.estimatedSize()).isZero();
    cache.policy().setMaximum(10);
    load.release("new");
    assertThat(future.join()).isEqualTo("new");
    assertThat(cache.getIfPresent("k")).isNull();
  }

  @Test
  @DisplayName("F15: a failed refresh keeps the object, tells its future and is counted")
  void failed() {
    Cache<String, String> cache = holdingOld(Cache.over(storage).expireAfterWrite(LIFE));
    ticker.advance(LIFE.minusNanos(1));
    CompletableFuture<String> future = cache.refresh("k");
    IllegalStateException down = new IllegalStateException("down");
    storage.fail("k", down);
    assertThatThrownBy(future::get)
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isInstanceOf(CacheLoadException.class)
        .hasCause(down);
    assertThatThrownBy(future::join)
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(CacheLoadException.class);
    assertThat(cache.getIfPresent("k")).isEqualTo("old");
    assertThat(cache.stats().loadFailureCount()).isEqualTo(1);
    ticker.advance(Duration.ofNanos(1));
    assertThat(cache.getIfPresent("k")).as("its life was not renewed").isNull();
    CompletableFuture<String> again = holdingOld().refresh("k");
    storage.release("k", "good");
    assertThat(again.join()).isEqualTo("good");
  }

  @Test
  @DisplayName("F15: a failed refresh keeps an expired object as long as staleIfError allows")
  void failedStale() {
    Cache<String, String> cache =
        holdingOld(Cache.over(storage).expireAfterWrite(LIFE).staleIfError(GRACE));
    ticker.advance(LIFE.plusNanos(10));
    CompletableFuture<String> future = cache.refresh("k");
    storage.fail("k", new IllegalStateException("down"));
    awaitEnd(future);
    Caller<String> within = stage.callers().start(() -> cache.get("k"));
    storage.fail("k", new IllegalStateException("down"));
    assertThat(within.value()).isEqualTo("old");
    ticker.advance(GRACE);
    Caller<String> past = stage.callers().start(() -> cache.get("k"));
    storage.fail("k", new IllegalStateException("down"));
    past.failure(CacheLoadException.class);
  }

  @Test
  @DisplayName("F15: a refresh that finds absence removes the object")
  void absent() {
    Cache<String, String> cache = holdingOld();
    CompletableFuture<String> future = cache.refresh("k");
    storage.releaseAbsent("k");
    assertThat(future.join()).isNull();
    assertThat(cache.getIfPresent("k")).isNull();
    assertThat(cache.asMap()).isEmpty();
    assertThat(cache.estimatedSize()).isZero();
    assertThat(cache.stats().loadSuccessCount()).isEqualTo(2);
  }

  @Test
  @DisplayName("F15: a refresh replaces a cached absence and a cached failure")
  void replacesNegative() {
    Cache<String, String> cache =
        stage.build(
            Cache.over(storage)
                .cacheAbsentFor(Duration.ofDays(1))
                .cacheFailuresFor(Duration.ofDays(1)));
    CompletableFuture<String> none = cache.getAsync("none");
    storage.releaseAbsent("none");
    assertThat(none.join()).isNull();
    CompletableFuture<String> bad = cache.getAsync("bad");
    storage.fail("bad", new IllegalStateException("down"));
    awaitEnd(bad);
    storage.open("none", "1");
    storage.open("bad", "2");
    assertThat(cache.refresh("none").join()).isEqualTo("1");
    assertThat(cache.refresh("bad").join()).isEqualTo("2");
    assertThat(cache.getIfPresent("none")).isEqualTo("1");
    assertThat(cache.get("bad")).isEqualTo("2");
  }

  @Test
  @DisplayName("F15: a get of an object that expired joins the refresh under way")
  void expiredJoins() {
    for (boolean swept : new boolean[] {false, true}) {
      Cache<String, String> cache = holdingOld(Cache.over(storage).expireAfterWrite(LIFE));
      int before = storage.loads("k");
      CompletableFuture<String> future = cache.refresh("k");
      GatedCall<String, String> load = storage.await("k");
      ticker.advance(LIFE);
      if (swept) {
        cache.cleanUp();
      }
      assertThat(cache.getIfPresent("k")).isNull();
      Caller<String> getter = stage.callers().startParked(() -> cache.get("k"));
      Caller<String> bulk = stage.callers().startParked(() -> cache.getAll(List.of("k")).get("k"));
      load.release("new");
      assertThat(getter.value()).isEqualTo("new");
      assertThat(bulk.value()).isEqualTo("new");
      assertThat(future.join()).isEqualTo("new");
      assertThat(cache.getIfPresent("k")).isEqualTo("new");
      assertThat(storage.loads("k") - before).isEqualTo(1);
    }
  }

  @Test
  @DisplayName("F15: a get that joined a refresh of an expired object gets its failure")
  void expiredJoinsFailure() {
    Cache<String, String> cache = holdingOld(Cache.over(storage).expireAfterWrite(LIFE));
    CompletableFuture<String> future = cache.refresh("k");
    GatedCall<String, String> load = storage.await("k");
    ticker.advance(LIFE);
    Caller<String> getter = stage.callers().startParked(() -> cache.get("k"));
    load.fail(new IllegalStateException("down"));
    getter.failure(CacheLoadException.class);
    awaitEnd(future);
    Caller<String> next = stage.callers().start(() -> cache.get("k"));
    storage.release("k", "new");
    assertThat(next.value()).isEqualTo("new");
  }

  @Test
  @DisplayName("F15, F2: a get after an invalidation joins no refresh from before it")
  void invalidatedRefresh() {
    Cache<String, String> cache = holdingOld();
    CompletableFuture<String> future = cache.refresh("k");
    GatedCall<String, String> before = storage.await("k", 2);
    cache.invalidate("k");
    Caller<String> getter = stage.callers().start(() -> cache.get("k"));
    CompletableFuture<String> second = cache.refresh("k");
    GatedCall<String, String> after = storage.await("k", 3);
    before.release("stale");
    assertThat(future.join()).isEqualTo("stale");
    assertThat(cache.getIfPresent("k")).isNull();
    after.release("new");
    assertThat(getter.value()).isEqualTo("new");
    assertThat(second.join()).isEqualTo("new");
    assertThat(cache.getIfPresent("k")).isEqualTo("new");
  }

  @Test
  @DisplayName("F15: a refresh renews the object's life")
  void renewsLife() {
    Cache<String, String> cache = holdingOld(Cache.over(storage).expireAfterWrite(LIFE));
    ticker.advance(LIFE.minusNanos(1));
    storage.open("k", "new");
    assertThat(cache.refresh("k").join()).isEqualTo("new");
    ticker.advance(LIFE.minusNanos(1));
    assertThat(cache.getIfPresent("k")).isEqualTo("new");
    ticker.advance(Duration.ofNanos(1));
    assertThat(cache.getIfPresent("k")).isNull();
  }
}
