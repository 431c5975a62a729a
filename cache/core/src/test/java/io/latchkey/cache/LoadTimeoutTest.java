package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.GatedLoads;
import io.latchkey.cache.testing.ManualExecutor;
import io.latchkey.cache.testing.ManualTicker;
import io.latchkey.cache.testing.Patience;
import io.latchkey.cache.testing.Stage;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The timeout is real time, so each test waits for one; none depends on what fits into it. */
class LoadTimeoutTest {
  private static final Duration TIMEOUT = Duration.ofMillis(40);
  private static final Duration LONG = Duration.ofHours(1);

  @RegisterExtension final Stage stage = new Stage();
  private final GatedLoads<String, String> storage = stage.loads();

  private Cache<String, String> cache(Duration timeout) {
    return stage.build(
        Cache.over(storage).loadTimeout(timeout).ticker(new ManualTicker()).recordStats(), storage);
  }

  private Caller<String> get(Cache<String, String> cache) {
    return stage.callers().start(() -> cache.get("a"));
  }

  private static Callable<@Nullable String> unwrapped(CompletableFuture<@Nullable String> future) {
    return () -> {
      try {
        return future.get();
      } catch (ExecutionException e) {
        throw (Exception) e.getCause();
      }
    };
  }

  /** Loads the key, however often a slow machine lets the load time out. */
  private String loadInTime(Cache<String, String> cache, String value) {
    while (true) {
      Caller<String> caller = get(cache);
      Patience.until(
          () -> caller + " ends",
          () -> {
            GatedLoads.Load<String, String> load = storage.poll();
            if (load != null) {
              load.returns(value);
            }
            return caller.ended();
          });
      if (!(caller.outcome().failure() instanceof CacheTimeoutException)) {
        return caller.value();
      }
    }
  }

  @Test
  @DisplayName("F7: at loadTimeout everybody who waits gets CacheTimeoutException")
  void everybodyTimesOut() {
    Cache<String, String> cache = cache(TIMEOUT);
    List<Caller<?>> callers =
        List.of(
            get(cache),
            get(cache),
            stage.callers().start(() -> cache.get("a", LONG)),
            stage.callers().start(unwrapped(cache.getAsync("a"))),
            stage.callers().start(() -> cache.getAll(List.of("a"))));
    for (Caller<?> caller : callers) {
      assertThat(caller.failure(CacheTimeoutException.class)).hasMessageContaining("gated");
      assertThat(caller.outcome().interrupted()).isFalse();
    }
    assertThat(callers).extracting(caller -> caller.outcome().failure()).doesNotHaveDuplicates();
    assertThat(cache.getIfPresent("a")).isNull();
    assertThat(cache.estimatedSize()).isZero();
  }

  @Test
  @DisplayName("F7: after loadTimeout the next get loads beside the abandoned call")
  void loadsBeside() {
    Cache<String, String> cache = cache(TIMEOUT);
    Caller<String> first = get(cache);
    GatedLoads.Load<String, String> hung = storage.next();
    first.failure(CacheTimeoutException.class);
    assertThat(loadInTime(cache, "new")).isEqualTo("new");
    assertThat(hung.left()).isFalse();
    assertThat(storage.overlap("a")).isGreaterThan(1);

    hung.returns("late");
    hung.awaitLeft();
    assertThat(cache.get("a")).isEqualTo("new");
  }

  @Test
  @DisplayName(
      "F7: the late object of an abandoned load is never stored, and it is counted abandoned")
  void lateObjectIsDropped() {
    Cache<String, String> cache = cache(TIMEOUT);
    Caller<String> first = get(cache);
    GatedLoads.Load<String, String> hung = storage.next();
    first.failure(CacheTimeoutException.class);
    Patience.until("it is counted", () -> cache.stats().loadAbandonedCount() == 1);
    hung.returns("late");
    hung.awaitLeft();
    assertThat(loadInTime(cache, "new")).isEqualTo("new");
    assertThat(cache.get("a")).isEqualTo("new");
    assertThat(cache.stats().loadSuccessCount()).isEqualTo(1);
    assertThat(cache.stats().loadFailureCount()).isZero();
  }

  @Test
  @DisplayName("F7: an abandoned load that fails late harms nobody and is counted once")
  void lateFailureIsDropped() {
    Cache<String, String> cache =
        stage.build(Cache.over(storage).loadTimeout(TIMEOUT).cacheFailuresFor(LONG), storage);
    Caller<String> first = get(cache);
    GatedLoads.Load<String, String> hung = storage.next();
    first.failure(CacheTimeoutException.class);
    hung.fails(new IllegalStateException("late"));
    hung.awaitLeft();
    assertThat(loadInTime(cache, "new")).isEqualTo("new");
    assertThat(cache.stats().loadFailureCount()).isZero();
  }

  @Test
  @DisplayName("F7: with loadTimeout a load in time is stored, and runs on the executor")
  void inTime() {
    Cache<String, String> cache = cache(LONG);
    Caller<String> caller = get(cache);
    GatedLoads.Load<String, String> load = storage.next();
    Caller<String> joined = get(cache).awaitParked();
    assertThat(load.thread()).isNotSameAs(caller.thread());
    load.returns("v");
    assertThat(caller.value()).isEqualTo("v");
    assertThat(joined.value()).isEqualTo("v");
    assertThat(cache.get("a")).isEqualTo("v");
    assertThat(storage.calls()).isEqualTo(1);
  }

  @Test
  @DisplayName("F7: with loadTimeout the interrupted caller leaves at once; the load goes on")
  void interruptedCallerLeaves() {
    Cache<String, String> cache = cache(LONG);
    Caller<String> first = get(cache).awaitParked();
    GatedLoads.Load<String, String> load = storage.next();
    Caller<String> second = get(cache).awaitParked();
    first.interrupt().failure(CacheInterruptedException.class);
    assertThat(first.outcome().interrupted()).isTrue();
    load.returns("v");
    assertThat(second.value()).isEqualTo("v");
    assertThat(storage.calls()).isEqualTo(1);
  }

  @Test
  @DisplayName("F7: loadTimeout ends the wait for a task that the executor never runs")
  void droppedTask() {
    ManualExecutor executor = new ManualExecutor();
    Cache<String, String> cache =
        stage.build(
            Cache.over(storage).loadTimeout(TIMEOUT).executor(executor).recordStats(), storage);
    get(cache).failure(CacheTimeoutException.class);
    get(cache).failure(CacheTimeoutException.class);
    executor.drop();
    Caller<String> caller = get(cache);
    Patience.until(
        () -> caller + " ends",
        () -> {
          GatedLoads.Load<String, String> load = storage.poll();
          if (load != null) {
            load.returns("v");
          }
          return caller.ended();
        });
  }

  @Test
  @DisplayName("F7: an endless loadTimeout does not overflow")
  void endless() {
    Cache<String, String> cache = cache(Duration.ofSeconds(Long.MAX_VALUE));
    Caller<String> caller = get(cache).awaitParked();
    storage.next().returns("v");
    assertThat(caller.value()).isEqualTo("v");
  }

  @Test
  @DisplayName("F7: with a loadTimeout of zero every load times out and the cache stays usable")
  void zero() {
    Cache<String, String> cache = cache(Duration.ZERO);
    for (int i = 0; i < 3; i++) {
      get(cache).failure(CacheTimeoutException.class);
    }
    cache.put("a", "put");
    assertThat(cache.get("a")).isEqualTo("put");
  }

  @Test
  @DisplayName("F7: loadTimeout ends the wait of a caller who is inside another load")
  void nestedLoadTimesOut() {
    Cache<String, String> cache = cache(TIMEOUT);
    Caller<String> outer = get(cache);
    storage.next("a").runs(() -> "outer-" + cache.get("b"));
    Throwable failure = outer.outcome().failure();
    assertThat(failure).isInstanceOfAny(CacheTimeoutException.class, CacheLoadException.class);
    assertThat(loadInTime(cache, "v")).isEqualTo("v");
  }

  @Test
  @DisplayName("F7: a put during a load that then times out stays")
  void putThenTimeout() {
    Cache<String, String> cache = cache(TIMEOUT);
    Caller<String> caller = get(cache);
    GatedLoads.Load<String, String> load = storage.next();
    cache.put("a", "put");
    Throwable failure = caller.outcome().failure();
    assertThat(failure).isIn(null, failure instanceof CacheTimeoutException ? failure : "timeout");
    assertThat(cache.get("a")).isEqualTo("put");
    load.returns("late");
    load.awaitLeft();
    assertThat(cache.get("a")).isEqualTo("put");
  }

  @Test
  @DisplayName("F7: invalidation of a load that then times out; both flights end on their own")
  void invalidatedThenTimeout() {
    Cache<String, String> cache = cache(TIMEOUT);
    Caller<String> first = get(cache);
    GatedLoads.Load<String, String> hung = storage.next();
    cache.invalidate("a");
    String value = loadInTime(cache, "new");
    assertThat(value).isEqualTo("new");
    first.failure(CacheTimeoutException.class);
    hung.returns("late");
    hung.awaitLeft();
    assertThat(cache.get("a")).isEqualTo("new");
  }
}
