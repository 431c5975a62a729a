package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.GatedLoads;
import io.latchkey.cache.testing.Stage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class FlightOwnershipTest {
  private static final Duration DAY = Duration.ofDays(1);

  /** How the old flight ends. */
  enum End {
    VALUE,
    ABSENT,
    FAILURE,
    INTERRUPT;

    void of(GatedLoads.Load<String, String> load) {
      switch (this) {
        case VALUE -> load.returns("old");
        case ABSENT -> load.returns(null);
        case FAILURE -> load.fails(new IllegalStateException("old"));
        case INTERRUPT -> load.fails(new InterruptedException("old"));
      }
      load.awaitLeft();
    }
  }

  @RegisterExtension final Stage stage = new Stage();
  private final GatedLoads<String, String> storage = stage.loads();

  /** Keeps negative outcomes, so that one of an old flight would show. */
  private Cache<String, String> cache() {
    return stage.build(
        Cache.over(storage).cacheAbsentFor(DAY).cacheFailuresFor(DAY).recordStats(), storage);
  }

  private Caller<String> get(Cache<String, String> cache) {
    return stage.callers().start(() -> cache.get("a"));
  }

  @ParameterizedTest(name = "F4: an old flight that ends with {0} touches no newer flight")
  @EnumSource(End.class)
  @DisplayName("F4: the old flight ends while the newer one loads")
  void oldEndsFirst(End end) {
    Cache<String, String> cache = cache();
    Caller<String> old = get(cache);
    GatedLoads.Load<String, String> oldLoad = storage.next();
    cache.invalidate("a");
    Caller<String> newer = get(cache);
    GatedLoads.Load<String, String> newLoad = storage.next();

    end.of(oldLoad);
    old.outcome();

    Caller<String> joined = get(cache).awaitParked();
    newLoad.returns("new");
    assertThat(newer.value()).isEqualTo("new");
    assertThat(joined.value()).isEqualTo("new");
    assertThat(cache.get("a")).isEqualTo("new");
    assertThat(storage.calls()).isEqualTo(2);
  }

  @ParameterizedTest(name = "F4: an old flight that ends with {0} touches no newer object")
  @EnumSource(End.class)
  @DisplayName("F4: the old flight ends after the newer one")
  void oldEndsLast(End end) {
    Cache<String, String> cache = cache();
    Caller<String> old = get(cache);
    GatedLoads.Load<String, String> oldLoad = storage.next();
    cache.invalidate("a");
    Caller<String> newer = get(cache);
    storage.next().returns("new");
    assertThat(newer.value()).isEqualTo("new");

    end.of(oldLoad);
    old.outcome();

    assertThat(cache.getIfPresent("a")).isEqualTo("new");
    assertThat(cache.get("a")).isEqualTo("new");
    assertThat(cache.estimatedSize()).isEqualTo(1);
    assertThat(storage.calls()).isEqualTo(2);
  }

  @ParameterizedTest(name = "F4: an old flight that ends with {0} touches no newer negative entry")
  @EnumSource(End.class)
  @DisplayName("F4: the old flight ends after the newer one failed")
  void oldEndsAfterFailure(End end) {
    Cache<String, String> cache = cache();
    Caller<String> old = get(cache);
    GatedLoads.Load<String, String> oldLoad = storage.next();
    cache.invalidate("a");
    IllegalStateException failure = new IllegalStateException("new");
    Caller<String> newer = get(cache);
    storage.next().fails(failure);
    newer.failure(CacheLoadException.class);

    end.of(oldLoad);
    old.outcome();

    assertThat(get(cache).failure(CacheLoadException.class)).hasCause(failure);
    assertThat(storage.calls()).isEqualTo(2);
  }

  @ParameterizedTest(name = "F4: an old flight that ends with {0} touches no object put since")
  @EnumSource(End.class)
  @DisplayName("F4: the old flight ends after a put")
  void oldEndsAfterPut(End end) {
    Cache<String, String> cache = cache();
    Caller<String> old = get(cache);
    GatedLoads.Load<String, String> oldLoad = storage.next();
    cache.invalidate("a");
    cache.put("a", "put");

    end.of(oldLoad);
    old.outcome();

    assertThat(cache.get("a")).isEqualTo("put");
    assertThat(storage.calls()).isEqualTo(1);
  }

  @ParameterizedTest(name = "F4: an old flight that ends with {0} does not come back")
  @EnumSource(End.class)
  @DisplayName("F4: the old flight ends after the newer one was invalidated too")
  void oldEndsAfterSecondInvalidation(End end) {
    Cache<String, String> cache = cache();
    Caller<String> old = get(cache);
    GatedLoads.Load<String, String> oldLoad = storage.next();
    cache.invalidate("a");
    Caller<String> newer = get(cache);
    storage.next().returns("new");
    newer.value();
    cache.invalidate("a");

    end.of(oldLoad);
    old.outcome();

    assertThat(cache.getIfPresent("a")).isNull();
    assertThat(cache.estimatedSize()).isZero();
    Caller<String> last = get(cache);
    storage.next().returns("last");
    assertThat(last.value()).isEqualTo("last");
  }

  @ParameterizedTest(
      name = "F4: an old load on the executor that ends with {0} touches nothing newer")
  @EnumSource(End.class)
  @DisplayName("F4: the old flight runs on the executor")
  void oldRunsOnTheExecutor(End end) throws Exception {
    Cache<String, String> cache = cache();
    CompletableFuture<@Nullable String> old = cache.getAsync("a");
    GatedLoads.Load<String, String> oldLoad = storage.next();
    cache.invalidate("a");
    CompletableFuture<@Nullable String> newer = cache.getAsync("a");
    GatedLoads.Load<String, String> newLoad = storage.next();

    end.of(oldLoad);
    if (end == End.INTERRUPT) {
      // Somebody waits for the old flight still, so its load is made again.
      storage.next().returns("old");
    }
    old.handle((value, failure) -> value).get();
    assertThat(newer).isNotDone();
    newLoad.returns("new");

    assertThat(newer.get()).isEqualTo("new");
    assertThat(cache.get("a")).isEqualTo("new");
  }

  static Stream<List<Integer>> orders() {
    return permutations(List.of(0, 1, 2, 3)).stream();
  }

  private static List<List<Integer>> permutations(List<Integer> items) {
    if (items.isEmpty()) {
      return List.of(List.of());
    }
    List<List<Integer>> all = new ArrayList<>();
    for (Integer first : items) {
      List<Integer> rest = new ArrayList<>(items);
      rest.remove(first);
      for (List<Integer> tail : permutations(rest)) {
        List<Integer> whole = new ArrayList<>(List.of(first));
        whole.addAll(tail);
        all.add(whole);
      }
    }
    return all;
  }

  @ParameterizedTest(name = "F4: four flights of a key ending in the order {0}")
  @MethodSource("orders")
  @DisplayName("F4: four flights of a key end in every order")
  void everyOrder(List<Integer> order) {
    Cache<String, String> cache = cache();
    List<GatedLoads.Load<String, String>> loads = new ArrayList<>();
    List<Caller<String>> leaders = new ArrayList<>();
    List<Caller<String>> waiters = new ArrayList<>();
    for (int flight = 0; flight < 4; flight++) {
      if (flight > 0) {
        cache.invalidate("a");
      }
      leaders.add(get(cache));
      loads.add(storage.next());
      waiters.add(get(cache).awaitParked());
    }
    boolean newestEnded = false;
    for (int flight : order) {
      loads.get(flight).returns("v" + flight);
      assertThat(leaders.get(flight).value()).isEqualTo("v" + flight);
      assertThat(waiters.get(flight).value()).isEqualTo("v" + flight);
      newestEnded |= flight == 3;
      assertThat(cache.getIfPresent("a")).isEqualTo(newestEnded ? "v3" : null);
    }
    assertThat(storage.calls()).isEqualTo(4);
    assertThat(cache.estimatedSize()).isEqualTo(1);
  }

  @Test
  @DisplayName("F4: waiters of an old flight are not given the newer flight's object")
  void oldWaitersKeepTheirFlight() {
    Cache<String, String> cache = cache();
    Caller<String> old = get(cache);
    GatedLoads.Load<String, String> oldLoad = storage.next();
    List<Caller<String>> oldWaiters = stage.callers().startParked(10, () -> cache.get("a"));
    cache.invalidate("a");
    Caller<String> newer = get(cache);
    GatedLoads.Load<String, String> newLoad = storage.next();
    List<Caller<String>> newWaiters = stage.callers().startParked(10, () -> cache.get("a"));

    newLoad.returns("new");
    assertThat(newer.value()).isEqualTo("new");
    for (Caller<String> waiter : newWaiters) {
      assertThat(waiter.value()).isEqualTo("new");
    }
    assertThat(oldWaiters).noneMatch(Caller::ended);
    oldLoad.returns("old");
    assertThat(old.value()).isEqualTo("old");
    for (Caller<String> waiter : oldWaiters) {
      assertThat(waiter.value()).isEqualTo("old");
    }
    assertThat(cache.get("a")).isEqualTo("new");
  }
}
