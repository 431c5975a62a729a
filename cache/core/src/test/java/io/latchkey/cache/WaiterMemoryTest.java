package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.GatedLoads;
import io.latchkey.cache.testing.Patience;
import io.latchkey.cache.testing.Stage;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Waiters that gave up on a hung load must not pile up in it. What they leave behind is found by
 * weak references to a sample of them; one in a hundred may still hang on until the next one comes.
 */
class WaiterMemoryTest {
  @RegisterExtension final Stage stage = new Stage();
  private final GatedLoads<String, String> storage = stage.loads();
  private final List<WeakReference<Object>> sample = new ArrayList<>();

  private void assertForgotten() {
    Patience.until(
        () -> "all but a few of " + sample.size() + " are collected; alive: " + alive(),
        () -> {
          System.gc();
          return alive() <= sample.size() / 100;
        });
  }

  private long alive() {
    return sample.stream().filter(reference -> reference.get() != null).count();
  }

  @Test
  @DisplayName("F8: 200,000 cancelled futures of one hung load leave no memory behind")
  void cancelledFutures() throws Exception {
    Cache<String, String> cache = stage.over(storage);
    Caller<String> leader = stage.callers().start(() -> cache.get("a"));
    GatedLoads.Load<String, String> load = storage.next();
    List<Caller<String>> live = new ArrayList<>();
    List<CompletableFuture<@Nullable String>> liveFutures = new ArrayList<>();
    for (int i = 0; i < 200_000; i++) {
      CompletableFuture<@Nullable String> future = cache.getAsync("a");
      future.cancel(false);
      if (i % 100 == 0) {
        sample.add(new WeakReference<>(future));
      }
      if (i % 20_000 == 0) {
        live.addAll(stage.callers().startParked(1, () -> cache.get("a")));
        liveFutures.add(cache.getAsync("a"));
      }
    }
    assertForgotten();
    load.returns("v");
    assertThat(leader.value()).isEqualTo("v");
    for (Caller<String> waiter : live) {
      assertThat(waiter.value()).isEqualTo("v");
    }
    for (CompletableFuture<@Nullable String> future : liveFutures) {
      assertThat(future.get()).isEqualTo("v");
    }
  }

  @Test
  @DisplayName(
      "F8: futures that are cancelled all at once, long after they joined, leave no memory")
  void cancelledTogether() {
    Cache<String, String> cache = stage.over(storage);
    stage.callers().start(() -> cache.get("a"));
    storage.next();
    List<CompletableFuture<@Nullable String>> futures = new ArrayList<>();
    for (int i = 0; i < 100_000; i++) {
      futures.add(cache.getAsync("a"));
    }
    for (int i = 0; i < futures.size(); i++) {
      // From the front, from the back and in between.
      int index = i % 2 == 0 ? i / 2 : futures.size() - 1 - i / 2;
      CompletableFuture<@Nullable String> future = futures.get(index);
      future.cancel(false);
      if (i % 100 == 0) {
        sample.add(new WeakReference<>(future));
      }
    }
    futures.clear();
    cache.getAsync("a").cancel(false);
    assertForgotten();
  }

  @Test
  @DisplayName("F8: callers that timed out leave neither themselves nor their threads behind")
  void timedOutCallers() {
    Cache<String, String> cache = stage.over(storage);
    Caller<String> leader = stage.callers().start(() -> cache.get("a"));
    GatedLoads.Load<String, String> load = storage.next();
    for (int i = 0; i < 1_000; i++) {
      boolean interrupt = i % 2 == 0;
      Thread thread =
          new Thread(
              () -> {
                if (interrupt) {
                  Thread.currentThread().interrupt();
                }
                try {
                  cache.get("a", Duration.ofNanos(1_000));
                } catch (CacheTimeoutException | CacheInterruptedException expected) {
                  return;
                }
                throw new AssertionError("the load is hung");
              });
      thread.start();
      join(thread);
      sample.add(new WeakReference<>(thread));
    }
    assertForgotten();
    load.returns("v");
    assertThat(leader.value()).isEqualTo("v");
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  @DisplayName("F8: a detached or ended flight is not kept alive by the cache")
  void flightsAreCollected() {
    Cache<String, String> cache = stage.build(Cache.over(key -> new String("value of " + key)));
    for (int i = 0; i < 1_000; i++) {
      sample.add(new WeakReference<>(cache.get("k" + i)));
      if (i % 2 == 0) {
        cache.invalidate("k" + i);
      } else {
        cache.put("k" + i, "other");
      }
    }
    assertForgotten();
    assertThat(cache.estimatedSize()).isEqualTo(500);
  }
}
