package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.ManualExecutor;
import io.latchkey.cache.testing.Patience;
import io.latchkey.cache.testing.Roadblock;
import io.latchkey.cache.testing.Sneaky;
import io.latchkey.cache.testing.Stage;
import io.latchkey.storage.AsyncStorage;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Loads that complete instead of blocking a thread. */
class AsyncStorageTest {
  @RegisterExtension final Stage stage = new Stage();

  private final Roadblock block = stage.roadblock();
  private final Pending storage = new Pending(block);

  /** A storage whose loads complete when the test says so. */
  private static final class Pending implements AsyncStorage<String, String> {
    private final List<CompletableFuture<@Nullable String>> loads = new CopyOnWriteArrayList<>();
    private final AtomicInteger blocking = new AtomicInteger();
    private final Roadblock block;
    private volatile @Nullable Function<String, CompletionStage<@Nullable String>> odd;

    Pending(Roadblock block) {
      this.block = block;
    }

    @Override
    public @Nullable String load(String key) {
      blocking.incrementAndGet();
      block.pass();
      return "blocking-" + key;
    }

    @Override
    public CompletionStage<@Nullable String> loadAsync(String key) {
      Function<String, CompletionStage<@Nullable String>> instead = odd;
      CompletableFuture<@Nullable String> load = new CompletableFuture<>();
      loads.add(load);
      return instead == null ? load : instead.apply(key);
    }

    CompletableFuture<@Nullable String> next(int number) {
      Patience.until("load " + number + " begins", () -> loads.size() > number);
      return loads.get(number);
    }

    @Override
    public String name() {
      return "pending";
    }
  }

  private Cache<String, String> cache() {
    return stage.build(Cache.over(storage).recordStats());
  }

  private static void expectLoads(Cache<?, ?> cache, long good, long failed, long abandoned) {
    Patience.until(
        () -> "loads are counted: " + cache.stats(),
        () -> {
          CacheStats stats = cache.stats();
          return stats.loadSuccessCount() == good
              && stats.loadFailureCount() == failed
              && stats.loadAbandonedCount() == abandoned;
        });
  }

  @Test
  @DisplayName("getAsync over an asynchronous storage holds no thread while it loads")
  void noThread() {
    ManualExecutor executor = new ManualExecutor();
    Cache<String, String> cache = stage.build(Cache.over(storage).executor(executor));
    List<CompletableFuture<String>> futures = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      futures.add(cache.getAsync("k" + i));
    }
    assertThat(executor.waiting()).as("tasks for threads").isZero();
    assertThat(storage.loads).hasSize(1_000);
    for (int i = 0; i < 1_000; i++) {
      storage.loads.get(i).complete("v" + i);
    }
    executor.runAll();
    for (int i = 0; i < 1_000; i++) {
      assertThat(futures.get(i)).isCompletedWithValue("v" + i);
    }
    assertThat(cache.estimatedSize()).isEqualTo(1_000);
    assertThat(storage.blocking).hasValue(0);
  }

  @Test
  @DisplayName("F1: everyone who wants the key joins the load that is pending")
  void shared() {
    Cache<String, String> cache = cache();
    CompletableFuture<String> first = cache.getAsync("k");
    CompletableFuture<String> second = cache.getAsync("k");
    CompletableFuture<String> refresh = cache.refresh("k");
    cache.prefetch(List.of("k"));
    Caller<String> blocked = stage.callers().startParked(() -> cache.get("k"));
    Caller<String> timed = stage.callers().startParked(() -> cache.get("k", Duration.ofDays(1)));
    Caller<String> bulk = stage.callers().startParked(() -> cache.getAll(List.of("k")).get("k"));
    storage.next(0).complete("v");
    for (CompletableFuture<String> future : List.of(first, second, refresh)) {
      assertThat(future.join()).isEqualTo("v");
    }
    for (Caller<String> caller : List.of(blocked, timed, bulk)) {
      assertThat(caller.value()).isEqualTo("v");
    }
    assertThat(storage.loads).hasSize(1);
    assertThat(storage.blocking).hasValue(0);
    expectLoads(cache, 1, 0, 0);
    assertThat(cache.getIfPresent("k")).isEqualTo("v");
  }

  @Test
  @DisplayName("F1: a getAsync joins a load that a thread runs")
  void joinsBlocking() {
    Cache<String, String> cache = cache();
    block.arm();
    Caller<String> leader = stage.callers().start(() -> cache.get("k"));
    block.awaitHeld();
    CompletableFuture<String> future = cache.getAsync("k");
    assertThat(future).isNotDone();
    block.open();
    assertThat(leader.value()).isEqualTo("blocking-k");
    assertThat(future.join()).isEqualTo("blocking-k");
    assertThat(storage.loads).isEmpty();
    assertThat(storage.blocking).hasValue(1);
  }

  @Test
  @DisplayName("F9: a load that completes with null has found absence")
  void absent() {
    Cache<String, String> cache = cache();
    CompletableFuture<String> future = cache.getAsync("k");
    storage.next(0).complete(null);
    assertThat(future.join()).isNull();
    assertThat(cache.asMap()).isEmpty();
    expectLoads(cache, 1, 0, 0);
  }

  @Test
  @DisplayName("F6: a load that completes with a failure, wrapped or not, gives its cause once")
  void failures() {
    IOException down = new IOException("down");
    for (Throwable thrown : List.of(down, new CompletionException(down))) {
      Cache<String, String> cache = cache();
      int number = storage.loads.size();
      CompletableFuture<String> future = cache.getAsync("k");
      Caller<String> waiter = stage.callers().startParked(() -> cache.get("k"));
      storage.next(number).completeExceptionally(thrown);
      assertThat(waiter.failure(CacheLoadException.class)).hasCause(down);
      assertThatThrownBy(future::join)
          .isInstanceOf(CompletionException.class)
          .cause()
          .isInstanceOf(CacheLoadException.class)
          .hasMessageContaining("pending")
          .hasCause(down);
      expectLoads(cache, 0, 1, 0);
      CompletableFuture<String> again = cache.getAsync("k");
      storage.next(number + 1).complete("v");
      assertThat(again.join()).isEqualTo("v");
    }
  }

  @Test
  @DisplayName("F6: a loadAsync that throws, or gives no stage, fails its load and nothing else")
  void misbehaving() {
    List<Function<String, CompletionStage<@Nullable String>>> ways =
        List.of(
            key -> Sneaky.raise(new IOException("no")),
            key -> Sneaky.raise(new StackOverflowError()),
            key -> null,
            key -> {
              CompletableFuture<@Nullable String> cancelled = new CompletableFuture<>();
              cancelled.cancel(true);
              return cancelled;
            });
    for (Function<String, CompletionStage<@Nullable String>> way : ways) {
      Cache<String, String> cache = cache();
      storage.odd = way;
      CompletableFuture<String> future = cache.getAsync("k");
      assertThatThrownBy(future::join)
          .isInstanceOf(CompletionException.class)
          .hasCauseInstanceOf(CacheLoadException.class);
      expectLoads(cache, 0, 1, 0);
      storage.odd = CompletableFuture::completedFuture;
      assertThat(cache.getAsync("k").join()).as("the key is usable").isEqualTo("k");
    }
  }

  @Test
  @DisplayName("F2, F4: an invalidated load ends for its callers and is not kept")
  void invalidated() {
    Cache<String, String> cache = cache();
    CompletableFuture<String> before = cache.getAsync("k");
    cache.invalidate("k");
    CompletableFuture<String> after = cache.getAsync("k");
    storage.next(1).complete("new");
    assertThat(after.join()).isEqualTo("new");
    storage.next(0).complete("old");
    assertThat(before.join()).isEqualTo("old");
    assertThat(cache.getIfPresent("k")).isEqualTo("new");
    expectLoads(cache, 2, 0, 0);
  }

  @Test
  @DisplayName("F7: at loadTimeout a pending load is given up; its late end changes nothing")
  void timedOut() {
    Cache<String, String> cache =
        stage.build(Cache.over(storage).loadTimeout(Duration.ofMillis(5)).recordStats());
    CompletableFuture<String> future = cache.getAsync("k");
    assertThatThrownBy(future::join).hasCauseInstanceOf(CacheTimeoutException.class);
    expectLoads(cache, 0, 0, 1);
    storage.next(0).complete("late");
    assertThat(cache.getIfPresent("k")).isNull();
    expectLoads(cache, 0, 0, 1);
  }

  @Test
  @DisplayName(
      "F8: a caller that cancels, times out or is interrupted leaves the load to the others")
  void leavers() {
    Cache<String, String> cache = cache();
    CompletableFuture<String> cancelled = cache.getAsync("k");
    CompletableFuture<String> stays = cache.getAsync("k");
    Caller<String> interrupted = stage.callers().startParked(() -> cache.get("k"));
    Caller<String> late = stage.callers().start(() -> cache.get("k", Duration.ofMillis(1)));
    cancelled.cancel(true);
    interrupted.interrupt().failure(CacheInterruptedException.class);
    late.failure(CacheTimeoutException.class);
    storage.next(0).complete("v");
    assertThat(stays.join()).isEqualTo("v");
    assertThatThrownBy(cancelled::join).isInstanceOf(CancellationException.class);
    assertThat(cache.getIfPresent("k")).isEqualTo("v");
    assertThat(storage.loads).hasSize(1);
  }

  @Test
  @DisplayName("F15: a refresh is pending beside the old object")
  void refresh() {
    Cache<String, String> cache = cache();
    cache.put("k", "old");
    CompletableFuture<String> future = cache.refresh("k");
    assertThat(cache.get("k")).isEqualTo("old");
    storage.next(0).complete("new");
    assertThat(future.join()).isEqualTo("new");
    assertThat(cache.get("k")).isEqualTo("new");
    assertThat(storage.blocking).hasValue(0);
  }

  @Test
  @DisplayName("F16: close ends what is pending, and a load that ends later stores nothing")
  void closed() {
    Cache<String, String> cache = cache();
    CompletableFuture<String> future = cache.getAsync("k");
    cache.close();
    Patience.until("the future ends", future::isDone);
    assertThatThrownBy(future::join).hasCauseInstanceOf(IllegalStateException.class);
    assertThat(storage.next(0).complete("late")).isTrue();
    expectLoads(cache, 1, 0, 0);
  }

  @Test
  @DisplayName("F12: what a load does when it completes runs on the executor, not in the storage")
  void callbacks() {
    ManualExecutor executor = new ManualExecutor();
    Cache<String, String> cache = stage.build(Cache.over(storage).executor(executor));
    List<String> order = new CopyOnWriteArrayList<>();
    cache.getAsync("k").thenAccept(order::add);
    storage.next(0).complete("v");
    assertThat(order).isEmpty();
    assertThat(cache.getIfPresent("k")).as("the object is there already").isEqualTo("v");
    executor.runAll();
    assertThat(order).containsExactly("v");
  }
}
