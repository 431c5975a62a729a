package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.GatedLoads;
import io.latchkey.cache.testing.GatedLoads.Interrupts;
import io.latchkey.cache.testing.Sneaky;
import io.latchkey.cache.testing.Stage;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class InterruptionTest {
  @RegisterExtension final Stage stage = new Stage();
  private final GatedLoads<String, String> storage = stage.loads();

  private Caller<String> get(Cache<String, String> cache) {
    return stage.callers().start(() -> cache.get("a"));
  }

  /** What a load may throw to say that it was interrupted, in the open and deep down. */
  static Stream<Throwable> interruptions() {
    return Stream.of(
            new InterruptedException(),
            new ClosedByInterruptException(),
            new InterruptedIOException())
        .flatMap(
            interruption ->
                Stream.of(
                    interruption,
                    new RuntimeException(interruption),
                    new Error(new IllegalStateException(new ExecutionException(interruption)))));
  }

  @ParameterizedTest(name = "F7: {0} interrupts a lone leader; the next get loads")
  @MethodSource("interruptions")
  @DisplayName("F7: an interrupted load without waiters")
  void loneLeader(Throwable interruption) {
    Cache<String, String> cache = stage.over(storage);
    Caller<String> leader = get(cache);
    storage.next().fails(interruption);

    CacheInterruptedException thrown = leader.failure(CacheInterruptedException.class);
    assertThat(thrown).hasStackTraceContaining(interruption.getClass().getName());
    assertThat(leader.outcome().interrupted()).isTrue();
    assertThat(cache.getIfPresent("a")).isNull();
    assertThat(cache.estimatedSize()).isZero();
    Caller<String> next = get(cache);
    storage.next().returns("v");
    assertThat(next.value()).isEqualTo("v");
    assertThat(next.outcome().interrupted()).isFalse();
    assertThat(cache.stats().loadAbandonedCount()).isEqualTo(1);
    assertThat(cache.stats().loadFailureCount()).isZero();
    assertThat(cache.stats().loadSuccessCount()).isEqualTo(1);
  }

  @ParameterizedTest(name = "F7: {0} interrupts the leader; one waiter loads for all others")
  @MethodSource("interruptions")
  @DisplayName("F7: an interrupted load with waiters")
  void oneWaiterIsPromoted(Throwable interruption) throws Exception {
    Cache<String, String> cache = stage.over(storage);
    Caller<String> leader = get(cache);
    GatedLoads.Load<String, String> load = storage.next();
    List<Caller<String>> waiters = stage.callers().startParked(5, () -> cache.get("a"));
    CompletableFuture<@Nullable String> future = cache.getAsync("a");
    load.fails(interruption);

    leader.failure(CacheInterruptedException.class);
    assertThat(leader.outcome().interrupted()).isTrue();
    GatedLoads.Load<String, String> again = storage.next();
    assertThat(load.left()).isTrue();
    assertThat(waiters).extracting(Caller::thread).contains(again.thread());
    assertThat(waiters).noneMatch(Caller::ended);
    again.returns("v");
    for (Caller<String> waiter : waiters) {
      assertThat(waiter.value()).isEqualTo("v");
      assertThat(waiter.outcome().interrupted()).isFalse();
    }
    assertThat(future.get()).isEqualTo("v");
    assertThat(cache.get("a")).isEqualTo("v");
    assertThat(storage.calls()).isEqualTo(2);
    assertThat(storage.overlap("a")).isEqualTo(1);
  }

  @Test
  @DisplayName("F7: any exception counts as interruption while the flag is set")
  void flagDecides() {
    Cache<String, String> cache = stage.over(storage);
    Caller<String> leader = get(cache);
    GatedLoads.Load<String, String> load = storage.next();
    Caller<String> waiter = get(cache).awaitParked();
    IOException broken = new IOException("connection reset");
    load.runs(
        () -> {
          Thread.currentThread().interrupt();
          return Sneaky.raise(broken);
        });
    assertThat(leader.failure(CacheInterruptedException.class)).hasCause(broken);
    assertThat(leader.outcome().interrupted()).isTrue();
    storage.next().returns("v");
    assertThat(waiter.value()).isEqualTo("v");
  }

  @Test
  @DisplayName("F7: a load that succeeds is a success, though its thread's flag is set")
  void successInSpiteOfTheFlag() {
    GatedLoads<String, String> keeping = stage.loads(Interrupts.KEEP);
    Cache<String, String> cache = stage.over(keeping);
    Caller<String> leader = get(cache);
    GatedLoads.Load<String, String> load = keeping.next();
    Caller<String> waiter = get(cache).awaitParked();
    leader.interrupt();
    load.returns("v");
    assertThat(leader.value()).isEqualTo("v");
    assertThat(leader.outcome().interrupted()).isTrue();
    assertThat(waiter.value()).isEqualTo("v");
    assertThat(waiter.outcome().interrupted()).isFalse();
    assertThat(cache.get("a")).isEqualTo("v");
    assertThat(keeping.calls()).isEqualTo(1);
  }

  @Test
  @DisplayName("F7: a load that finds nothing is an outcome, though its thread's flag is set")
  void absenceInSpiteOfTheFlag() {
    GatedLoads<String, String> keeping = stage.loads(Interrupts.KEEP);
    Cache<String, String> cache = stage.over(keeping);
    Caller<String> leader = get(cache);
    GatedLoads.Load<String, String> load = keeping.next();
    Caller<String> waiter = get(cache).awaitParked();
    leader.interrupt();
    load.returns(null);
    assertThat(leader.value()).isNull();
    assertThat(leader.outcome().interrupted()).isTrue();
    assertThat(waiter.value()).isNull();
    assertThat(keeping.calls()).isEqualTo(1);
  }

  @Test
  @DisplayName("F7: a load that swallows the flag and returns is a success")
  void swallowedAndReturned() {
    GatedLoads<String, String> swallowing = stage.loads(Interrupts.SWALLOW);
    Cache<String, String> cache = stage.over(swallowing);
    Caller<String> leader = get(cache);
    GatedLoads.Load<String, String> load = swallowing.next();
    Caller<String> waiter = get(cache).awaitParked();
    leader.interrupt();
    load.returns("v");
    assertThat(leader.value()).isEqualTo("v");
    assertThat(waiter.value()).isEqualTo("v");
    assertThat(swallowing.calls()).isEqualTo(1);
  }

  @Test
  @DisplayName("F7: a load that swallows the flag and throws is a failure")
  void swallowedAndFailed() {
    Cache<String, String> cache = stage.over(storage);
    Caller<String> leader = get(cache);
    GatedLoads.Load<String, String> load = storage.next();
    Caller<String> waiter = get(cache).awaitParked();
    load.runs(
        () -> {
          Thread.currentThread().interrupt();
          Thread.interrupted();
          throw new IOException("no");
        });
    leader.failure(CacheLoadException.class);
    assertThat(leader.outcome().interrupted()).isFalse();
    waiter.failure(CacheLoadException.class);
    assertThat(storage.calls()).isEqualTo(1);
  }

  @Test
  @DisplayName("F7: nobody is promoted before the interrupted load has returned")
  void promotedOnlyAfterReturn() {
    GatedLoads<String, String> keeping = stage.loads(Interrupts.KEEP);
    Cache<String, String> cache = stage.over(keeping);
    Caller<String> leader = get(cache);
    GatedLoads.Load<String, String> load = keeping.next();
    List<Caller<String>> waiters = stage.callers().startParked(3, () -> cache.get("a"));
    leader.interrupt();
    Caller<String> late = get(cache).awaitParked();
    assertThat(keeping.calls()).isEqualTo(1);
    load.fails(new IOException("closed"));
    leader.failure(CacheInterruptedException.class);
    keeping.next().returns("v");
    assertThat(late.value()).isEqualTo("v");
    for (Caller<String> waiter : waiters) {
      assertThat(waiter.value()).isEqualTo("v");
    }
    assertThat(keeping.overlap("a")).isEqualTo(1);
    assertThat(keeping.calls()).isEqualTo(2);
  }

  @Test
  @DisplayName("F7: each promoted waiter may be interrupted in turn; the last one loads")
  void promotionsInARow() {
    Cache<String, String> cache = stage.over(storage);
    Map<Thread, Caller<String>> callers = new java.util.HashMap<>();
    Caller<String> leader = get(cache);
    callers.put(leader.thread(), leader);
    storage.next();
    List<Caller<String>> waiters = stage.callers().startParked(6, () -> cache.get("a"));
    waiters.forEach(waiter -> callers.put(waiter.thread(), waiter));

    GatedLoads.Load<String, String> load;
    leader.interrupt().failure(CacheInterruptedException.class);
    callers.remove(leader.thread());
    while (true) {
      load = storage.next();
      assertThat(callers).containsKey(load.thread());
      if (callers.size() == 1) {
        break;
      }
      Caller<String> promoted = callers.remove(load.thread());
      promoted.interrupt().failure(CacheInterruptedException.class);
      assertThat(promoted.outcome().interrupted()).isTrue();
    }
    load.returns("v");
    assertThat(callers.get(load.thread()).value()).isEqualTo("v");
    assertThat(storage.calls()).isEqualTo(7);
    assertThat(storage.overlap("a")).isEqualTo(1);
  }

  @Test
  @DisplayName("F7: only a waiter that is still there is promoted")
  void thoseWhoLeftAreNotPromoted() {
    Cache<String, String> cache = stage.over(storage);
    Caller<String> leader = get(cache);
    storage.next();
    List<Caller<String>> waiters = stage.callers().startParked(9, () -> cache.get("a"));
    Caller<String> last = waiters.get(4);
    for (Caller<String> waiter : waiters) {
      if (waiter != last) {
        waiter.interrupt().failure(CacheInterruptedException.class);
      }
    }
    leader.interrupt().failure(CacheInterruptedException.class);
    GatedLoads.Load<String, String> load = storage.next();
    assertThat(load.thread()).isSameAs(last.thread());
    load.returns("v");
    assertThat(last.value()).isEqualTo("v");
    assertThat(storage.calls()).isEqualTo(2);
  }

  @Test
  @DisplayName("F7: when all have left and the leader is interrupted, the next get starts over")
  void allLeft() {
    Cache<String, String> cache = stage.over(storage);
    Caller<String> leader = get(cache);
    storage.next();
    List<Caller<String>> waiters = stage.callers().startParked(3, () -> cache.get("a"));
    waiters.forEach(waiter -> waiter.interrupt().failure(CacheInterruptedException.class));
    leader.interrupt().failure(CacheInterruptedException.class);
    assertThat(storage.calls()).isEqualTo(1);
    Caller<String> next = get(cache);
    storage.next().returns("v");
    assertThat(next.value()).isEqualTo("v");
  }

  @Test
  @DisplayName("F7: a leader whose flag is set before it begins is interrupted by its load")
  void interruptedBefore() {
    Cache<String, String> cache = stage.over(storage);
    Caller<String> leader = stage.callers().startInterrupted(() -> cache.get("a"));
    leader.failure(CacheInterruptedException.class);
    assertThat(leader.outcome().interrupted()).isTrue();
    Caller<String> next = get(cache);
    Caller<String> joined = get(cache);
    GatedLoads.Load<String, String> load;
    do {
      load = storage.next();
    } while (load.left());
    load.returns("v");
    assertThat(next.value()).isEqualTo("v");
    assertThat(joined.value()).isEqualTo("v");
  }

  @Test
  @DisplayName("F7: a hit and a load that does not block work in an interrupted thread")
  void interruptedThreadMayHit() {
    Cache<String, String> cache = stage.build(Cache.over(key -> "v"));
    for (int i = 0; i < 2; i++) {
      Caller<String> caller = stage.callers().startInterrupted(() -> cache.get("a"));
      assertThat(caller.value()).isEqualTo("v");
      assertThat(caller.outcome().interrupted()).isTrue();
    }
  }

  @Test
  @DisplayName("F7: the leader of a bulk is interrupted; a waiter loads its key")
  void interruptedBulk() {
    Cache<String, String> cache = stage.over(storage);
    Caller<Map<String, String>> bulk = stage.callers().start(() -> cache.getAll(List.of("a")));
    storage.next();
    Caller<String> waiter = get(cache).awaitParked();
    bulk.interrupt().failure(CacheInterruptedException.class);
    assertThat(bulk.outcome().interrupted()).isTrue();
    GatedLoads.Load<String, String> again = storage.next();
    again.returns("v");
    assertThat(waiter.value()).isEqualTo("v");
    assertThat(storage.overlap("a")).isEqualTo(1);
  }

  @Test
  @DisplayName("F7: a bulk call that waits is promoted too")
  void bulkIsPromoted() {
    Cache<String, String> cache = stage.over(storage);
    Caller<String> leader = get(cache);
    storage.next();
    Caller<Map<String, String>> bulk =
        stage.callers().startParked(() -> cache.getAll(List.of("a")));
    leader.interrupt().failure(CacheInterruptedException.class);
    storage.next().returns("v");
    assertThat(bulk.value()).containsOnly(Map.entry("a", "v"));
  }

  @Test
  @DisplayName("F7: when only a future waits, the interrupted load is made again on the executor")
  void onlyAFutureWaits() throws Exception {
    Cache<String, String> cache = stage.over(storage);
    Caller<String> leader = get(cache);
    storage.next();
    CompletableFuture<@Nullable String> future = cache.getAsync("a");
    leader.interrupt().failure(CacheInterruptedException.class);
    GatedLoads.Load<String, String> again = storage.next();
    assertThat(again.thread()).isNotSameAs(leader.thread());
    again.returns("v");
    assertThat(future.get()).isEqualTo("v");
    assertThat(storage.overlap("a")).isEqualTo(1);
  }

  @Test
  @DisplayName(
      "F7: of many futures those not cancelled are served after the leader was interrupted")
  void someFuturesLeft() throws Exception {
    Cache<String, String> cache = stage.over(storage);
    List<CompletableFuture<@Nullable String>> futures = new ArrayList<>();
    Caller<String> leader = get(cache);
    storage.next();
    for (int i = 0; i < 20; i++) {
      futures.add(cache.getAsync("a"));
    }
    for (int i = 0; i < 20; i += 2) {
      futures.get(i).cancel(true);
    }
    leader.interrupt().failure(CacheInterruptedException.class);
    storage.next().returns("v");
    for (int i = 1; i < 20; i += 2) {
      assertThat(futures.get(i).get()).isEqualTo("v");
    }
    assertThat(storage.calls()).isEqualTo(2);
  }
}
