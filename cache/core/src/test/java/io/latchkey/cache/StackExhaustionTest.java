package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.storage.Storage;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Calls that run out of stack at every depth must leave every key usable. */
class StackExhaustionTest {
  private static final int KEYS = 50;
  private static final long STACK_BYTES = 256 << 10;
  private static final int DEEPEST = 6_000;

  private final Storage<Integer, String> storage = key -> "v" + key;

  @Test
  @DisplayName("F6: a get that exhausts the stack leaves every key usable")
  void get() throws InterruptedException {
    try (Cache<Integer, String> cache = Cache.over(storage).maximumSize(KEYS / 2).build()) {
      atEveryDepth(depth -> cache.get(depth % KEYS));
      assertUsable(cache);
    }
  }

  @Test
  @DisplayName("F6: a put or an invalidation that exhausts the stack leaves every key usable")
  void putAndInvalidate() throws InterruptedException {
    try (Cache<Integer, String> cache = Cache.over(storage).maximumSize(KEYS / 2).build()) {
      atEveryDepth(
          depth -> {
            cache.put(depth % KEYS, "v" + depth % KEYS);
            cache.invalidate((depth + 1) % KEYS);
          });
      assertUsable(cache);
    }
  }

  private static void assertUsable(Cache<Integer, String> cache) {
    for (int key = 0; key < KEYS; key++) {
      assertThat(cache.get(key)).isEqualTo("v" + key);
    }
    cache.cleanUp();
    assertThat(cache.estimatedSize()).isLessThanOrEqualTo(KEYS / 2);
  }

  /** Runs the call with less and less stack left, far beyond the point where there is none. */
  private static void atEveryDepth(IntConsumer call) throws InterruptedException {
    Thread deep =
        new Thread(
            null,
            () -> {
              for (int depth = 0; depth < DEEPEST; depth += 3) {
                tryAt(depth, call);
              }
            },
            "deep",
            STACK_BYTES);
    deep.start();
    deep.join();
  }

  private static void tryAt(int depth, IntConsumer call) {
    try {
      descend(depth, depth, call);
    } catch (StackOverflowError | CacheException expected) {
      // as it should be; what counts is what it leaves behind
    }
  }

  private static int descend(int left, int depth, IntConsumer call) {
    if (left == 0) {
      call.accept(depth);
      return 0;
    }
    return descend(left - 1, depth, call) + 1;
  }
}
