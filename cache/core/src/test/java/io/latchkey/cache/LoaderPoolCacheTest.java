package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.GatedLoads;
import io.latchkey.cache.testing.ManualTicker;
import io.latchkey.cache.testing.MapStorage;
import io.latchkey.cache.testing.Patience;
import io.latchkey.cache.testing.Stage;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Caches on a pool that is full, with one worker that is held and no queue, or one place in it. */
class LoaderPoolCacheTest {
  private static final Duration LONG = Duration.ofHours(1);
  private static final Duration AGE = Duration.ofMinutes(1);

  @RegisterExtension final Stage stage = new Stage();
  private final GatedLoads<String, String> storage = stage.loads();
  private final CountDownLatch gate = new CountDownLatch(1);
  private @Nullable LoaderPool pool;

  private LoaderPool full(LoaderPool.WhenFull policy) {
    LoaderPool full = LoaderPool.builder().workers(1).queue(0).whenFull(policy).build();
    pool = full;
    occupy(full);
    return full;
  }

  private void occupy(LoaderPool busy) {
    CountDownLatch begun = new CountDownLatch(1);
    busy.execute(
        () -> {
          begun.countDown();
          Patience.await(gate, "the test frees the pool");
        });
    Patience.await(begun, "the worker is busy");
  }

  private void free(LoaderPool busy) {
    gate.countDown();
    Patience.until("the worker is idle", () -> busy.stats().idleWorkers() == 1);
  }

  @AfterEach
  void close() {
    gate.countDown();
    storage.release();
    if (pool != null) {
      pool.close();
    }
  }

  private static void assertRefused(CompletableFuture<?> future) {
    assertThat(future).isCompletedExceptionally();
    assertThatThrownBy(future::join)
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOf(CacheLoadException.class)
        .hasMessageContaining("the executor refused to load")
        .hasMessageContaining("is full")
        .hasCauseInstanceOf(RejectedExecutionException.class);
  }

  @Test
  @DisplayName("M10: a prefetch for which the pool has no room is dropped and counted, key by key")
  void prefetchDropped() {
    LoaderPool full = full(LoaderPool.WhenFull.CALLER_RUNS);
    Cache<String, String> single =
        stage.build(Cache.<String, String>over(key -> "v" + key).executor(full));
    MapStorage<String, String> map = new MapStorage<String, String>().holding("a", "v");
    Cache<String, String> bulk = stage.build(Cache.over(map).executor(full));
    single.prefetch(List.of("a", "b", "c"));
    bulk.prefetch(List.of("a", "b"));
    assertThat(single.stats().droppedPrefetchCount()).isEqualTo(3);
    assertThat(bulk.stats().droppedPrefetchCount()).isEqualTo(2);
    assertThat(map.count("load") + map.count("loadAll")).isZero();
    assertThat(full.stats().callerRunCount()).isZero();
    assertThat(single.get("a")).isEqualTo("va");
    assertThat(bulk.get("a")).isEqualTo("v");
    free(full);
    single.prefetch(List.of("d"));
    Patience.until("a prefetch is possible later", () -> single.getIfPresent("d") != null);
    assertThat(single.stats().droppedPrefetchCount()).isEqualTo(3);
  }

  @Test
  @DisplayName("F15: a refresh for which the pool has no room is put off, and possible later")
  void refreshPutOff() {
    LoaderPool full = full(LoaderPool.WhenFull.CALLER_RUNS);
    ManualTicker ticker = new ManualTicker();
    MapStorage<String, String> map = new MapStorage<String, String>().holding("k", "1");
    Cache<String, String> cache =
        stage.build(Cache.over(map).executor(full).ticker(ticker).refreshAfterWrite(AGE));
    cache.get("k");
    map.holding("k", "2");
    ticker.advance(AGE);
    assertThat(cache.get("k")).isEqualTo("1");
    assertThat(cache.get("k")).isEqualTo("1");
    assertThat(cache.stats().postponedRefreshCount()).isEqualTo(2);
    assertRefused(cache.refresh("k"));
    assertThat(cache.stats().postponedRefreshCount()).isEqualTo(3);
    assertThat(map.count("load")).isEqualTo(1);
    free(full);
    Patience.until("a hit renews it", () -> "2".equals(cache.get("k")));
    map.holding("k", "3");
    assertThat(cache.refresh("k").join()).isEqualTo("3");
    assertThat(cache.stats().postponedRefreshCount()).isEqualTo(3);
  }

  @Test
  @DisplayName("F15: an expired object whose refresh was put off is loaded by the next get")
  void putOffAndExpired() {
    LoaderPool full = full(LoaderPool.WhenFull.REJECT);
    ManualTicker ticker = new ManualTicker();
    MapStorage<String, String> map = new MapStorage<String, String>().holding("k", "1");
    Cache<String, String> cache =
        stage.build(
            Cache.over(map)
                .executor(full)
                .ticker(ticker)
                .refreshAfterWrite(AGE)
                .expireAfterWrite(AGE.multipliedBy(2)));
    cache.get("k");
    map.holding("k", "2");
    ticker.advance(AGE);
    assertThat(cache.get("k")).isEqualTo("1");
    ticker.advance(AGE);
    assertThat(cache.get("k")).isEqualTo("2");
  }

  @Test
  @DisplayName("F7: where a full pool rejects, getAsync fails at once, and is not remembered")
  void asyncRejected() {
    LoaderPool full = full(LoaderPool.WhenFull.REJECT);
    Cache<String, String> cache =
        stage.build(Cache.over(storage).executor(full).cacheFailuresFor(LONG), storage);
    assertRefused(cache.getAsync("a"));
    assertThat(storage.calls()).isZero();
    free(full);
    CompletableFuture<@Nullable String> again = cache.getAsync("a");
    storage.next().returns("v");
    assertThat(again.join()).isEqualTo("v");
  }

  @Test
  @DisplayName("F7: where a full pool lets callers run, getAsync loads on its caller's thread")
  void asyncOnTheCallersThread() {
    LoaderPool full = full(LoaderPool.WhenFull.CALLER_RUNS);
    Cache<String, String> cache = stage.build(Cache.over(storage).executor(full), storage);
    Caller<@Nullable String> caller =
        stage.callers().start(() -> cache.getAsync("a").getNow("not yet"));
    GatedLoads.Load<String, String> load = storage.next();
    assertThat(load.thread()).isSameAs(caller.thread());
    load.returns("v");
    assertThat(caller.value()).isEqualTo("v");
    assertThat(full.stats().callerRunCount()).isPositive();
  }

  @Test
  @DisplayName("F7: who may not be held up is never made to load on the own thread by a full pool")
  void timedNeverLoadsHere() {
    LoaderPool full = full(LoaderPool.WhenFull.CALLER_RUNS);
    Cache<String, String> cache = stage.build(Cache.over(storage).executor(full), storage);
    Cache<String, String> limited =
        stage.build(Cache.over(storage).executor(full).loadTimeout(LONG));
    assertThatThrownBy(() -> cache.get("a", LONG)).isInstanceOf(CacheLoadException.class);
    assertThatThrownBy(() -> limited.get("a")).isInstanceOf(CacheLoadException.class);
    assertRefused(limited.getAsync("a"));
    assertThat(storage.calls()).isZero();
  }

  @Test
  @DisplayName("F7: joining a load that waits in the queue takes no second place in it")
  void queuedOnce() {
    LoaderPool busy = LoaderPool.builder().workers(1).queue(1).build();
    pool = busy;
    occupy(busy);
    Cache<String, String> cache = stage.build(Cache.over(storage).executor(busy), storage);
    CompletableFuture<@Nullable String> first = cache.getAsync("a");
    CompletableFuture<@Nullable String> second = cache.getAsync("a");
    Caller<String> timed = stage.callers().start(() -> cache.get("a", LONG)).awaitParked();
    assertThat(busy.stats().queuedTasks()).isEqualTo(1);
    assertThat(busy.stats().refusedCount()).isZero();
    assertThat(first).isNotDone();
    gate.countDown();
    storage.next().returns("v");
    assertThat(first.join()).isEqualTo("v");
    assertThat(second.join()).isEqualTo("v");
    assertThat(timed.value()).isEqualTo("v");
    assertThat(storage.calls()).isEqualTo(1);
  }

  @Test
  @DisplayName("F7: a get takes over a load that waits in the queue")
  void takenOver() {
    LoaderPool busy = LoaderPool.builder().workers(1).queue(1).build();
    pool = busy;
    occupy(busy);
    Cache<String, String> cache = stage.build(Cache.over(storage).executor(busy), storage);
    CompletableFuture<@Nullable String> future = cache.getAsync("a");
    Caller<String> caller = stage.callers().start(() -> cache.get("a"));
    GatedLoads.Load<String, String> load = storage.next();
    assertThat(load.thread()).isSameAs(caller.thread());
    load.returns("v");
    assertThat(caller.value()).isEqualTo("v");
    gate.countDown();
    assertThat(future.join()).isEqualTo("v");
  }

  @Test
  @DisplayName("F7: who waits for a load that a closed pool drops is told, whatever kind it is")
  void closedUnderLoads() {
    LoaderPool busy = LoaderPool.builder().workers(1).build();
    pool = busy;
    occupy(busy);
    Cache<String, String> cache = stage.build(Cache.over(storage).executor(busy), storage);
    CompletableFuture<@Nullable String> future = cache.getAsync("a");
    Caller<String> timed = stage.callers().start(() -> cache.get("b", LONG)).awaitParked();
    cache.prefetch(List.of("c"));
    assertThat(busy.closeNow()).hasSize(3);
    assertThatThrownBy(future::join)
        .cause()
        .isInstanceOf(CacheLoadException.class)
        .hasMessageContaining("is closed");
    timed.failure(CacheLoadException.class);
    assertThat(cache.stats().droppedPrefetchCount()).isEqualTo(1);
    for (String key : List.of("a", "b", "c")) {
      Caller<String> next = stage.callers().start(() -> cache.get(key));
      storage.next(key).returns("v");
      assertThat(next.value()).isEqualTo("v");
    }
  }

  @Test
  @DisplayName("F16: closing a cache does not close the pool that it was given")
  void poolOutlivesCache() {
    LoaderPool shared = LoaderPool.builder().build();
    pool = shared;
    try (Cache<String, String> cache =
        Cache.<String, String>over(key -> "v" + key).executor(shared).build()) {
      assertThat(cache.getAsync("a").join()).isEqualTo("va");
    }
    CountDownLatch ran = new CountDownLatch(1);
    shared.execute(ran::countDown);
    Patience.await(ran, "the pool still works");
  }
}
