package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.CollidingKey;
import io.latchkey.cache.testing.ManualTicker;
import io.latchkey.cache.testing.Patience;
import io.latchkey.cache.testing.Stage;
import io.latchkey.storage.WritableStorage;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * All operations from eight threads on small caches, with loads that fail, are interrupted and find
 * nothing, a clock that jumps, bounds that change and callers that leave. Afterwards the books must
 * agree with each other and with the storage, and nothing may be left that nobody needs.
 *
 * <p>{@code -Dlatchkey.soak=N} makes N thousand calls a thread instead of a few, for a run of
 * minutes.
 */
@Timeout(3600) // seconds
class SoakTest {
  private static final int THREADS = 8;
  private static final int CALLS = Integer.getInteger("latchkey.soak", 6) * 1_000;
  private static final int KEYS = 400;
  private static final Duration LIFE = Duration.ofNanos(400);

  /** An object that knows whose it is, and is found out if it outlives the caches. */
  private record Held(Object key, byte[] ballast) {
    Held(Object key) {
      this(key, new byte[64]);
    }
  }

  /** A storage that answers, finds nothing or fails, and counts its calls. */
  private static final class Moody implements WritableStorage<Object, Held> {
    final ConcurrentMap<Object, Boolean> absent = new ConcurrentHashMap<>();
    final LongAdder loads = new LongAdder();
    final ConcurrentLinkedQueue<WeakReference<Held>> made = new ConcurrentLinkedQueue<>();

    @Override
    public @Nullable Held load(Object key) throws Exception {
      loads.increment();
      int mood = ThreadLocalRandom.current().nextInt(100);
      if (mood == 0) {
        throw new IllegalStateException("a bad day");
      } else if (mood == 1) {
        throw new InterruptedException("made up");
      } else if (mood < 12) {
        Thread.yield();
      }
      return absent.containsKey(key) ? null : note(new Held(key));
    }

    Held note(Held object) {
      if (ThreadLocalRandom.current().nextInt(64) == 0) {
        made.add(new WeakReference<>(object));
      }
      return object;
    }

    @Override
    public void store(Object key, Held value) {
      if (ThreadLocalRandom.current().nextInt(50) == 0) {
        throw new IllegalStateException("the disk is full");
      }
      absent.remove(key);
    }

    @Override
    public void delete(Object key) {
      absent.put(key, true);
    }
  }

  @RegisterExtension final Stage stage = new Stage();

  private final Moody storage = new Moody();
  private final ManualTicker ticker = new ManualTicker();
  private final LongAdder lookUps = new LongAdder();

  private static Arguments options(String name, UnaryOperator<CacheBuilder<Object, Held>> options) {
    return Arguments.of(name, options);
  }

  private static Stream<Arguments> caches() {
    Expiry<Object, Held> expiry =
        new Expiry<>() {
          @Override
          public long afterWrite(Object key, Held value, long now) {
            return key.hashCode() % 3 == 0 ? Long.MAX_VALUE : 300;
          }

          @Override
          public long afterRead(Object key, Held value, long now, long remaining) {
            return key.hashCode() % 2 == 0 ? 500 : remaining;
          }
        };
    return Stream.of(
        options("grows without a bound", b -> b),
        options("bound of 60", b -> b.maximumSize(60)),
        options(
            "weights and time to live",
            b -> b.maximumWeight(200).weigher(SoakTest::weight).expireAfterWrite(LIFE)),
        options(
            "all kinds of time",
            b ->
                b.maximumSize(100)
                    .expireAfterWrite(LIFE)
                    .expireAfterAccess(LIFE)
                    .expiryJitter(0.3)
                    .refreshAfterWrite(Duration.ofNanos(100))
                    .staleIfError(Duration.ofNanos(200))
                    .cacheAbsentFor(LIFE)
                    .cacheFailuresFor(Duration.ofNanos(50))),
        options("expiry of each its own", b -> b.maximumSize(50).expireAfter(expiry)),
        options("time-out of loads", b -> b.maximumSize(60).loadTimeout(Duration.ofMinutes(10))));
  }

  private static int weight(Object key, Held value) {
    return 1 + Math.floorMod(key.hashCode(), 5);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("caches")
  @DisplayName("F1-F18, E1-E5: after all operations from all threads the books are right")
  void soak(String name, UnaryOperator<CacheBuilder<Object, Held>> options) {
    long seed = Long.getLong("latchkey.seed", System.nanoTime());
    System.out.println("SoakTest, " + name + ": latchkey.seed=" + seed);
    LongAdder removals = new LongAdder();
    Cache<Object, Held> cache =
        stage.build(
            options
                .apply(Cache.over(storage))
                .name("soak")
                .ticker(ticker)
                .recordStats()
                .removalListener((key, value, cause) -> removals.increment()));
    List<Caller<Object>> callers = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      Random random = new Random(seed + i);
      callers.add(stage.callers().run(() -> work(cache, random)));
    }
    callers.forEach(Caller::value);
    atRest(cache);
    cache.invalidateAll();
    cache.cleanUp();
    assertThat(cache.estimatedSize()).isZero();
    assertThat(cache.asMap()).isEmpty();
    Patience.until(
        "no object is held that the cache does not have",
        () -> {
          System.gc();
          return storage.made.stream().allMatch(made -> made.refersTo(null));
        });
    assertThat(removals.sum()).isPositive();
    cache.close();
    Patience.until(
        "the threads of the cache end",
        () ->
            Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith("latchkey-soak")));
  }

  /** When nothing is under way the counts are exact. */
  private void atRest(Cache<Object, Held> cache) {
    Patience.until(
        () -> "each of " + storage.loads + " loads is counted once: " + cache.stats(),
        () -> {
          CacheStats stats = cache.stats();
          long counted =
              stats.loadSuccessCount() + stats.loadFailureCount() + stats.loadAbandonedCount();
          return counted == storage.loads.sum();
        });
    CacheStats stats = cache.stats();
    assertThat(stats.hitCount() + stats.missCount()).isEqualTo(lookUps.sum());
    cache.cleanUp();
    long maximum = cache.policy().maximum();
    assertThat(cache.estimatedSize()).isLessThanOrEqualTo(maximum);
    cache.asMap().forEach((key, value) -> assertThat(value.key()).isEqualTo(key));
  }

  private void work(Cache<Object, Held> cache, Random random) {
    for (int i = 0; i < CALLS; i++) {
      try {
        call(cache, random, key(random));
      } catch (CacheException | CompletionException | CancellationException expected) {
        Thread.interrupted(); // set by a load that said it was interrupted
      }
    }
  }

  /** Skewed, so that some keys are asked for by all threads at once; a third of them collide. */
  private static Object key(Random random) {
    int k = (int) (KEYS * Math.pow(random.nextDouble(), 3));
    return k % 3 == 0 ? CollidingKey.of(k) : Integer.valueOf(k);
  }

  private void call(Cache<Object, Held> cache, Random random, Object key) {
    switch (random.nextInt(24)) {
      case 0 -> cache.put(key, storage.note(new Held(key)));
      case 1 -> {
        Object other = key(random);
        cache.putAll(Map.of(key, new Held(key), other.equals(key) ? "x" : other, held(other, key)));
      }
      case 2 -> cache.remove(key);
      case 3 -> cache.invalidate(key);
      case 4 -> cache.invalidateAll(List.of(key, key(random)));
      case 5 -> cache.asMap().computeIfPresent(key, (k, old) -> new Held(k));
      case 6 -> cache.asMap().putIfAbsent(key, new Held(key));
      case 7 -> check(key, cache.refresh(key).join());
      case 8 -> cache.prefetch(List.of(key, key(random), key(random)));
      case 9 -> ticker.advance(Duration.ofNanos(random.nextInt(30)));
      case 10 -> rare(cache, random);
      case 11 -> {
        lookUps.increment();
        check(key, cache.getIfPresent(key));
      }
      case 12 -> {
        lookUps.increment();
        check(key, cache.get(key, Duration.ofNanos(random.nextInt(1_000_000))));
      }
      case 13, 14 -> {
        lookUps.increment();
        CompletableFuture<Held> future = cache.getAsync(key);
        if (random.nextInt(4) == 0) {
          future.cancel(true);
        }
        check(key, future.join());
      }
      case 15 -> bulk(cache, random);
      default -> {
        lookUps.increment();
        check(key, cache.get(key));
      }
    }
  }

  private static Held held(Object other, Object key) {
    return new Held(other.equals(key) ? "x" : other);
  }

  private void rare(Cache<Object, Held> cache, Random random) {
    switch (random.nextInt(20)) {
      case 0 -> cache.invalidateAll();
      case 1 -> cache.cleanUp();
      case 2 -> ticker.advance(Duration.ofDays(400));
      case 3 -> Thread.currentThread().interrupt();
      case 4 -> {
        long maximum = cache.policy().maximum();
        if (maximum < 1_000) {
          cache.policy().setMaximum(maximum / 2 + random.nextInt(100));
        }
      }
      case 5 -> assertThat(cache.policy().hottest(10)).hasSizeLessThanOrEqualTo(10);
      default -> cache.estimatedSize();
    }
  }

  private void bulk(Cache<Object, Held> cache, Random random) {
    Map<Object, Boolean> keys = new HashMap<>();
    for (int i = 0; i < 6; i++) {
      keys.put(key(random), true);
    }
    lookUps.add(keys.size());
    cache.getAll(keys.keySet()).forEach(SoakTest::check);
  }

  private static void check(Object key, @Nullable Held got) {
    if (got != null && !got.key().equals(key)) {
      fail("asked for %s and got %s", key, got.key());
    }
  }
}
