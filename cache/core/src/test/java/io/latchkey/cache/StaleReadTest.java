package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.CollidingKey;
import io.latchkey.cache.testing.ManualTicker;
import io.latchkey.cache.testing.MapStorage;
import io.latchkey.cache.testing.Stage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Versions of objects only grow. Whoever looks after a change was acknowledged must not see an
 * older version, whatever else goes on.
 */
class StaleReadTest {
  private static final int KEYS = 6;
  private static final int CHANGES = 3_000;

  @RegisterExtension final Stage stage = new Stage();

  private final MapStorage<CollidingKey, Long> storage = new MapStorage<>();
  private final ManualTicker ticker = new ManualTicker();

  /** The version of each key that every read from now on must at least give. */
  private final AtomicLongArray floor = new AtomicLongArray(KEYS);

  private final AtomicBoolean over = new AtomicBoolean();

  private static Arguments options(
      String name, UnaryOperator<CacheBuilder<CollidingKey, Long>> options) {
    return Arguments.of(name, options);
  }

  private static Stream<Arguments> caches() {
    Duration life = Duration.ofNanos(50);
    return Stream.of(
        options("plain", b -> b),
        options("bound of 3", b -> b.maximumSize(3)),
        options("bound of 0", b -> b.maximumSize(0)),
        options("time to live", b -> b.expireAfterWrite(life)),
        options(
            "time to idle, weights",
            b -> b.expireAfterAccess(life).maximumWeight(4).weigher((k, v) -> 1)),
        options("refresh", b -> b.refreshAfterWrite(Duration.ofNanos(5)).expireAfterWrite(life)),
        options("jitter", b -> b.expireAfterWrite(life).expiryJitter(1)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("caches")
  @DisplayName("F2, F18: no read goes back behind an acknowledged put or invalidation")
  void neverStale(String name, UnaryOperator<CacheBuilder<CollidingKey, Long>> options) {
    long seed = Long.getLong("latchkey.seed", System.nanoTime());
    System.out.println("StaleReadTest, " + name + ": latchkey.seed=" + seed);
    for (int k = 0; k < KEYS; k++) {
      storage.contents().put(CollidingKey.of(k), 0L);
    }
    Cache<CollidingKey, Long> cache =
        stage.build(options.apply(Cache.over(storage)).ticker(ticker).recordStats());
    List<Caller<Object>> readers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Random random = new Random(seed + i);
      readers.add(stage.callers().run(() -> readAll(cache, random)));
    }
    List<Caller<Object>> writers = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      int writer = i;
      Random random = new Random(~seed + i);
      writers.add(stage.callers().run(() -> writeAll(cache, random, writer)));
    }
    try {
      writers.forEach(Caller::value);
    } finally {
      over.set(true);
    }
    readers.forEach(Caller::value);
    for (int k = 0; k < KEYS; k++) {
      CollidingKey key = CollidingKey.of(k);
      assertThat(cache.get(key)).as("%s at rest", key).isEqualTo(storage.contents().get(key));
    }
  }

  private void writeAll(Cache<CollidingKey, Long> cache, Random random, int writer) {
    for (long version = 1; version <= CHANGES; version++) {
      // Each key has one writer, so that its versions grow.
      int k = writer + 2 * random.nextInt(KEYS / 2);
      CollidingKey key = CollidingKey.of(k);
      int way = random.nextInt(6);
      if (way < 3) {
        cache.put(key, version);
      } else if (way == 3) {
        cache.putAll(Map.of(key, version));
      } else {
        storage.contents().put(key, version);
        if (way == 4) {
          cache.invalidate(key);
        } else {
          cache.invalidateAll();
        }
      }
      floor.set(k, version);
      ticker.advance(Duration.ofNanos(random.nextInt(4)));
    }
  }

  private void readAll(Cache<CollidingKey, Long> cache, Random random) {
    while (!over.get()) {
      int k = random.nextInt(KEYS);
      CollidingKey key = CollidingKey.of(k);
      long least = floor.get(k);
      int way = random.nextInt(20);
      if (way < 10) {
        check(key, least, cache.get(key));
      } else if (way < 12) {
        Long present = cache.getIfPresent(key);
        check(key, least, present == null ? least : present);
      } else if (way < 14) {
        check(key, least, cache.getAsync(key).join());
      } else if (way < 16) {
        bulk(cache);
      } else if (way < 18) {
        check(key, least, cache.refresh(key).join());
      } else if (way == 18) {
        cache.asMap().remove(key);
      } else {
        cache.cleanUp();
      }
    }
  }

  private void bulk(Cache<CollidingKey, Long> cache) {
    Map<CollidingKey, Long> least = new HashMap<>();
    for (int k = 0; k < KEYS; k += 2) {
      least.put(CollidingKey.of(k), floor.get(k));
    }
    Map<CollidingKey, Long> got = cache.getAll(least.keySet());
    least.forEach((key, version) -> check(key, version, got.get(key)));
  }

  private static void check(CollidingKey key, long least, Long got) {
    assertThat(got).as("version of %s", key).isNotNull().isGreaterThanOrEqualTo(least);
  }
}
