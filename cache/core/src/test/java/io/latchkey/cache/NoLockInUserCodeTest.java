package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.CollidingKey;
import io.latchkey.cache.testing.Roadblock;
import io.latchkey.cache.testing.Stage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class NoLockInUserCodeTest {
  @RegisterExtension final Stage stage = new Stage();

  @ParameterizedTest(name = "{0}")
  @EnumSource(UserCode.class)
  @DisplayName("F12: while user code runs, other keys go on, those of the same hash too")
  void otherKeys(UserCode code) {
    Roadblock block = stage.roadblock();
    UserCode.Scene scene = code.scene(stage, block);
    block.arm();
    Caller<Object> held = stage.callers().run(scene.call());
    block.awaitHeld();
    stage.meanwhile(() -> others(scene.cache()));
    block.open();
    held.value();
    usable(scene.cache());
  }

  @ParameterizedTest(name = "{0}")
  @EnumSource(UserCode.class)
  @DisplayName("F12: while user code runs, its own key is looked up, invalidated and put")
  void sameKey(UserCode code) {
    Roadblock block = stage.roadblock();
    UserCode.Scene scene = code.scene(stage, block);
    block.arm();
    Caller<Object> held = stage.callers().run(scene.call());
    block.awaitHeld();
    stage.meanwhile(() -> same(scene));
    block.open();
    held.value();
    usable(scene.cache());
  }

  private static void usable(Cache<CollidingKey, String> cache) {
    cache.put(UserCode.KEY, "after");
    cache.invalidate(UserCode.KEY);
    assertThat(cache.get(UserCode.KEY)).isNotNull();
  }

  private static void others(Cache<CollidingKey, String> cache) {
    for (int i = 100; i < 160; i++) {
      CollidingKey key = CollidingKey.of(i);
      cache.get(key);
      cache.put(key, "p");
      cache.getIfPresent(key);
      if (i % 2 == 0) {
        cache.invalidate(key);
      } else if (i % 3 == 0) {
        cache.remove(key);
      }
      cache.asMap().put(key, "m");
      cache.asMap().merge(key, "n", String::concat);
    }
    CollidingKey a = CollidingKey.of(200);
    CollidingKey b = CollidingKey.of(201);
    cache.getAll(List.of(a, b));
    cache.putAll(Map.of(a, "a", b, "b"));
    cache.get(a, Duration.ofDays(1));
    cache.getAsync(b).join();
    cache.refresh(a).join();
    cache.prefetch(List.of(b));
    cache.invalidateAll(List.of(a, b));
    assertThat(cache.asMap().size()).isNotNegative();
    cache.asMap().forEach((key, value) -> {});
    cache.policy().age(a);
    cache.policy().hottest(3);
    cache.policy().coldest(3);
    cache.estimatedSize();
    cache.stats();
    cache.cleanUp();
  }

  private static void same(UserCode.Scene scene) {
    Cache<CollidingKey, String> cache = scene.cache();
    CollidingKey key = UserCode.KEY;
    cache.getIfPresent(key);
    cache.policy().age(key);
    if (!scene.getsWait()) {
      cache.get(key);
      cache.getAll(List.of(key));
    }
    if (!scene.putsWait()) {
      cache.put(key, "mine");
      cache.get(key);
    }
    cache.asMap().put(key, "mapped");
    cache.invalidate(key);
    assertThat(cache.get(key)).as("after invalidate it is loaded anew").isNotNull();
    cache.invalidateAll(List.of(key));
    cache.asMap().remove(key);
    cache.invalidateAll();
    cache.cleanUp();
    cache.get(key);
    cache.cleanUp();
  }

  @Test
  @DisplayName("F12: a weigher, an expiry function and a listener may use the cache themselves")
  void reentrant() {
    Map<String, Cache<Integer, String>> itself = new ConcurrentHashMap<>();
    AtomicInteger calls = new AtomicInteger();
    Runnable use =
        () -> {
          Cache<Integer, String> cache = itself.get("cache");
          // A number that no other call has, and an end to the recursion.
          int number = calls.incrementAndGet();
          if (cache != null && number < 100) {
            cache.put(1_000 + number, "p");
            assertThat(cache.get(2_000 + number)).isEqualTo("v");
            cache.getIfPresent(number);
            cache.invalidate(1_000 + number);
            cache.cleanUp();
          }
        };
    Expiry<Integer, String> expiry =
        new Expiry<>() {
          @Override
          public long afterWrite(Integer key, String value, long now) {
            use.run();
            return 1_000;
          }

          @Override
          public long afterRead(Integer key, String value, long now, long remaining) {
            use.run();
            return remaining;
          }
        };
    Cache<Integer, String> cache =
        stage.build(
            Cache.over((Integer key) -> "v")
                .maximumWeight(5)
                .weigher(
                    (key, value) -> {
                      use.run();
                      return 1;
                    })
                .expireAfter(expiry)
                .ticker(() -> 0)
                .executor(Runnable::run)
                .removalListener((key, value, cause) -> use.run()));
    itself.put("cache", cache);
    stage.meanwhile(
        () -> {
          for (int i = 0; i < 50; i++) {
            assertThat(cache.get(i)).isEqualTo("v");
            cache.put(i, "w");
          }
          cache.cleanUp();
        });
    assertThat(calls.get()).isGreaterThan(100);
    assertThat(cache.estimatedSize()).isLessThanOrEqualTo(5);
  }

  @Test
  @DisplayName("F12: a listener in the thread of the call may invalidate and load its own key")
  void listenerOnItsKey() {
    Map<String, Cache<Integer, String>> itself = new ConcurrentHashMap<>();
    AtomicInteger told = new AtomicInteger();
    Cache<Integer, String> cache =
        stage.build(
            Cache.over((Integer key) -> "v" + key)
                .maximumSize(3)
                .executor(Runnable::run)
                .removalListener(
                    (key, value, cause) -> {
                      if (told.incrementAndGet() < 50) {
                        itself.get("cache").invalidate(key);
                        assertThat(itself.get("cache").get(key)).isEqualTo("v" + key);
                      }
                    }));
    itself.put("cache", cache);
    stage.meanwhile(
        () -> {
          for (int i = 0; i < 20; i++) {
            cache.get(i);
          }
          cache.cleanUp();
        });
    assertThat(told.get()).isGreaterThanOrEqualTo(17);
    assertThat(cache.estimatedSize()).isEqualTo(3);
  }
}
