package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.CollidingKey;
import io.latchkey.cache.testing.GatedLoads;
import io.latchkey.cache.testing.ManualTicker;
import io.latchkey.cache.testing.Patience;
import io.latchkey.cache.testing.Stage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class InvalidateAllTest {
  private static final Duration DAY = Duration.ofDays(1);

  /** The kinds of cache that keep their entries in different ways. */
  @SuppressWarnings("ImmutableEnumChecker")
  enum Kind {
    PLAIN(builder -> builder),
    BOUNDED(builder -> builder.maximumSize(1_000)),
    ZERO(builder -> builder.maximumSize(0)),
    WEIGHED(builder -> builder.maximumWeight(1_000).weigher((key, value) -> 1)),
    EXPIRING(builder -> builder.expireAfterWrite(DAY).ticker(new ManualTicker())),
    IDLING(builder -> builder.expireAfterAccess(DAY)),
    VARIABLE(builder -> builder.expireAfter((key, value, now) -> DAY.toNanos())),
    LISTENED(builder -> builder.removalListener((key, value, cause) -> {})),
    NEGATIVE(builder -> builder.cacheAbsentFor(DAY).cacheFailuresFor(DAY)),
    TIMED(builder -> builder.loadTimeout(DAY)),
    EVERYTHING(
        builder ->
            builder
                .maximumWeight(1_000)
                .weigher((key, value) -> 1)
                .expireAfterWrite(DAY)
                .expireAfterAccess(DAY)
                .refreshAfterWrite(DAY)
                .staleIfError(DAY)
                .expiryJitter(0.5)
                .removalListener((key, value, cause) -> {}));

    private final UnaryOperator<CacheBuilder<CollidingKey, String>> options;

    Kind(UnaryOperator<CacheBuilder<CollidingKey, String>> options) {
      this.options = options;
    }
  }

  @RegisterExtension final Stage stage = new Stage();
  private final GatedLoads<CollidingKey, String> storage = stage.loads();

  private Caller<String> get(Cache<CollidingKey, String> cache, int key) {
    return stage.callers().start(() -> cache.get(CollidingKey.of(key)));
  }

  @ParameterizedTest(name = "F3: invalidateAll on an empty {0} cache detaches what loads")
  @EnumSource(Kind.class)
  @DisplayName("F3: invalidateAll on an empty cache")
  void empty(Kind kind) {
    detachesAll(stage.build(kind.options.apply(Cache.over(storage)), storage), kind);
  }

  @ParameterizedTest(name = "F3: invalidateAll on a filled {0} cache takes objects and loads")
  @EnumSource(Kind.class)
  @DisplayName("F3: invalidateAll on a filled cache")
  void filled(Kind kind) {
    Cache<CollidingKey, String> cache =
        stage.build(kind.options.apply(Cache.over(storage)), storage);
    for (int i = 100; i < 150; i++) {
      cache.put(CollidingKey.of(i), "put");
    }
    detachesAll(cache, kind);
    Caller<String> again = get(cache, 120);
    storage.next(CollidingKey.of(120)).returns("loaded");
    assertThat(again.value()).isEqualTo("loaded");
  }

  private void detachesAll(Cache<CollidingKey, String> cache, Kind kind) {
    List<Caller<String>> old = new ArrayList<>();
    List<GatedLoads.Load<CollidingKey, String>> oldLoads = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      old.add(get(cache, i));
      oldLoads.add(storage.next(CollidingKey.of(i)));
      old.add(get(cache, i).awaitParked());
    }

    stage.callers().run(cache::invalidateAll).value();

    assertThat(cache.estimatedSize()).isZero();
    assertThat(cache.asMap()).isEmpty();
    for (int i = 0; i < 5; i++) {
      CollidingKey key = CollidingKey.of(i);
      Caller<String> fresh = get(cache, i);
      GatedLoads.Load<CollidingKey, String> load = storage.next(key);
      Caller<String> joined = get(cache, i).awaitParked();
      boolean oldFirst = i % 2 == 0;
      if (oldFirst) {
        oldLoads.get(i).returns("old");
        assertThat(old.get(2 * i).value()).isEqualTo("old");
      }
      load.returns("new");
      assertThat(fresh.value()).isEqualTo("new");
      assertThat(joined.value()).isEqualTo("new");
      if (!oldFirst) {
        oldLoads.get(i).returns("old");
        assertThat(old.get(2 * i).value()).isEqualTo("old");
      }
      assertThat(old.get(2 * i + 1).value()).isEqualTo("old");
      assertThat(cache.getIfPresent(key)).isEqualTo(kind == Kind.ZERO ? null : "new");
      assertThat(storage.calls(key)).isEqualTo(2);
    }
  }

  @Test
  @DisplayName("F3: negative entries go with the others")
  void negativeEntries() {
    Cache<CollidingKey, String> cache =
        stage.build(Cache.over(storage).cacheAbsentFor(DAY).cacheFailuresFor(DAY), storage);
    Caller<String> absent = get(cache, 1);
    storage.next(CollidingKey.of(1)).returns(null);
    assertThat(absent.value()).isNull();
    Caller<String> failed = get(cache, 2);
    storage.next(CollidingKey.of(2)).fails(new IllegalStateException("no"));
    failed.failure(CacheLoadException.class);

    cache.invalidateAll();

    for (int i = 1; i <= 2; i++) {
      Caller<String> again = get(cache, i);
      storage.next(CollidingKey.of(i)).returns("v");
      assertThat(again.value()).isEqualTo("v");
    }
  }

  @Test
  @DisplayName("F3: the listener is told of each object once, and of no load")
  void listenerIsToldOnce() {
    Map<CollidingKey, List<RemovalCause>> told = new ConcurrentHashMap<>();
    Cache<CollidingKey, String> cache =
        stage.build(
            Cache.over(storage)
                .executor(Runnable::run)
                .removalListener(
                    (key, value, cause) ->
                        told.computeIfAbsent(key, k -> new ArrayList<>()).add(cause)),
            storage);
    for (int i = 10; i < 20; i++) {
      cache.put(CollidingKey.of(i), "put");
    }
    Caller<String> leader = get(cache, 1);
    GatedLoads.Load<CollidingKey, String> load = storage.next();
    cache.invalidateAll();
    cache.invalidateAll();
    load.returns("old");
    leader.value();
    Patience.until(() -> "ten removals in " + told, () -> told.size() >= 10);
    assertThat(told).hasSize(10);
    assertThat(told.values()).containsOnly(List.of(RemovalCause.INVALIDATED));
  }
}
