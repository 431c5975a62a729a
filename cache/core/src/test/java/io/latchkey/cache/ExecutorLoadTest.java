package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.GatedLoads;
import io.latchkey.cache.testing.ManualExecutor;
import io.latchkey.cache.testing.MapStorage;
import io.latchkey.cache.testing.Patience;
import io.latchkey.cache.testing.Stage;
import io.latchkey.storage.Storage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExecutorLoadTest {
  private static final Duration LONG = Duration.ofHours(1);
  private static final Duration SHORT = Duration.ofMillis(1);

  @RegisterExtension final Stage stage = new Stage();
  private final GatedLoads<String, String> storage = stage.loads();

  private Caller<String> get(Cache<String, String> cache) {
    return stage.callers().start(() -> cache.get("a"));
  }

  private Caller<String> get(Cache<String, String> cache, Duration timeout) {
    return stage.callers().start(() -> cache.get("a", timeout));
  }

  @Test
  @DisplayName("F7: a timed get loads on the executor, so that its caller can leave")
  void timedGetLoadsElsewhere() {
    Cache<String, String> cache = stage.over(storage);
    Caller<String> caller = get(cache, LONG);
    GatedLoads.Load<String, String> load = storage.next();
    assertThat(load.thread()).isNotSameAs(caller.thread());
    load.returns("v");
    assertThat(caller.value()).isEqualTo("v");
    assertThat(cache.get("a", SHORT)).isEqualTo("v");
    assertThat(storage.calls()).isEqualTo(1);
  }

  @Test
  @DisplayName("F7: a timed get that timed out leaves its flight joinable, and its object is kept")
  void timedOutFlightIsJoinable() {
    Cache<String, String> cache = stage.over(storage);
    Caller<String> first = get(cache, SHORT);
    GatedLoads.Load<String, String> load = storage.next();
    first.failure(CacheTimeoutException.class);
    assertThat(first.outcome().interrupted()).isFalse();
    Caller<String> joined = get(cache).awaitParked();
    Caller<String> timed = get(cache, LONG).awaitParked();
    get(cache, SHORT).failure(CacheTimeoutException.class);
    load.returns("v");
    assertThat(joined.value()).isEqualTo("v");
    assertThat(timed.value()).isEqualTo("v");
    assertThat(cache.get("a")).isEqualTo("v");
    assertThat(storage.calls()).isEqualTo(1);
    assertThat(cache.stats().loadSuccessCount()).isEqualTo(1);
  }

  @Test
  @DisplayName("F7: a flight that everybody has left is finished and kept")
  void abandonedByAll() {
    Cache<String, String> cache = stage.over(storage);
    get(cache, SHORT).failure(CacheTimeoutException.class);
    GatedLoads.Load<String, String> load = storage.next();
    load.returns("v");
    Patience.until("the object is kept", () -> cache.getIfPresent("a") != null);
    assertThat(storage.calls()).isEqualTo(1);
  }

  @Test
  @DisplayName("F7: the caller of a timed get that is interrupted leaves at once; the load goes on")
  void interruptedTimedGet() {
    Cache<String, String> cache = stage.over(storage);
    Caller<String> caller = get(cache, LONG).awaitParked();
    GatedLoads.Load<String, String> load = storage.next();
    caller.interrupt().failure(CacheInterruptedException.class);
    assertThat(caller.outcome().interrupted()).isTrue();
    assertThat(load.left()).isFalse();
    Caller<String> joined = get(cache).awaitParked();
    load.returns("v");
    assertThat(joined.value()).isEqualTo("v");
    assertThat(storage.calls()).isEqualTo(1);
  }

  @ParameterizedTest(name = "F7: a timed get of {0} s ends, with a hit by its object")
  @ValueSource(longs = {0, Long.MAX_VALUE})
  @DisplayName("F7: a timed get takes no time and all the time")
  void extremeTimeouts(long seconds) {
    Duration timeout = Duration.ofSeconds(seconds);
    Cache<String, String> cache = stage.over(storage);
    cache.put("b", "v");
    assertThat(cache.get("b", timeout)).isEqualTo("v");
    Caller<String> leader = get(cache);
    GatedLoads.Load<String, String> load = storage.next();
    Caller<String> caller = get(cache, timeout);
    if (seconds == 0) {
      caller.failure(CacheTimeoutException.class);
      load.returns("v");
    } else {
      caller.awaitParked();
      load.returns("v");
      assertThat(caller.value()).isEqualTo("v");
    }
    assertThat(leader.value()).isEqualTo("v");
  }

  @Test
  @DisplayName("F7: a load on the executor that is interrupted is made again while anyone waits")
  void interruptedOnTheExecutor() throws Exception {
    Cache<String, String> cache = stage.over(storage);
    CompletableFuture<@Nullable String> future = cache.getAsync("a");
    GatedLoads.Load<String, String> first = storage.next();
    Caller<String> timed = get(cache, LONG).awaitParked();
    first.thread().interrupt();
    first.awaitLeft();
    GatedLoads.Load<String, String> second = storage.next();
    second.fails(new RuntimeException(new InterruptedException()));
    GatedLoads.Load<String, String> third = storage.next();
    assertThat(future).isNotDone();
    third.returns("v");
    assertThat(future.get()).isEqualTo("v");
    assertThat(timed.value()).isEqualTo("v");
    assertThat(storage.calls()).isEqualTo(3);
    assertThat(storage.overlap("a")).isEqualTo(1);
    assertThat(cache.stats().loadAbandonedCount()).isEqualTo(2);
  }

  @Test
  @DisplayName("F7: an interrupted load on the executor that nobody waits for is not made again")
  void interruptedAndLeft() throws Exception {
    Cache<String, String> cache = stage.over(storage);
    CompletableFuture<@Nullable String> future = cache.getAsync("a");
    GatedLoads.Load<String, String> first = storage.next();
    future.cancel(true);
    first.fails(new InterruptedException());
    Patience.until(
        "the interrupted load is counted", () -> cache.stats().loadAbandonedCount() == 1);
    assertThat(storage.calls()).isEqualTo(1);
    Caller<String> next = get(cache);
    storage.next().returns("v");
    assertThat(next.value()).isEqualTo("v");
    assertThat(storage.calls()).isEqualTo(2);
  }

  @Test
  @DisplayName("F7: a pool shut down under its loads fails those waiting and leaves keys loadable")
  void poolShutDown() {
    ExecutorService pool = Executors.newFixedThreadPool(2);
    Cache<String, String> cache = stage.build(Cache.over(storage).executor(pool), storage);
    CompletableFuture<@Nullable String> future = cache.getAsync("a");
    Caller<String> timed = get(cache, LONG).awaitParked();
    GatedLoads.Load<String, String> load = storage.next();
    pool.shutdownNow();
    load.awaitLeft();
    Patience.until(
        "both get an answer",
        () -> {
          GatedLoads.Load<String, String> again = storage.poll();
          if (again != null) {
            again.returns("v");
          }
          return future.isDone() && timed.ended();
        });
    Caller<String> next = get(cache);
    Patience.until(
        "the next get is answered",
        () -> {
          GatedLoads.Load<String, String> again = storage.poll();
          if (again != null) {
            again.returns("v");
          }
          return next.ended();
        });
    assertThat(next.value()).isEqualTo("v");
  }

  @Test
  @DisplayName(
      "F7: an executor that rejects fails the call or loads inline, and the key stays usable")
  void rejecting() throws Exception {
    ManualExecutor executor = new ManualExecutor();
    executor.reject(true);
    Cache<String, String> cache =
        stage.build(Cache.<String, String>over(key -> "v" + key).executor(executor));
    for (String key : List.of("a", "b")) {
      Caller<@Nullable String> async =
          stage
              .callers()
              .start(
                  () -> {
                    try {
                      return cache.getAsync(key).get();
                    } catch (ExecutionException e) {
                      throw (Exception) e.getCause();
                    }
                  });
      if (async.outcome().failure() == null) {
        assertThat(async.value()).isEqualTo("v" + key);
      } else {
        async.failure(CacheException.class);
      }
      Caller<String> timed = stage.callers().start(() -> cache.get(key + "t", LONG));
      if (timed.outcome().failure() == null) {
        assertThat(timed.value()).isEqualTo("v" + key + "t");
      } else {
        timed.failure(CacheException.class);
      }
      cache.prefetch(List.of(key + "p"));
      for (String tried : List.of(key, key + "t", key + "p")) {
        assertThat(stage.callers().start(() -> cache.get(tried)).value()).isEqualTo("v" + tried);
      }
    }
  }

  @Test
  @DisplayName("F7: a get takes over a load that the executor has not begun, or has dropped")
  void dropping() throws Exception {
    ManualExecutor executor = new ManualExecutor();
    Cache<String, String> cache = stage.build(Cache.over(storage).executor(executor), storage);
    CompletableFuture<@Nullable String> future = cache.getAsync("a");
    assertThat(executor.waiting()).isEqualTo(1);
    Caller<String> caller = get(cache);
    GatedLoads.Load<String, String> load = storage.next();
    assertThat(load.thread()).isSameAs(caller.thread());
    // Whether the task was dropped or only late: its load is not made twice.
    Caller<Object> late = stage.callers().run(executor::runAll);
    load.returns("v");
    assertThat(caller.value()).isEqualTo("v");
    late.value();
    Patience.until(
        "the future is told",
        () -> {
          executor.runAll();
          return future.isDone();
        });
    assertThat(future.get()).isEqualTo("v");
    assertThat(storage.calls()).isEqualTo(1);
  }

  @Test
  @DisplayName("F7: after the executor dropped the load of a timed get the key stays usable")
  void droppedTimedGet() {
    ManualExecutor executor = new ManualExecutor();
    Cache<String, String> cache = stage.build(Cache.over(storage).executor(executor), storage);
    get(cache, SHORT).failure(CacheTimeoutException.class);
    executor.drop();
    Caller<String> caller = get(cache);
    storage.next().returns("v");
    assertThat(caller.value()).isEqualTo("v");
    assertThat(cache.get("a", SHORT)).isEqualTo("v");
  }

  @Test
  @DisplayName("F7: a prefetch that the executor dropped does not hold up a get")
  void droppedPrefetch() {
    ManualExecutor executor = new ManualExecutor();
    Cache<String, String> cache = stage.build(Cache.over(storage).executor(executor), storage);
    cache.prefetch(List.of("a", "b"));
    executor.drop();
    Caller<String> caller = get(cache);
    storage.next("a").returns("v");
    assertThat(caller.value()).isEqualTo("v");
    Caller<Map<String, String>> bulk = stage.callers().start(() -> cache.getAll(List.of("a", "b")));
    storage.next("b").returns("w");
    assertThat(bulk.value()).containsOnly(Map.entry("a", "v"), Map.entry("b", "w"));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("F7: a bulk under a load time-out is submitted again when the executor dropped it")
  void droppedBulk(boolean together) {
    ManualExecutor executor = new ManualExecutor();
    Storage<String, String> map = new MapStorage<String, String>().holding("a", "v");
    Storage<String, String> plain = key -> key.equals("a") ? "v" : null;
    Cache<String, String> cache =
        stage.build(Cache.over(together ? map : plain).executor(executor).loadTimeout(LONG));
    Caller<Map<String, String>> bulk = stage.callers().start(() -> cache.getAll(List.of("a", "b")));
    Patience.until("the bulk is submitted", () -> executor.waiting() > 0);
    executor.drop();
    Patience.until(
        "the bulk ends",
        () -> {
          executor.runAll();
          return bulk.ended();
        });
    assertThat(bulk.value()).containsOnly(Map.entry("a", "v"));
  }

  @Test
  @DisplayName("F7: an executor that runs inline loads in the caller's thread")
  void inline() throws Exception {
    Cache<String, String> cache =
        stage.build(Cache.<String, String>over(key -> "v" + key).executor(Runnable::run));
    assertThat(cache.getAsync("a").get()).isEqualTo("va");
    assertThat(cache.get("b", SHORT)).isEqualTo("vb");
    assertThat(cache.refresh("b").get()).isEqualTo("vb");
    cache.prefetch(List.of("c"));
    assertThat(cache.getIfPresent("c")).isEqualTo("vc");
    assertThat(cache.getAll(List.of("a", "d"))).containsOnlyKeys("a", "d");
  }

  @Test
  @DisplayName("F7: an executor that throws an error strands nobody")
  void executorThrows() {
    Cache<String, String> cache =
        stage.build(
            Cache.<String, String>over(key -> "v" + key)
                .executor(
                    task -> {
                      throw new OutOfMemoryError("unable to create native thread");
                    }));
    stage.callers().start(() -> cache.getAsync("a")).outcome();
    stage.callers().start(() -> cache.get("b", SHORT)).outcome();
    assertThat(stage.callers().start(() -> cache.get("a")).value()).isEqualTo("va");
    assertThat(stage.callers().start(() -> cache.get("b")).value()).isEqualTo("vb");
  }

  @Test
  @DisplayName(
      "F7: when the executor throws an error as futures are told, they are told all the same")
  void executorThrowsOnDelivery() throws Exception {
    Cache<String, String> cache =
        stage.build(
            Cache.over(storage)
                .executor(
                    task -> {
                      throw new OutOfMemoryError("unable to create native thread");
                    }),
            storage);
    Caller<String> leader = get(cache);
    GatedLoads.Load<String, String> load = storage.next();
    CompletableFuture<@Nullable String> future = cache.getAsync("a");
    Caller<String> waiter = get(cache).awaitParked();
    load.returns("v");
    assertThat(leader.value()).isEqualTo("v");
    assertThat(waiter.value()).isEqualTo("v");
    Patience.until("the future is told", future::isDone);
    assertThat(future.get()).isEqualTo("v");
  }

  @Test
  @DisplayName("F7: an executor that runs its task and then throws does not make a second load")
  void executorRunsAndThrows() {
    Cache<String, String> cache =
        stage.build(
            Cache.<String, String>over(key -> "v" + key)
                .executor(
                    task -> {
                      task.run();
                      throw new IllegalStateException("after the task");
                    }));
    stage.callers().start(() -> cache.getAsync("a").get()).outcome();
    assertThat(stage.callers().start(() -> cache.get("a")).value()).isEqualTo("va");
    assertThat(cache.stats().loadSuccessCount()).isEqualTo(1);
  }

  @Test
  @DisplayName("F7: a task that the executor runs twice loads once")
  void executorRunsTwice() throws Exception {
    Cache<String, String> cache =
        stage.build(
            Cache.<String, String>over(key -> "v" + key)
                .executor(
                    task -> {
                      task.run();
                      task.run();
                    }));
    assertThat(cache.getAsync("a").get()).isEqualTo("va");
    assertThat(cache.get("b", LONG)).isEqualTo("vb");
    assertThat(cache.stats().loadSuccessCount()).isEqualTo(2);
  }
}
