package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.FeedStorage;
import io.latchkey.cache.testing.MapStorage;
import io.latchkey.cache.testing.Patience;
import io.latchkey.cache.testing.ProbeProvider;
import io.latchkey.cache.testing.Roadblock;
import io.latchkey.cache.testing.Stage;
import io.latchkey.storage.Codec;
import io.latchkey.storage.testkit.GatedCall;
import io.latchkey.storage.testkit.GatedStorage;
import io.latchkey.storage.testkit.GatedWritableStorage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class CloseTest {
  @RegisterExtension final Stage stage = new Stage();

  private static Arguments call(String name, Consumer<Cache<String, String>> call) {
    return Arguments.of(name, call);
  }

  private static Stream<Arguments> calls() {
    return Stream.of(
        call("get of a cached key", c -> c.get("k")),
        call("get", c -> c.get("other")),
        call("get with timeout", c -> c.get("k", Duration.ofDays(1))),
        call("getAsync", c -> c.getAsync("k")),
        call("getAll", c -> c.getAll(List.of("k"))),
        call("getAll of nothing", c -> c.getAll(List.of())),
        call("getIfPresent", c -> c.getIfPresent("k")),
        call("put", c -> c.put("k", "v")),
        call("putAll", c -> c.putAll(Map.of("k", "v"))),
        call("remove", c -> c.remove("k")),
        call("invalidate", c -> c.invalidate("k")),
        call("invalidateAll of keys", c -> c.invalidateAll(List.of("k"))),
        call("invalidateAll", Cache::invalidateAll),
        call("refresh", c -> c.refresh("k")),
        call("prefetch", c -> c.prefetch(List.of("k"))),
        call("estimatedSize", Cache::estimatedSize),
        call("cleanUp", Cache::cleanUp),
        call("asMap", c -> c.asMap().get("k")),
        call("policy", c -> c.policy().maximum()));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("calls")
  @DisplayName("F16: after close a call throws IllegalStateException and reaches no storage")
  void closed(String name, Consumer<Cache<String, String>> call) {
    MapStorage<String, String> storage = new MapStorage<String, String>().holding("k", "v");
    Cache<String, String> cache = stage.build(Cache.over(storage).name("orders"));
    cache.get("k");
    storage.forget();
    cache.close();
    assertThatThrownBy(() -> call.accept(cache))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("orders")
        .hasMessageContaining("closed");
    assertThat(storage.calls()).isEmpty();
  }

  @Test
  @DisplayName("F16: after close a map taken before throws IllegalStateException")
  void closedMap() {
    Cache<String, String> cache = stage.build(Cache.over((String key) -> "v"));
    ConcurrentMap<String, String> map = cache.asMap();
    map.put("k", "v");
    cache.close();
    List<Function<Map<String, String>, ?>> uses =
        List.of(
            m -> m.get("k"),
            m -> m.containsKey("k"),
            m -> m.put("k", "w"),
            m -> m.putIfAbsent("k", "w"),
            m -> m.remove("k"),
            m -> m.replace("k", "w"),
            m -> m.computeIfAbsent("x", k -> "w"),
            m -> m.merge("k", "w", String::concat),
            m -> m.keySet().remove("k"),
            Map::size,
            m -> m.keySet().iterator(),
            m -> m.values().stream().toList());
    for (int i = 0; i < uses.size(); i++) {
      Function<Map<String, String>, ?> use = uses.get(i);
      assertThatThrownBy(() -> use.apply(map))
          .as("use %s", i)
          .isInstanceOf(IllegalStateException.class);
    }
    assertThatThrownBy(map::clear).isInstanceOf(IllegalStateException.class);
  }

  @Test
  @DisplayName("F16: close twice, and by several threads, is close once; stats still answer")
  void twice() {
    Cache<String, String> cache = stage.build(Cache.over((String key) -> "v").recordStats());
    cache.get("k");
    cache.get("k");
    CacheStats before = cache.stats();
    List<Caller<Object>> closers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      closers.add(stage.callers().run(cache::close));
    }
    closers.forEach(Caller::value);
    cache.close();
    assertThat(cache.stats()).isEqualTo(before);
    assertThat(cache.stats().hitCount()).isEqualTo(1);
  }

  @Test
  @DisplayName("F16: close releases all who wait and does not wait for the load")
  void releasesWaiters() {
    GatedStorage<String, String> storage = stage.gated(new GatedStorage<>());
    storage.ignoringInterrupts();
    Cache<String, String> cache = stage.build(Cache.over(storage).recordStats());
    Caller<String> leader = stage.callers().start(() -> cache.get("k"));
    GatedCall<String, String> load = storage.await("k");
    List<Caller<String>> waiters = stage.callers().startParked(3, () -> cache.get("k"));
    Caller<String> timed = stage.callers().startParked(() -> cache.get("k", Duration.ofDays(1)));
    Caller<Map<String, String>> bulk =
        stage.callers().startParked(() -> cache.getAll(List.of("k")));
    CompletableFuture<String> async = cache.getAsync("k");
    CompletableFuture<String> refresh = cache.refresh("k");
    stage.meanwhile(cache::close);
    waiters.forEach(waiter -> waiter.failure(IllegalStateException.class));
    timed.failure(IllegalStateException.class);
    bulk.failure(IllegalStateException.class);
    for (CompletableFuture<String> future : List.of(async, refresh)) {
      Patience.until("the future ends", future::isDone);
      assertThatThrownBy(future::join)
          .isInstanceOf(CompletionException.class)
          .hasCauseInstanceOf(IllegalStateException.class);
    }
    assertThat(load.isHeld()).isTrue();
    load.release("late");
    Throwable end = leader.outcome().failure();
    if (end == null) {
      assertThat(leader.value()).isEqualTo("late");
    } else {
      assertThat(end).isInstanceOf(IllegalStateException.class);
    }
    CacheStats stats = cache.stats();
    assertThat(stats.loadSuccessCount() + stats.loadFailureCount() + stats.loadAbandonedCount())
        .isEqualTo(1);
  }

  @Test
  @DisplayName("F16: close releases those who wait for a bulk, and for loads on the executor")
  void releasesOthers() {
    GatedStorage<String, String> storage = stage.gated(new GatedStorage<>());
    Cache<String, String> cache = stage.build(Cache.over(storage).loadTimeout(Duration.ofDays(1)));
    Caller<String> getter = stage.callers().start(() -> cache.get("k"));
    GatedCall<String, String> load = storage.await("k");
    Caller<String> second = stage.callers().startParked(() -> cache.get("k"));
    stage.meanwhile(cache::close);
    getter.failure(IllegalStateException.class);
    second.failure(IllegalStateException.class);
    if (load.isHeld()) {
      load.release("late");
    }
  }

  @Test
  @DisplayName("F16: close releases those who wait for a load that an invalidation detached")
  void releasesDetached() {
    GatedStorage<String, String> storage = stage.gated(new GatedStorage<>());
    storage.ignoringInterrupts();
    Cache<String, String> cache = stage.build(Cache.over(storage));
    stage.callers().start(() -> cache.get("k"));
    GatedCall<String, String> load = storage.await("k");
    Caller<String> waiter = stage.callers().startParked(() -> cache.get("k"));
    cache.invalidate("k");
    Caller<String> other = stage.callers().start(() -> cache.get("l"));
    storage.await("l");
    Caller<String> second = stage.callers().startParked(() -> cache.get("l"));
    cache.invalidateAll();
    stage.meanwhile(cache::close);
    waiter.failure(IllegalStateException.class);
    second.failure(IllegalStateException.class);
    assertThat(load.isHeld()).isTrue();
    assertThat(other.ended()).isFalse();
  }

  @Test
  @DisplayName("F16: close ends the refresh of an object that is cached")
  void releasesRefresh() {
    GatedStorage<String, String> storage = stage.gated(new GatedStorage<>());
    storage.ignoringInterrupts();
    storage.open("k", "old");
    Cache<String, String> cache = stage.build(Cache.over(storage));
    cache.get("k");
    storage.shut();
    CompletableFuture<String> refresh = cache.refresh("k");
    storage.await("k");
    stage.meanwhile(cache::close);
    Patience.until("the future ends", refresh::isDone);
    assertThatThrownBy(refresh::join).hasCauseInstanceOf(IllegalStateException.class);
  }

  @Test
  @DisplayName("F16: a load that ends after close stores nothing and tells no listener")
  void lateLoad() {
    GatedStorage<String, String> storage = stage.gated(new GatedStorage<>());
    storage.ignoringInterrupts();
    AtomicInteger told = new AtomicInteger();
    Cache<String, String> cache =
        stage.build(
            Cache.over(storage)
                .maximumSize(1)
                .executor(Runnable::run)
                .removalListener((key, value, cause) -> told.incrementAndGet()));
    ConcurrentMap<String, String> map = cache.asMap();
    List<Caller<String>> leaders = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      String key = "k" + i;
      leaders.add(stage.callers().start(() -> cache.get(key)));
      storage.await(key);
    }
    cache.close();
    for (int i = 0; i < 3; i++) {
      storage.release("k" + i, "late");
    }
    leaders.forEach(Caller::outcome);
    assertThatThrownBy(() -> map.get("k0")).isInstanceOf(IllegalStateException.class);
    assertThat(told).hasValue(0);
  }

  @Test
  @DisplayName("F16: a put that waits for another of its key is released by close")
  void releasesWriters() {
    GatedWritableStorage<String, String> storage = stage.gated(new GatedWritableStorage<>());
    storage.gateWrites();
    Cache<String, String> cache = stage.build(Cache.over(storage));
    Caller<Object> first = stage.callers().run(() -> cache.put("k", "1"));
    storage.awaitWrite("k");
    Caller<Object> second =
        stage
            .callers()
            .startParked(
                () -> {
                  cache.put("k", "2");
                  return null;
                });
    stage.meanwhile(cache::close);
    second.failure(IllegalStateException.class);
    storage.releaseWrite("k");
    first.outcome();
    assertThat(storage.writes()).as("the second was never stored").containsExactly("k");
  }

  @Test
  @DisplayName(
      "F16: close closes a storage that it opened by URL, once, and none that was passed in")
  void storage() {
    MapStorage<String, String> opened = new MapStorage<String, String>().holding("k", "v");
    Cache<String, String> owner =
        stage.build(Cache.over(ProbeProvider.url(opened), Codec.utf8(), Codec.utf8()));
    assertThat(owner.get("k")).isEqualTo("v");
    assertThat(opened.closes()).isZero();
    owner.close();
    owner.close();
    assertThat(opened.closes()).isEqualTo(1);
    MapStorage<String, String> passed = new MapStorage<>();
    stage.build(Cache.over(passed)).close();
    assertThat(passed.closes()).isZero();
  }

  @Test
  @DisplayName("F16, F19: close ends the subscription, before the storage is closed")
  void subscription() {
    List<String> order = new ArrayList<>();
    FeedStorage<String, String> feed =
        new FeedStorage<>() {
          @Override
          public void close() {
            order.add("closed with " + subscriptions());
            super.close();
          }
        };
    Cache<String, String> cache =
        stage.build(Cache.over(ProbeProvider.url(feed), Codec.utf8(), Codec.utf8()));
    assertThat(feed.subscriptions()).isEqualTo(1);
    cache.close();
    assertThat(order).containsExactly("closed with 0");
  }

  @Test
  @DisplayName("F16: a storage or subscription that fails to close leaves the cache closed")
  void failingClose() {
    MapStorage<String, String> opened =
        new MapStorage<>() {
          @Override
          public void close() {
            super.close();
            throw new IllegalArgumentException("the disk is gone");
          }
        };
    Cache<String, String> cache =
        Cache.over(ProbeProvider.url(opened), Codec.utf8(), Codec.utf8()).build();
    try {
      cache.close();
    } catch (RuntimeException e) {
      assertThat(e).hasStackTraceContaining("the disk is gone");
    }
    assertThatThrownBy(() -> cache.get("k")).isInstanceOf(IllegalStateException.class);
    cache.close();
    assertThat(opened.closes()).isEqualTo(1);
  }

  @Test
  @DisplayName("F16: user code may close the cache: a load, a listener, a callback")
  void closedByUserCode() {
    List<Cache<String, String>> itself = new ArrayList<>();
    Cache<String, String> byLoad =
        stage.build(
            Cache.over(
                (String key) -> {
                  itself.get(0).close();
                  return "v";
                }));
    itself.add(byLoad);
    Caller<String> loader = stage.callers().start(() -> byLoad.get("k"));
    loader.outcome();
    assertThatThrownBy(() -> byLoad.get("k")).isInstanceOf(IllegalStateException.class);
    Cache<String, String> byListener =
        stage.build(
            Cache.over((String key) -> "v")
                .executor(Runnable::run)
                .removalListener((key, value, cause) -> itself.get(1).close()));
    itself.add(byListener);
    byListener.get("k");
    stage.meanwhile(() -> byListener.invalidate("k"));
    assertThatThrownBy(() -> byListener.get("k")).isInstanceOf(IllegalStateException.class);
    Cache<String, String> byCallback = stage.build(Cache.over((String key) -> "v"));
    stage.meanwhile(() -> byCallback.getAsync("k").thenRun(byCallback::close).join());
    assertThatThrownBy(() -> byCallback.get("k")).isInstanceOf(IllegalStateException.class);
  }

  @Test
  @DisplayName("F16: no thread stays, whatever the cache was used for")
  void noThreadStays() {
    Set<Thread> before = new HashSet<>(Thread.getAllStackTraces().keySet());
    Roadblock block = stage.roadblock().arm();
    Cache<String, String> cache =
        stage.build(
            Cache.over(
                    (String key) -> {
                      if (key.equals("held")) {
                        block.pass();
                      }
                      return "v";
                    })
                .name("thread-test")
                .expireAfterWrite(Duration.ofDays(1))
                .refreshAfterWrite(Duration.ZERO)
                .loadTimeout(Duration.ofDays(1))
                .removalListener((key, value, cause) -> {}));
    cache.get("k");
    cache.get("k", Duration.ofDays(1));
    cache.getAsync("l").join();
    cache.refresh("k").join();
    cache.prefetch(List.of("m"));
    cache.invalidateAll();
    cache.getAsync("held");
    block.awaitHeld();
    cache.close();
    block.open();
    Set<Thread> started = new HashSet<>(Thread.getAllStackTraces().keySet());
    started.removeAll(before);
    for (Thread thread : started) {
      assertThat(thread.isDaemon()).as("%s is a daemon", thread).isTrue();
      assertThat(joined(thread)).as("%s ended", thread).isTrue();
    }
  }

  private static boolean joined(Thread thread) {
    try {
      // Shorter than the time after which an idle thread of a pool ends by itself.
      thread.join(8_000);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    return !thread.isAlive();
  }

  @Test
  @DisplayName("F16: the executor that the user gave goes on working after close")
  void usersExecutor() {
    java.util.concurrent.ExecutorService pool =
        java.util.concurrent.Executors.newFixedThreadPool(2);
    try {
      Cache<String, String> cache = stage.build(Cache.over((String key) -> "v").executor(pool));
      assertThat(cache.getAsync("k").join()).isEqualTo("v");
      cache.close();
      assertThat(pool.isShutdown()).isFalse();
      assertThat(CompletableFuture.supplyAsync(() -> 1, pool).join()).isEqualTo(1);
    } finally {
      pool.shutdown();
    }
  }
}
