package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.GatedLoads;
import io.latchkey.cache.testing.ManualExecutor;
import io.latchkey.cache.testing.ManualTicker;
import io.latchkey.cache.testing.MapStorage;
import io.latchkey.cache.testing.Stage;
import io.latchkey.storage.testkit.GatedBulkStorage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Expired objects in place of errors. */
class StaleTest {
  private static final Duration LIFE = Duration.ofNanos(100);
  private static final Duration GRACE = Duration.ofNanos(50);
  private static final Duration TICK = Duration.ofNanos(1);

  /** A storage that is up or down. */
  private static final class Shaky extends MapStorage<String, String> {
    private volatile boolean down;
    private volatile boolean interrupted;

    private void check() throws InterruptedException {
      if (interrupted) {
        interrupted = false;
        throw new InterruptedException();
      }
      if (down) {
        throw new IllegalStateException("down");
      }
    }

    @Override
    public @Nullable String load(String key) throws Exception {
      note("load " + key);
      check();
      return contents().get(key);
    }

    @Override
    public Map<String, String> loadAll(Set<? extends String> keys) throws Exception {
      note("loadAll " + sorted(keys));
      check();
      return found(keys);
    }
  }

  @RegisterExtension final Stage stage = new Stage();

  private final Shaky storage = new Shaky();
  private final ManualTicker ticker = new ManualTicker();
  private Cache<String, String> cache;

  private Cache<String, String> build(CacheBuilder<String, String> builder) {
    return stage.build(builder.staleIfError(GRACE).ticker(ticker).recordStats());
  }

  @BeforeEach
  void cached() {
    storage.holding("k", "old").holding("l", "old");
    cache = build(Cache.over(storage).expireAfterWrite(LIFE));
    cache.get("k");
    cache.get("l");
  }

  @Test
  @DisplayName("F8: a cancelled future of an expired object does not wait for its renewal any more")
  void cancelled() {
    ManualExecutor executor = new ManualExecutor();
    Cache<String, String> lone =
        build(Cache.over(storage).expireAfterWrite(LIFE).executor(executor));
    lone.get("k");
    ticker.advance(LIFE);
    CompletableFuture<?> future = lone.getAsync("k");
    assertThat(future.cancel(true)).isTrue();
    storage.interrupted = true;
    executor.runAll();
    assertThat(storage.count("load")).as("nobody waits for the load to be made again").isEqualTo(4);
    assertThat(lone.get("k")).isEqualTo("old");
    assertThat(storage.count("load")).isEqualTo(5);
  }

  @Test
  @DisplayName("E3: within the grace an expired object is given when its load fails, then no more")
  void grace() {
    storage.down = true;
    ticker.advance(LIFE);
    assertThat(cache.getIfPresent("k")).as("no load has failed").isNull();
    assertThat(cache.get("k")).isEqualTo("old");
    assertThat(cache.getAll(List.of("k", "l"))).isEqualTo(Map.of("k", "old", "l", "old"));
    assertThat(cache.getAsync("k").join()).isEqualTo("old");
    assertThat(cache.get("k", Duration.ofDays(1))).isEqualTo("old");
    assertThat(cache.getIfPresent("k")).isNull();
    assertThat(cache.asMap()).isEmpty();
    ticker.advance(GRACE.minus(TICK));
    assertThat(cache.get("k")).isEqualTo("old");
    ticker.advance(TICK);
    assertThatThrownBy(() -> cache.get("k")).isInstanceOf(CacheLoadException.class);
    assertThatThrownBy(() -> cache.getAll(List.of("l"))).isInstanceOf(CacheLoadException.class);
  }

  @Test
  @DisplayName("E3: each get past the life tries to load again; what it finds then counts")
  void triesAgain() {
    storage.down = true;
    ticker.advance(LIFE);
    for (int i = 1; i <= 3; i++) {
      assertThat(cache.get("k")).isEqualTo("old");
      assertThat(cache.stats().loadFailureCount()).isEqualTo(i);
    }
    storage.down = false;
    storage.holding("k", "new");
    assertThat(cache.get("k")).isEqualTo("new");
    ticker.advance(LIFE.minus(TICK));
    assertThat(cache.getIfPresent("k")).isEqualTo("new");
  }

  @Test
  @DisplayName("E3: a sweep leaves what is in its grace, and takes it after")
  void sweep() {
    storage.down = true;
    ticker.advance(LIFE.plus(GRACE).minus(TICK));
    cache.cleanUp();
    assertThat(cache.get("k")).isEqualTo("old");
    ticker.advance(TICK);
    cache.cleanUp();
    assertThat(cache.estimatedSize()).isZero();
    assertThatThrownBy(() -> cache.get("k")).isInstanceOf(CacheLoadException.class);
  }

  @Test
  @DisplayName("E3: absence is no error: the old object is not given")
  void absent() {
    storage.contents().remove("k");
    ticker.advance(LIFE);
    assertThat(cache.get("k")).isNull();
    storage.down = true;
    assertThatThrownBy(() -> cache.get("k")).isInstanceOf(CacheLoadException.class);
  }

  private static Arguments way(String name, Consumer<Cache<String, String>> call) {
    return Arguments.of(name, call);
  }

  private static Stream<Arguments> invalidations() {
    return Stream.of(
        way("invalidate", c -> c.invalidate("k")),
        way("invalidateAll of keys", c -> c.invalidateAll(List.of("k"))),
        way("invalidateAll", Cache::invalidateAll),
        way("remove", c -> c.remove("k")),
        way("asMap remove", c -> c.asMap().remove("k")),
        way("asMap clear", c -> c.asMap().clear()));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("invalidations")
  @DisplayName("F2: an invalidated object is not revived, be it expired before or after")
  void invalidated(String name, Consumer<Cache<String, String>> call) {
    storage.down = true;
    call.accept(cache);
    assertThatThrownBy(() -> cache.get("k")).as("fresh").isInstanceOf(CacheLoadException.class);
    storage.down = false;
    cached();
    storage.down = true;
    ticker.advance(LIFE);
    call.accept(cache);
    assertThatThrownBy(() -> cache.get("k")).as("expired").isInstanceOf(CacheLoadException.class);
  }

  @Test
  @DisplayName("F2: an invalidation during the load that fails: its object is not revived")
  void invalidatedDuringLoad() {
    GatedLoads<String, String> loads = stage.loads();
    Cache<String, String> gated = build(Cache.over(loads).expireAfterWrite(LIFE));
    gated.put("k", "old");
    ticker.advance(LIFE);
    Caller<String> before = stage.callers().start(() -> gated.get("k"));
    GatedLoads.Load<String, String> first = loads.next();
    gated.invalidate("k");
    Caller<String> after = stage.callers().start(() -> gated.get("k"));
    GatedLoads.Load<String, String> second = loads.next();
    first.fails(new IllegalStateException("down"));
    second.fails(new IllegalStateException("down"));
    after.failure(CacheLoadException.class);
    assertThat(before.outcome()).isNotNull();
    assertThat(gated.getIfPresent("k")).isNull();
  }

  @Test
  @DisplayName("E3, F6: all who wait for the load that fails get the old object, with one load")
  void waiters() {
    GatedLoads<String, String> loads = stage.loads();
    Cache<String, String> gated = build(Cache.over(loads).expireAfterWrite(LIFE));
    gated.put("k", "old");
    ticker.advance(LIFE);
    Caller<String> leader = stage.callers().start(() -> gated.get("k"));
    GatedLoads.Load<String, String> load = loads.next();
    List<Caller<String>> waiters = stage.callers().startParked(3, () -> gated.get("k"));
    load.fails(new IllegalStateException("down"));
    assertThat(leader.value()).isEqualTo("old");
    waiters.forEach(waiter -> assertThat(waiter.value()).isEqualTo("old"));
    assertThat(loads.calls()).isEqualTo(1);
  }

  @Test
  @DisplayName("E3: the grace is measured when the load fails, not when it began")
  void longLoad() {
    GatedLoads<String, String> loads = stage.loads();
    Cache<String, String> gated = build(Cache.over(loads).expireAfterWrite(LIFE));
    gated.put("k", "old");
    ticker.advance(LIFE);
    Caller<String> leader = stage.callers().start(() -> gated.get("k"));
    GatedLoads.Load<String, String> load = loads.next();
    ticker.advance(GRACE);
    load.fails(new IllegalStateException("down"));
    leader.failure(CacheLoadException.class);
  }

  @Test
  @DisplayName("E3: an object in its grace may be replaced by a put")
  void put() {
    storage.down = true;
    ticker.advance(LIFE);
    assertThat(cache.get("k")).isEqualTo("old");
    cache.put("k", "put");
    assertThat(cache.get("k")).isEqualTo("put");
    ticker.advance(LIFE);
    assertThat(cache.get("k")).isEqualTo("put");
  }

  @Test
  @DisplayName("E3: the grace also follows a time to idle and a life of each object's own")
  void otherLives() {
    for (CacheBuilder<String, String> builder :
        List.of(
            Cache.over(storage).expireAfterAccess(LIFE),
            Cache.over(storage).expireAfter((key, value, now) -> LIFE.toNanos()))) {
      storage.down = false;
      Cache<String, String> other = build(builder);
      other.get("k");
      storage.down = true;
      ticker.advance(LIFE);
      assertThat(other.getIfPresent("k")).isNull();
      assertThat(other.get("k")).isEqualTo("old");
      ticker.advance(GRACE);
      assertThatThrownBy(() -> other.get("k")).isInstanceOf(CacheLoadException.class);
    }
  }

  @Test
  @DisplayName("E3, F13: a bulk loads what is in its grace with the rest, in one loadAll")
  void bulk() {
    storage.holding("m", "old");
    ticker.advance(LIFE);
    storage.holding("k", "new");
    storage.forget();
    assertThat(cache.getAll(List.of("k", "l", "m")))
        .isEqualTo(Map.of("k", "new", "l", "old", "m", "old"));
    assertThat(storage.calls()).containsExactly("loadAll [k,l,m]");
    assertThat(cache.asMap()).containsOnlyKeys("k", "l", "m").containsEntry("k", "new");
  }

  @Test
  @DisplayName("E3, F13: a bulk that fails gives old objects, and fails for those that have none")
  void bulkFails() {
    storage.down = true;
    ticker.advance(LIFE);
    storage.forget();
    assertThat(cache.getAll(List.of("k", "l"))).isEqualTo(Map.of("k", "old", "l", "old"));
    assertThat(storage.calls()).containsExactly("loadAll [k,l]");
    assertThatThrownBy(() -> cache.getAll(List.of("k", "m")))
        .isInstanceOf(CacheLoadException.class);
    storage.down = false;
    assertThat(cache.getAll(List.of("k", "l", "m"))).hasSize(2);
  }

  @Test
  @DisplayName("E3, F7: with a loadTimeout the old object is given, too, whatever asks")
  void onExecutor() {
    Cache<String, String> timed =
        build(Cache.over(storage).expireAfterWrite(LIFE).loadTimeout(Duration.ofDays(1)));
    assertThat(timed.getAll(List.of("k", "l"))).hasSize(2);
    storage.down = true;
    ticker.advance(LIFE);
    assertThat(timed.get("k")).isEqualTo("old");
    assertThat(timed.getAll(List.of("k", "l"))).isEqualTo(Map.of("k", "old", "l", "old"));
    assertThat(timed.getAsync("l").join()).isEqualTo("old");
    storage.down = false;
    storage.holding("k", "new");
    assertThat(timed.getAll(List.of("k", "l"))).isEqualTo(Map.of("k", "new", "l", "old"));
  }

  @Test
  @DisplayName(
      "E3, F13: a single get that joined a bulk of objects in their grace gets the old one")
  void joinsBulk() {
    GatedBulkStorage<String, String> gated = stage.gated(new GatedBulkStorage<>());
    Cache<String, String> other = build(Cache.over(gated).expireAfterWrite(LIFE));
    other.putAll(Map.of("k", "old", "l", "old"));
    ticker.advance(LIFE);
    Caller<Map<String, String>> bulk =
        stage.callers().start(() -> other.getAll(List.of("k", "l", "x")));
    gated.awaitBulk();
    Caller<String> single = stage.callers().startParked(() -> other.get("k"));
    Caller<Map<String, String>> second =
        stage.callers().startParked(() -> other.getAll(List.of("l")));
    gated.failBulk(new IllegalStateException("down"));
    assertThat(single.value()).isEqualTo("old");
    assertThat(second.value()).isEqualTo(Map.of("l", "old"));
    bulk.failure(CacheLoadException.class);
    assertThat(gated.loads()).isZero();
  }

  @Test
  @DisplayName("E3: a grace without end, at a clock that jumps, neither overflows nor ends")
  void endless() {
    Cache<String, String> forever =
        stage.build(
            Cache.over(storage)
                .expireAfterWrite(LIFE)
                .staleIfError(Duration.ofSeconds(Long.MAX_VALUE))
                .ticker(ticker));
    forever.get("k");
    storage.down = true;
    ticker.advance(Duration.ofDays(200 * 365));
    forever.cleanUp();
    assertThat(forever.getIfPresent("k")).isNull();
    assertThat(forever.get("k")).isEqualTo("old");
  }
}
