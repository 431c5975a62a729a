package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.Callers;
import io.latchkey.cache.testing.GatedLoads;
import io.latchkey.cache.testing.Patience;
import io.latchkey.cache.testing.Stage;
import io.latchkey.cache.testing.VirtualThreads;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class WaiterLeavesTest {
  private static final Duration SHORT = Duration.ofMillis(1);

  @RegisterExtension final Stage stage = new Stage();
  private final GatedLoads<String, String> storage = stage.loads();

  private Caller<String> get(Cache<String, String> cache) {
    return stage.callers().start(() -> cache.get("a"));
  }

  @Test
  @DisplayName("F8: an interrupted waiter leaves at once, its flag set, and affects nobody")
  void interrupted() {
    leavesAlone(stage.callers());
  }

  @Test
  @DisplayName("F8: an interrupted virtual thread leaves at once, its flag set")
  void interruptedVirtualThread() {
    ThreadFactory virtual = VirtualThreads.factory().orElse(null);
    Assumptions.assumeTrue(virtual != null, "no virtual threads on this JDK");
    leavesAlone(new Callers(virtual));
  }

  private void leavesAlone(Callers callers) {
    Cache<String, String> cache = stage.over(storage);
    Caller<String> leader = callers.start(() -> cache.get("a"));
    GatedLoads.Load<String, String> load = storage.next();
    List<Caller<String>> waiters = callers.startParked(20, () -> cache.get("a"));
    for (int i = 0; i < 20; i += 2) {
      waiters.get(i).interrupt().failure(CacheInterruptedException.class);
      assertThat(waiters.get(i).outcome().interrupted()).isTrue();
    }
    assertThat(leader.ended()).isFalse();
    assertThat(load.left()).isFalse();
    load.returns("v");
    assertThat(leader.value()).isEqualTo("v");
    assertThat(leader.outcome().interrupted()).isFalse();
    for (int i = 1; i < 20; i += 2) {
      assertThat(waiters.get(i).value()).isEqualTo("v");
      assertThat(waiters.get(i).outcome().interrupted()).isFalse();
    }
    assertThat(cache.get("a")).isEqualTo("v");
    assertThat(storage.calls()).isEqualTo(1);
  }

  @Test
  @DisplayName("F8: a caller whose flag is set does not begin to wait")
  void interruptedBefore() {
    Cache<String, String> cache = stage.over(storage);
    Caller<String> leader = get(cache);
    GatedLoads.Load<String, String> load = storage.next();
    Caller<String> waiter = stage.callers().startInterrupted(() -> cache.get("a"));
    waiter.failure(CacheInterruptedException.class);
    assertThat(waiter.outcome().interrupted()).isTrue();
    Caller<Map<String, String>> bulk =
        stage.callers().startInterrupted(() -> cache.getAll(List.of("a")));
    bulk.failure(CacheInterruptedException.class);
    assertThat(bulk.outcome().interrupted()).isTrue();
    Caller<String> timed =
        stage.callers().startInterrupted(() -> cache.get("a", Duration.ofHours(1)));
    timed.failure(CacheInterruptedException.class);
    assertThat(timed.outcome().interrupted()).isTrue();
    load.returns("v");
    assertThat(leader.value()).isEqualTo("v");
    assertThat(storage.calls()).isEqualTo(1);
  }

  @Test
  @DisplayName("F8: a waiter that times out leaves and affects nobody")
  void timedOut() {
    Cache<String, String> cache = stage.over(storage);
    Caller<String> leader = get(cache);
    GatedLoads.Load<String, String> load = storage.next();
    Caller<String> before = get(cache).awaitParked();
    Caller<String> timed = stage.callers().start(() -> cache.get("a", SHORT));
    Caller<String> after = get(cache).awaitParked();
    assertThat(timed.failure(CacheTimeoutException.class)).hasMessageContaining("gated");
    assertThat(timed.outcome().interrupted()).isFalse();
    load.returns("v");
    for (Caller<String> caller : List.of(leader, before, after)) {
      assertThat(caller.value()).isEqualTo("v");
    }
    assertThat(storage.calls()).isEqualTo(1);
    assertThat(cache.stats().loadSuccessCount()).isEqualTo(1);
    assertThat(cache.stats().loadAbandonedCount()).isZero();
  }

  @Test
  @DisplayName("F8: a cancelled future affects neither the leader nor another future")
  void cancelledFuture() throws Exception {
    Cache<String, String> cache = stage.over(storage);
    Caller<String> leader = get(cache);
    GatedLoads.Load<String, String> load = storage.next();
    CompletableFuture<@Nullable String> cancelled = cache.getAsync("a");
    CompletableFuture<@Nullable String> kept = cache.getAsync("a");
    Caller<String> waiter = get(cache).awaitParked();
    assertThat(cancelled.cancel(true)).isTrue();
    assertThatThrownBy(cancelled::get).isInstanceOf(CancellationException.class);
    assertThat(kept).isNotDone();
    load.returns("v");
    assertThat(leader.value()).isEqualTo("v");
    assertThat(leader.outcome().interrupted()).isFalse();
    assertThat(waiter.value()).isEqualTo("v");
    assertThat(kept.get()).isEqualTo("v");
    assertThat(storage.calls()).isEqualTo(1);
  }

  @Test
  @DisplayName("F8: cancelling the future that began the load does not stop the load")
  void cancelledFirstFuture() {
    Cache<String, String> cache = stage.over(storage);
    CompletableFuture<@Nullable String> first = cache.getAsync("a");
    GatedLoads.Load<String, String> load = storage.next();
    first.cancel(true);
    assertThat(load.left()).isFalse();
    Caller<String> joined = get(cache).awaitParked();
    load.runs(() -> "interrupted: " + Thread.currentThread().isInterrupted());
    assertThat(joined.value()).isEqualTo("interrupted: false");
    assertThat(storage.calls()).isEqualTo(1);
  }

  @Test
  @DisplayName("F8: a load whose only future was cancelled is finished and kept")
  void cancelledOnlyFuture() {
    Cache<String, String> cache = stage.over(storage);
    CompletableFuture<@Nullable String> only = cache.getAsync("a");
    GatedLoads.Load<String, String> load = storage.next();
    only.cancel(false);
    load.returns("v");
    Patience.until("the object is kept", () -> cache.getIfPresent("a") != null);
    assertThat(storage.calls()).isEqualTo(1);
  }

  @Test
  @DisplayName("F8: a future completed by its holder is nobody else's answer")
  void futureCompletedByItsHolder() throws Exception {
    Cache<String, String> cache = stage.over(storage);
    CompletableFuture<@Nullable String> mine = cache.getAsync("a");
    CompletableFuture<@Nullable String> other = cache.getAsync("a");
    GatedLoads.Load<String, String> load = storage.next();
    mine.complete("forged");
    load.returns("v");
    assertThat(other.get()).isEqualTo("v");
    assertThat(mine.get()).isEqualTo("forged");
    assertThat(cache.get("a")).isEqualTo("v");
    CompletableFuture<@Nullable String> hit = cache.getAsync("a");
    hit.obtrudeValue("forged");
    assertThat(cache.getAsync("a").get()).isEqualTo("v");
  }

  @Test
  @DisplayName("F8: a future that times out by itself affects nobody")
  void futureTimesOut() {
    Cache<String, String> cache = stage.over(storage);
    CompletableFuture<@Nullable String> hurried =
        cache.getAsync("a").orTimeout(1, TimeUnit.MILLISECONDS);
    GatedLoads.Load<String, String> load = storage.next();
    assertThatThrownBy(hurried::get)
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(TimeoutException.class);
    Caller<String> joined = get(cache).awaitParked();
    load.returns("v");
    assertThat(joined.value()).isEqualTo("v");
    assertThat(storage.calls()).isEqualTo(1);
  }

  @Test
  @DisplayName("F8: a callback that throws in a future keeps the outcome from nobody")
  void callbackThrows() throws Exception {
    Cache<String, String> cache = stage.over(storage);
    Caller<String> leader = get(cache);
    GatedLoads.Load<String, String> load = storage.next();
    for (int i = 0; i < 5; i++) {
      cache
          .getAsync("a")
          .whenComplete(
              (value, failure) -> {
                throw new AssertionError("in a callback");
              });
    }
    CompletableFuture<@Nullable String> future = cache.getAsync("a");
    Caller<String> waiter = get(cache).awaitParked();
    load.returns("v");
    assertThat(leader.value()).isEqualTo("v");
    assertThat(waiter.value()).isEqualTo("v");
    assertThat(future.get()).isEqualTo("v");
  }

  @Test
  @DisplayName("F8: a bulk call that is interrupted while it waits affects nobody; its loads stay")
  void interruptedBulkWait() {
    Cache<String, String> cache = stage.over(storage);
    Caller<String> leader = get(cache);
    GatedLoads.Load<String, String> load = storage.next("a");
    Caller<Map<String, String>> bulk = stage.callers().start(() -> cache.getAll(List.of("a", "b")));
    storage.next("b").returns("w");
    bulk.awaitParked();
    Caller<String> waiter = get(cache).awaitParked();
    assertThat(cache.getIfPresent("b")).isEqualTo("w");
    bulk.interrupt().failure(CacheInterruptedException.class);
    assertThat(bulk.outcome().interrupted()).isTrue();
    load.returns("v");
    assertThat(leader.value()).isEqualTo("v");
    assertThat(waiter.value()).isEqualTo("v");
    assertThat(cache.asMap()).containsOnly(Map.entry("a", "v"), Map.entry("b", "w"));
    assertThat(storage.calls()).isEqualTo(2);
  }

  @Test
  @DisplayName("F8: waiters that leave while the load ends get the object or their exception")
  void leavingRacesTheEnd() {
    Cache<String, String> cache = stage.over(storage);
    for (int round = 0; round < 300; round++) {
      Caller<String> leader = get(cache);
      GatedLoads.Load<String, String> load = storage.next();
      List<Caller<String>> waiters = stage.callers().startParked(3, () -> cache.get("a"));
      Caller<Object> ender = stage.callers().run(() -> load.returns("v"));
      waiters.get(round % 3).interrupt();
      ender.value();
      assertThat(leader.value()).isEqualTo("v");
      for (int i = 0; i < 3; i++) {
        Caller<String> waiter = waiters.get(i);
        if (i != round % 3) {
          assertThat(waiter.value()).isEqualTo("v");
          assertThat(waiter.outcome().interrupted()).isFalse();
        } else {
          // An interrupt that comes when the thread has ended leaves no flag.
          if (waiter.outcome().failure() == null) {
            assertThat(waiter.value()).isEqualTo("v");
          } else {
            waiter.failure(CacheInterruptedException.class);
            assertThat(waiter.outcome().interrupted()).isTrue();
          }
        }
      }
      cache.invalidate("a");
    }
    assertThat(storage.calls()).isEqualTo(300);
  }
}
