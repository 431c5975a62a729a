package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.Callers;
import io.latchkey.cache.testing.CollidingKey;
import io.latchkey.cache.testing.Patience;
import io.latchkey.cache.testing.Stage;
import io.latchkey.storage.Storage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Calls the cache at each depth of a stack that has run out, from the deepest up, so that every
 * statement on the way meets the overflow once. Afterwards each key must work in a fresh thread.
 */
class StackExhaustionTest {
  private static final int STACK = 192 << 10;
  private static final int ENOUGH = 12;

  @RegisterExtension final Stage stage = new Stage();
  private final Callers shallow =
      new Callers(
          task -> {
            Thread thread = new Thread(null, task, "shallow", STACK);
            thread.setDaemon(true);
            return thread;
          });

  /** The calls that must leave the cache usable. */
  @SuppressWarnings("ImmutableEnumChecker")
  enum Call {
    GET(Cache::get),
    TIMED((cache, key) -> cache.get(key, Duration.ofHours(1))),
    ASYNC(Cache::getAsync),
    BULK((cache, key) -> cache.getAll(List.of(key, key + "+"))),
    PUT((cache, key) -> cache.put(key, key.toString())),
    PUT_ALL((cache, key) -> cache.putAll(Map.of(key, key.toString()))),
    PUT_OVER(
        (cache, key) -> {
          cache.put(key, key.toString());
          cache.put(key, key.toString());
        }),
    INVALIDATE(
        (cache, key) -> {
          cache.get(key);
          cache.invalidate(key);
        }),
    REFRESH(Cache::refresh),
    PREFETCH((cache, key) -> cache.prefetch(List.of(key))),
    LOOK(Cache::getIfPresent),
    MAP((cache, key) -> cache.asMap().putIfAbsent(key, key.toString())),
    INVALIDATE_ALL(
        (cache, key) -> {
          cache.get(key);
          cache.invalidateAll();
        });

    private interface Body {
      void call(Cache<Object, String> cache, Object key);
    }

    private final Body body;

    Call(Body body) {
      this.body = body;
    }
  }

  private void exhaust(
      Call call,
      Function<String, Object> keys,
      UnaryOperator<CacheBuilder<Object, String>> options) {
    Storage<Object, String> storage = Object::toString;
    Cache<Object, String> cache = stage.build(options.apply(Cache.over(storage)));
    warmUp(call, cache, keys);
    for (int round = 0; round < 3; round++) {
      List<Object> used = new ArrayList<>();
      AtomicInteger succeeded = new AtomicInteger();
      Ascent ascent =
          new Ascent(
              () -> {
                Object key = keys.apply(call.name() + used.size());
                used.add(key);
                int before = succeeded.getAndSet(0);
                call.body.call(cache, key);
                succeeded.set(before + 1);
                return before + 1 == ENOUGH;
              });
      shallow.run(ascent::down).value();
      assertThat(succeeded).as("attempts that went well").hasValue(ENOUGH);
      everyKeyWorks(cache, used);
    }
  }

  /** A class that first loads when the stack is exhausted stays broken; that is the JVM's way. */
  private void warmUp(Call call, Cache<Object, String> cache, Function<String, Object> keys) {
    for (int i = 0; i < 10; i++) {
      Object key = keys.apply("warm" + i);
      stage.callers().run(() -> call.body.call(cache, key)).value();
      assertThat(stage.callers().start(() -> cache.get(key)).value()).isEqualTo(key.toString());
    }
    Cache<String, String> failing =
        stage.build(
            Cache.over(
                key -> {
                  throw new StackOverflowError("made up");
                }));
    stage.callers().start(() -> failing.get("a")).failure(CacheLoadException.class);
  }

  private void everyKeyWorks(Cache<Object, String> cache, List<Object> keys) {
    Caller<Object> check =
        stage
            .callers()
            .run(
                () -> {
                  for (Object key : keys) {
                    assertThat(cache.get(key)).isEqualTo(key.toString());
                    cache.invalidate(key);
                    assertThat(cache.get(key)).isEqualTo(key.toString());
                    Patience.until(
                        key + " keeps what is put, once no prefetch drives it out",
                        () -> {
                          cache.put(key, "put");
                          return cache.get(key).equals("put");
                        });
                    cache.invalidate(key);
                  }
                  assertThat(cache.getAll(keys)).hasSameSizeAs(new HashSet<>(keys));
                  cache.invalidateAll();
                  cache.cleanUp();
                });
    check.value();
    assertThat(cache.asMap()).isEmpty();
    Patience.until(
        () -> "nothing left, but " + cache.estimatedSize(), () -> cache.estimatedSize() == 0);
    for (Object key : keys) {
      assertThat(cache.getIfPresent(key)).isNull();
    }
  }

  @ParameterizedTest(name = "F6: {0} on an exhausted stack leaves every key usable")
  @EnumSource(Call.class)
  @DisplayName("F6: an exhausted stack leaves every key of a plain cache usable")
  void plain(Call call) {
    exhaust(call, name -> name, builder -> builder);
  }

  @ParameterizedTest(name = "F6: {0} on an exhausted stack, with all options, leaves keys usable")
  @EnumSource(Call.class)
  @DisplayName("F6: an exhausted stack leaves every key of a cache with all options usable")
  void everything(Call call) {
    exhaust(
        call,
        CollidingKey::new,
        builder ->
            builder
                .maximumWeight(20)
                .weigher((key, value) -> 1)
                .expireAfterWrite(Duration.ofHours(1))
                .expireAfterAccess(Duration.ofHours(1))
                .refreshAfterWrite(Duration.ofHours(1))
                .cacheAbsentFor(Duration.ofHours(1))
                .removalListener((key, value, cause) -> {})
                .recordStats());
  }

  /**
   * Loads that are held by spinning on a field, since waiting properly takes more stack than is
   * left; one at a time.
   */
  private static final class SpinningLoads implements Storage<String, String> {
    volatile @Nullable String held;
    volatile @Nullable String let;
    volatile boolean open;

    @Override
    public String load(String key) {
      if (!open && let != key) { // else a waiter that loads in the place of the leader
        held = key;
        while (!open && let != key) {
          Thread.onSpinWait();
        }
        held = null;
      }
      return key;
    }
  }

  @Test
  @DisplayName("F6: a leader whose stack runs out after the load wakes its waiters all the same")
  void waitersOfAnExhaustedLeader() {
    SpinningLoads storage = new SpinningLoads();
    storage.open = true;
    Cache<String, String> cache = stage.build(Cache.over(storage).maximumSize(50));
    for (int i = 0; i < 200; i++) {
      String key = "warm" + i;
      stage.callers().start(() -> cache.get(key)).value();
    }
    storage.open = false;
    AtomicInteger attempts = new AtomicInteger();
    Ascent ascent =
        new Ascent(
            () -> {
              cache.get("k" + attempts.incrementAndGet());
              return attempts.get() > 150;
            });
    Caller<Object> leader = shallow.run(ascent::down);
    List<CompletableFuture<String>> futures = new ArrayList<>();
    int led = 0;
    for (String key = nextHeld(storage, leader); key != null; key = nextHeld(storage, leader)) {
      led++;
      String held = key;
      Caller<String> waiter = stage.callers().<String>start(() -> cache.get(held)).awaitParked();
      futures.add(cache.getAsync(key));
      storage.let = key;
      if (waiter.outcome().failure() != null) {
        waiter.failure(CacheLoadException.class);
      } else {
        assertThat(waiter.value()).isEqualTo(key);
      }
    }
    leader.value();
    assertThat(led).as("loads that ran near the end of the stack").isGreaterThan(10);
    storage.open = true;
    for (int i = 1; i <= attempts.get(); i++) {
      String key = "k" + i;
      assertThat(stage.callers().start(() -> cache.get(key)).value()).isEqualTo(key);
    }
    // What the leader could not finish was done by those who settled a flight after it.
    for (CompletableFuture<String> future : futures) {
      Patience.until("a future is told", future::isDone);
    }
  }

  private static @Nullable String nextHeld(SpinningLoads storage, Caller<?> leader) {
    Patience.until(
        "the next load is held, or there is none",
        () -> leader.ended() || (storage.held != null && storage.held != storage.let));
    return leader.ended() ? null : storage.held;
  }

  /** Goes down until the stack is exhausted and calls at each level on the way up. */
  private static final class Ascent {
    private final BooleanSupplier call;
    private boolean over;

    Ascent(BooleanSupplier call) {
      this.call = call;
    }

    @SuppressWarnings("InfiniteRecursion")
    void down() {
      try {
        down();
      } catch (StackOverflowError bottom) {
        // The way up begins.
      }
      if (!over) {
        attempt();
      }
    }

    private void attempt() {
      try {
        over = call.getAsBoolean();
      } catch (CacheException | StackOverflowError e) {
        // The next level has more room.
      }
    }
  }
}
