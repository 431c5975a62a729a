package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.CollidingKey;
import io.latchkey.cache.testing.ManualTicker;
import io.latchkey.cache.testing.Stage;
import io.latchkey.storage.Storage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Readers race writers that change an object in the storage and then invalidate it. What a reader
 * gets may never be older than the newest change whose invalidation had returned before it asked.
 */
class FreshnessTest {
  private static final int KEYS = 16;
  private static final int WRITES = 30_000;
  private static final long SEED = 20_240_611;

  @RegisterExtension final Stage stage = new Stage();
  private final AtomicLongArray stored = new AtomicLongArray(KEYS);
  private final AtomicLongArray floor = new AtomicLongArray(KEYS);

  private interface Invalidation {
    void call(Cache<CollidingKey, Long> cache, CollidingKey key, SplittableRandom random);
  }

  private final Storage<CollidingKey, Long> storage = key -> stored.get(number(key));

  private static int number(CollidingKey key) {
    return Integer.parseInt(key.name().substring(1));
  }

  @Test
  @DisplayName("F2: racing gets never see what was invalidated before they began")
  void invalidate() {
    race(builder -> builder, (cache, key, random) -> cache.invalidate(key));
  }

  @Test
  @DisplayName("F3: racing gets never see what invalidateAll took before they began")
  void invalidateAll() {
    race(builder -> builder, (cache, key, random) -> cache.invalidateAll());
  }

  @Test
  @DisplayName("F2: every way to invalidate holds against racing gets, refreshes and evictions")
  void everyWay() {
    race(
        builder -> builder.maximumSize(KEYS / 2),
        (cache, key, random) -> {
          switch (random.nextInt(6)) {
            case 0 -> cache.invalidate(key);
            case 1 -> cache.invalidateAll(List.of(key));
            case 2 -> cache.invalidateAll();
            case 3 -> cache.remove(key);
            case 4 -> cache.asMap().remove(key);
            default -> cache.asMap().clear();
          }
        });
  }

  @Test
  @DisplayName("F2: the same with expiry and staleIfError")
  void withExpiry() {
    ManualTicker ticker = new ManualTicker();
    race(
        builder ->
            builder
                .expireAfterWrite(Duration.ofNanos(500))
                .refreshAfterWrite(Duration.ofNanos(100))
                .staleIfError(Duration.ofHours(1))
                .ticker(ticker),
        (cache, key, random) -> {
          ticker.advance(Duration.ofNanos(random.nextInt(100)));
          cache.invalidate(key);
        });
  }

  private void race(
      UnaryOperator<CacheBuilder<CollidingKey, Long>> options, Invalidation invalidation) {
    Cache<CollidingKey, Long> cache = stage.build(options.apply(Cache.over(storage)));
    AtomicBoolean over = new AtomicBoolean();
    List<Caller<Object>> readers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      SplittableRandom random = new SplittableRandom(SEED + i);
      readers.add(
          stage
              .callers()
              .start(
                  () -> {
                    while (!over.get()) {
                      read(cache, random);
                    }
                    return null;
                  }));
    }
    Caller<Object> writer =
        stage
            .callers()
            .run(
                () -> {
                  SplittableRandom random = new SplittableRandom(SEED - 1);
                  for (int i = 0; i < WRITES; i++) {
                    int number = random.nextInt(KEYS);
                    long version = stored.incrementAndGet(number);
                    invalidation.call(cache, CollidingKey.of(number), random);
                    floor.set(number, version);
                  }
                });
    try {
      writer.value();
    } finally {
      over.set(true);
    }
    readers.forEach(Caller::value);
    for (int i = 0; i < KEYS; i++) {
      assertThat(cache.get(CollidingKey.of(i))).isEqualTo(stored.get(i));
    }
  }

  private void read(Cache<CollidingKey, Long> cache, SplittableRandom random) throws Exception {
    int number = random.nextInt(KEYS);
    CollidingKey key = CollidingKey.of(number);
    long least = floor.get(number);
    Long seen =
        switch (random.nextInt(10)) {
          case 0 -> cache.getAsync(key).get();
          case 1 -> cache.getAll(List.of(key)).get(key);
          case 2 -> cache.getIfPresent(key);
          case 3 -> cache.refresh(key).get();
          case 4 -> cache.asMap().get(key);
          case 5 -> cache.get(key, Duration.ofHours(1));
          case 6 -> walk(cache, key);
          default -> cache.get(key);
        };
    if (seen != null && seen < least) {
      throw new AssertionError(
          "seed " + SEED + ": " + key + " read as " + seen + " after " + least + " was announced");
    }
  }

  private static Long walk(Cache<CollidingKey, Long> cache, CollidingKey key) {
    for (Map.Entry<CollidingKey, Long> entry : cache.asMap().entrySet()) {
      if (entry.getKey().equals(key)) {
        return entry.getValue();
      }
    }
    return Long.MAX_VALUE;
  }
}
