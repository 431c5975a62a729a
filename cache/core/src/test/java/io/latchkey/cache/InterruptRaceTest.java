package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.Callers;
import io.latchkey.cache.testing.CollidingKey;
import io.latchkey.cache.testing.Stage;
import io.latchkey.cache.testing.VirtualThreads;
import io.latchkey.storage.Storage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Callers of a few keys are interrupted at random, whatever they do. Each tries until it has its
 * object, so that a lost promotion shows as a caller that never ends, and a second load of one
 * flight as an overlap.
 */
class InterruptRaceTest {
  private static final int KEYS = 3;
  private static final long SEED = 99_194_853;

  @RegisterExtension final Stage stage = new Stage();
  private final AtomicIntegerArray running = new AtomicIntegerArray(KEYS);
  private final AtomicLong overlaps = new AtomicLong();
  private final AtomicLong calls = new AtomicLong();

  /** A load that takes a moment and heeds interrupts. */
  private @Nullable String load(CollidingKey key) throws InterruptedException {
    int number = Integer.parseInt(key.name().substring(1));
    calls.incrementAndGet();
    if (running.getAndIncrement(number) != 0) {
      overlaps.incrementAndGet();
    }
    try {
      for (int i = 0; i < 3; i++) {
        LockSupport.parkNanos(1_000);
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
      }
      return "v" + number;
    } finally {
      running.decrementAndGet(number);
    }
  }

  @Test
  @DisplayName("F7: interrupts at random: never two loads of one flight at once, never none")
  void plainGets() {
    race(stage.callers(), false);
  }

  @Test
  @DisplayName("F7: interrupts at random, with calls of every kind that wait")
  void everyKind() {
    race(stage.callers(), true);
  }

  @Test
  @DisplayName("F7: interrupts at random, in virtual threads")
  void virtualThreads() {
    ThreadFactory virtual = VirtualThreads.factory().orElse(null);
    Assumptions.assumeTrue(virtual != null, "no virtual threads on this JDK");
    race(new Callers(virtual), true);
  }

  private void race(Callers callers, boolean everyKind) {
    Storage<CollidingKey, String> storage = this::load;
    // Nothing stays, so that each round loads; nothing is ever invalidated, so that a key has one
    // flight at a time.
    Cache<CollidingKey, String> cache = stage.build(Cache.over(storage).maximumSize(0));
    AtomicBoolean over = new AtomicBoolean();
    List<Caller<Object>> all = new ArrayList<>();
    for (int t = 0; t < 6; t++) {
      SplittableRandom random = new SplittableRandom(SEED + t);
      all.add(
          callers.start(
              () -> {
                for (int round = 0; round < 1_500; round++) {
                  insist(cache, random, everyKind);
                }
                return null;
              }));
    }
    Caller<Object> interrupter =
        callers.run(
            () -> {
              SplittableRandom random = new SplittableRandom(SEED - 1);
              while (!over.get()) {
                all.get(random.nextInt(all.size())).interrupt();
                LockSupport.parkNanos(2_000);
              }
            });
    try {
      all.forEach(Caller::value);
    } finally {
      over.set(true);
    }
    interrupter.value();
    assertThat(overlaps).as("loads that overlapped, seed %s", SEED).hasValue(0);
    CacheStats stats = cache.stats();
    assertThat(stats.loadFailureCount()).isZero();
    assertThat(stats.loadSuccessCount() + stats.loadAbandonedCount()).isEqualTo(calls.get());
  }

  private static void insist(
      Cache<CollidingKey, String> cache, SplittableRandom random, boolean everyKind) {
    int number = random.nextInt(KEYS);
    CollidingKey key = CollidingKey.of(number);
    while (true) {
      try {
        String value =
            switch (everyKind ? random.nextInt(6) : 9) {
              case 0 -> cache.get(key, Duration.ofHours(1));
              case 1 -> cache.get(key, Duration.ofNanos(20_000));
              case 2 -> cache.getAll(List.of(key)).get(key);
              case 3 -> future(cache.getAsync(key), random);
              default -> cache.get(key);
            };
        assertThat(value).isEqualTo("v" + number);
        return;
      } catch (CacheInterruptedException e) {
        assertThat(Thread.interrupted()).as("the flag is set").isTrue();
      } catch (CacheTimeoutException | InterruptedException e) {
        Thread.interrupted();
      }
    }
  }

  /** Waits for the future or cancels it. */
  private static String future(CompletableFuture<String> future, SplittableRandom random)
      throws InterruptedException {
    if (random.nextBoolean()) {
      future.cancel(true);
      throw new CacheTimeoutException("cancelled", null);
    }
    try {
      return future.get(1, TimeUnit.HOURS);
    } catch (ExecutionException | TimeoutException e) {
      throw new AssertionError(e);
    }
  }
}
