package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.ManualExecutor;
import io.latchkey.cache.testing.ManualTicker;
import io.latchkey.cache.testing.MapStorage;
import io.latchkey.cache.testing.Patience;
import io.latchkey.cache.testing.Stage;
import io.latchkey.storage.testkit.GatedStorage;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Refreshes by age, and executors that do not run them. */
class RefreshAfterWriteTest {
  private static final Duration AGE = Duration.ofNanos(100);

  @RegisterExtension final Stage stage = new Stage();

  private final MapStorage<String, String> storage =
      new MapStorage<String, String>().holding("k", "1");
  private final ManualTicker ticker = new ManualTicker();
  private final ManualExecutor executor = new ManualExecutor();

  private Cache<String, String> aging() {
    return stage.build(
        Cache.over(storage).refreshAfterWrite(AGE).ticker(ticker).executor(executor).recordStats());
  }

  @Test
  @DisplayName("F15: a read of an object past its age gives the old one and starts one reload")
  void byAge() {
    Cache<String, String> cache = aging();
    cache.get("k");
    storage.holding("k", "2");
    ticker.advance(AGE.minusNanos(1));
    assertThat(cache.get("k")).isEqualTo("1");
    assertThat(executor.waiting()).as("too young").isZero();
    ticker.advance(Duration.ofNanos(1));
    for (int i = 0; i < 5; i++) {
      assertThat(cache.get("k")).isEqualTo("1");
    }
    assertThat(executor.waiting()).isPositive();
    executor.runAll();
    assertThat(cache.get("k")).isEqualTo("2");
    assertThat(storage.count("load k")).isEqualTo(2);
    ticker.advance(AGE.minusNanos(1));
    assertThat(cache.get("k")).isEqualTo("2");
    assertThat(executor.waiting()).as("its age began anew").isZero();
    assertThat(cache.stats().missCount()).isEqualTo(1);
  }

  @Test
  @DisplayName("F15: while one read's reload runs, other reads give the old object and start none")
  void oneReload() {
    GatedStorage<String, String> gated = stage.gated(new GatedStorage<>());
    Cache<String, String> cache =
        stage.build(Cache.over(gated).refreshAfterWrite(AGE).ticker(ticker));
    gated.open("k", "1");
    cache.get("k");
    gated.shut();
    ticker.advance(AGE);
    assertThat(cache.get("k")).isEqualTo("1");
    gated.await("k");
    stage.meanwhile(
        () -> {
          for (int i = 0; i < 500; i++) {
            assertThat(cache.get("k")).isEqualTo("1");
          }
        });
    assertThat(gated.loadsUnderWay()).isEqualTo(1);
    gated.release("k", "2");
    Patience.until("the new object", () -> "2".equals(cache.getIfPresent("k")));
    assertThat(gated.loads()).isEqualTo(2);
  }

  @Test
  @DisplayName("F15: a reload by age that fails keeps the object, and a later read tries again")
  void failingReload() {
    AtomicBoolean down = new AtomicBoolean();
    MapStorage<String, String> failing =
        new MapStorage<>() {
          @Override
          public @Nullable String load(String key) throws Exception {
            if (down.get()) {
              note("load failed");
              throw new IllegalStateException("down");
            }
            return super.load(key);
          }
        };
    failing.holding("k", "1");
    Cache<String, String> cache =
        stage.build(Cache.over(failing).refreshAfterWrite(AGE).ticker(ticker).executor(executor));
    cache.get("k");
    ticker.advance(AGE);
    down.set(true);
    for (int i = 1; i <= 3; i++) {
      assertThat(cache.get("k")).isEqualTo("1");
      executor.runAll();
      assertThat(cache.stats().loadFailureCount()).isEqualTo(i);
    }
    down.set(false);
    failing.holding("k", "2");
    assertThat(cache.get("k")).isEqualTo("1");
    executor.runAll();
    assertThat(cache.get("k")).isEqualTo("2");
  }

  @Test
  @DisplayName("F15: bulk and asynchronous reads give the old object, too, and reload it")
  void otherReads() {
    Cache<String, String> cache = aging();
    cache.get("k");
    ticker.advance(AGE);
    storage.holding("k", "2");
    assertThat(cache.getAll(List.of("k"))).containsEntry("k", "1");
    CompletableFuture<String> future = cache.getAsync("k");
    executor.runAll();
    assertThat(future.join()).isEqualTo("1");
    assertThat(cache.getIfPresent("k")).isEqualTo("2");
    assertThat(storage.count("load")).isEqualTo(2);
  }

  @Test
  @DisplayName("F15: past its life an object is loaded by the reader and not given, refresh or not")
  void pastLife() {
    Cache<String, String> cache =
        stage.build(
            Cache.over(storage)
                .refreshAfterWrite(AGE)
                .expireAfterWrite(AGE.multipliedBy(2))
                .ticker(ticker)
                .executor(executor));
    cache.get("k");
    storage.holding("k", "2");
    ticker.advance(AGE.multipliedBy(2));
    Caller<String> reader = stage.callers().start(() -> cache.get("k"));
    assertThat(reader.value()).isEqualTo("2");
  }

  @Test
  @DisplayName("F15: an executor that rejects the task leaves the key refreshable")
  void rejected() {
    Cache<String, String> cache = stage.build(Cache.over(storage).executor(executor).recordStats());
    cache.get("k");
    storage.holding("k", "2");
    executor.reject(true);
    expectRejection(cache);
    assertThat(cache.get("k")).isEqualTo("1");
    cache.invalidate("k");
    expectRejection(cache);
    stage.meanwhile(() -> assertThat(cache.get("k")).isEqualTo("2"));
    storage.holding("k", "3");
    executor.reject(false);
    CompletableFuture<String> second = cache.refresh("k");
    executor.runAll();
    assertThat(second.join()).isEqualTo("3");
    assertThat(cache.getIfPresent("k")).isEqualTo("3");
    CacheStats stats = cache.stats();
    assertThat(stats.loadSuccessCount()).isEqualTo(storage.count("load"));
  }

  private static void expectRejection(Cache<String, String> cache) {
    CompletableFuture<String> future;
    try {
      future = cache.refresh("k");
    } catch (CacheException | java.util.concurrent.RejectedExecutionException e) {
      return;
    }
    assertThat(future).isCompletedExceptionally();
  }

  @Test
  @DisplayName("F15: a task that the executor dropped is not under way; a get takes over")
  void dropped() {
    Cache<String, String> cache = stage.build(Cache.over(storage).executor(executor));
    CompletableFuture<String> future = cache.refresh("k");
    assertThat(executor.waiting()).isEqualTo(1);
    executor.drop();
    stage.meanwhile(() -> assertThat(cache.get("k")).isEqualTo("1"));
    assertThat(storage.count("load")).isEqualTo(1);
    if (future.isDone()) {
      assertThat(future.join()).isEqualTo("1");
    }
    cache.getAsync("l");
    executor.drop();
    stage.meanwhile(() -> assertThat(cache.get("l")).isNull());
    cache.prefetch(List.of("m"));
    executor.drop();
    stage.meanwhile(() -> assertThat(cache.get("m")).isNull());
    cache.prefetch(List.of("n"));
    executor.drop();
    stage.meanwhile(() -> assertThat(cache.getAll(List.of("n", "k"))).hasSize(1));
  }

  @Test
  @DisplayName("F15: a dropped refresh of a cached object can be asked for again")
  void droppedThenAgain() {
    Cache<String, String> cache = stage.build(Cache.over(storage).executor(executor));
    cache.get("k");
    storage.holding("k", "2");
    cache.refresh("k");
    executor.drop();
    assertThat(cache.get("k")).isEqualTo("1");
    CompletableFuture<String> second = cache.refresh("k");
    executor.runAll();
    assertThat(second.join()).isEqualTo("2");
    assertThat(cache.getIfPresent("k")).isEqualTo("2");
  }

  @Test
  @DisplayName("F15: a get of an expired object takes over from a dropped refresh")
  void droppedExpired() {
    Cache<String, String> cache =
        stage.build(Cache.over(storage).expireAfterWrite(AGE).ticker(ticker).executor(executor));
    cache.get("k");
    storage.holding("k", "2");
    cache.refresh("k");
    executor.drop();
    ticker.advance(AGE);
    stage.meanwhile(() -> assertThat(cache.get("k")).isEqualTo("2"));
    assertThat(cache.getIfPresent("k")).isEqualTo("2");
  }

  @Test
  @DisplayName("F15: reads past the age go on asking for a reload when the executor drops them")
  void droppedByAge() {
    Cache<String, String> cache = aging();
    cache.get("k");
    storage.holding("k", "2");
    ticker.advance(AGE);
    assertThat(cache.get("k")).isEqualTo("1");
    executor.drop();
    assertThat(cache.get("k")).isEqualTo("1");
    // Whether the next read or a refresh that is asked for tries again: it must be possible.
    CompletableFuture<String> asked = cache.refresh("k");
    executor.runAll();
    assertThat(asked.join()).isEqualTo("2");
    assertThat(cache.get("k")).isEqualTo("2");
  }

  @Test
  @DisplayName("F15: a read past the age survives an executor that rejects its reload")
  void rejectedByAge() {
    Cache<String, String> cache = aging();
    cache.get("k");
    storage.holding("k", "2");
    ticker.advance(AGE);
    executor.reject(true);
    assertThat(cache.get("k")).isEqualTo("1");
    assertThat(cache.get("k")).isEqualTo("1");
    executor.reject(false);
    assertThat(cache.get("k")).isEqualTo("1");
    executor.runAll();
    assertThat(cache.get("k")).isEqualTo("2");
  }

  @Test
  @DisplayName("F15: a task that the executor runs twice loads once")
  void ranTwice() {
    Cache<String, String> cache =
        stage.build(
            Cache.over(storage)
                .executor(
                    task -> {
                      task.run();
                      task.run();
                    }));
    assertThat(cache.refresh("k").join()).isEqualTo("1");
    assertThat(cache.getAsync("k").join()).isEqualTo("1");
    assertThat(storage.count("load")).isEqualTo(1);
  }

  @Test
  @DisplayName("F15: a dropped task that runs after all, late, changes nothing")
  void ranLate() {
    Cache<String, String> cache = stage.build(Cache.over(storage).executor(executor));
    cache.refresh("k");
    stage.meanwhile(() -> assertThat(cache.get("k")).isEqualTo("1"));
    cache.put("k", "put");
    executor.runAll();
    assertThat(cache.get("k")).isEqualTo("put");
    assertThat(storage.count("load")).isEqualTo(1);
  }
}
