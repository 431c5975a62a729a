package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.CollidingKey;
import io.latchkey.cache.testing.ManualTicker;
import io.latchkey.cache.testing.MapStorage;
import io.latchkey.cache.testing.Roadblock;
import io.latchkey.cache.testing.Stage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class SlowLoadTest {
  private static final int SLOW = 0;
  private static final int MANY = 20_000;

  @RegisterExtension final Stage stage = new Stage();

  /** A storage that holds the first call that has the slow key in it. */
  private static final class SlowStorage<K> extends MapStorage<K, String> {
    private final K slow;
    private final Roadblock block;

    SlowStorage(K slow, Roadblock block) {
      this.slow = slow;
      this.block = block;
    }

    private void hold(Set<?> keys) {
      if (keys.contains(slow)) {
        block.pass();
      }
    }

    @Override
    public @Nullable String load(K key) {
      hold(Set.of(key));
      return "v" + key;
    }

    @Override
    public Map<K, String> loadAll(Set<? extends K> keys) throws Exception {
      hold(keys);
      Map<K, String> found = new java.util.HashMap<>();
      keys.forEach(key -> found.put(key, "v" + key));
      return found;
    }

    @Override
    public void store(K key, String value) {
      hold(Set.of(key));
    }

    @Override
    public void delete(K key) {
      hold(Set.of(key));
    }

    @Override
    public void storeAll(Map<? extends K, ? extends String> entries) {
      hold(entries.keySet());
    }
  }

  private static Arguments slow(String name, BiConsumer<Cache<Object, String>, Object> call) {
    return Arguments.of(name, call);
  }

  private static Stream<Arguments> slowCalls() {
    return Stream.of(
        slow("get", (cache, key) -> cache.get(key)),
        slow("get with timeout", (cache, key) -> cache.get(key, Duration.ofDays(1))),
        slow("getAsync", (cache, key) -> cache.getAsync(key).join()),
        slow("getAll", (cache, key) -> cache.getAll(List.of(key))),
        slow("refresh", (cache, key) -> cache.refresh(key).join()),
        slow("put", (cache, key) -> cache.put(key, "mine")),
        slow("putAll", (cache, key) -> cache.putAll(Map.of(key, "mine"))),
        slow("remove", (cache, key) -> cache.remove(key)));
  }

  private Caller<Object> hold(
      Cache<Object, String> cache,
      Roadblock block,
      Object key,
      BiConsumer<Cache<Object, String>, Object> call) {
    Caller<Object> held = stage.callers().run(() -> call.accept(cache, key));
    block.awaitHeld();
    return held;
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("slowCalls")
  @DisplayName("F11: a slow storage call does not delay other keys of the same hash")
  void sameHash(String name, BiConsumer<Cache<Object, String>, Object> call) {
    CollidingKey slow = CollidingKey.of(SLOW);
    Roadblock block = stage.roadblock().arm();
    Cache<Object, String> cache =
        stage.build(Cache.over(new SlowStorage<Object>(slow, block)).recordStats());
    Caller<Object> held = hold(cache, block, slow, call);
    stage.meanwhile(
        () -> {
          for (int i = 1; i <= 60; i++) {
            CollidingKey key = CollidingKey.of(i);
            assertThat(cache.get(key)).isEqualTo("v" + key);
            cache.put(key, "p" + i);
            assertThat(cache.getIfPresent(key)).isEqualTo("p" + i);
            cache.invalidate(key);
            assertThat(cache.getAsync(key).join()).isEqualTo("v" + key);
            assertThat(cache.getAll(List.of(key, CollidingKey.of(i + 1)))).hasSize(2);
            assertThat(cache.refresh(key).join()).isEqualTo("v" + key);
            if (i % 3 == 0) {
              cache.remove(key);
              assertThat(cache.getIfPresent(key)).isNull();
            }
            assertThat(cache.asMap().put(key, "m")).isNotEqualTo("m");
          }
        });
    assertThat(held.ended()).isFalse();
    block.open();
    held.value();
    assertThat(cache.get(slow)).isNotNull();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("slowCalls")
  @DisplayName("F11: a slow storage call does not delay eviction")
  void eviction(String name, BiConsumer<Cache<Object, String>, Object> call) {
    Roadblock block = stage.roadblock().arm();
    Cache<Object, String> cache =
        stage.build(Cache.over(new SlowStorage<Object>(SLOW, block)).maximumSize(500));
    Caller<Object> held = hold(cache, block, SLOW, call);
    stage.meanwhile(
        () -> {
          for (int i = 1; i <= MANY; i++) {
            cache.get(i);
          }
          cache.cleanUp();
          assertThat(cache.estimatedSize()).isEqualTo(500);
          assertThat(cache.stats().evictionCount()).isEqualTo(MANY - 500);
          cache.policy().setMaximum(10);
          cache.cleanUp();
          assertThat(cache.estimatedSize()).isEqualTo(10);
        });
    assertThat(held.ended()).isFalse();
    block.open();
    held.value();
    assertThat(cache.get(SLOW)).isNotNull();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("slowCalls")
  @DisplayName("F11: a slow storage call does not delay growth, nor is it lost by it")
  void growth(String name, BiConsumer<Cache<Object, String>, Object> call) {
    Roadblock block = stage.roadblock().arm();
    Cache<Object, String> cache = stage.build(Cache.over(new SlowStorage<Object>(SLOW, block)));
    Caller<Object> held = hold(cache, block, SLOW, call);
    stage.meanwhile(
        () -> {
          for (int i = 1; i <= MANY; i++) {
            cache.put(i, "p" + i);
          }
          assertThat(cache.estimatedSize()).isEqualTo(MANY);
        });
    Caller<String> later =
        name.startsWith("get") ? stage.callers().startParked(() -> cache.get(SLOW)) : null;
    block.open();
    held.value();
    if (later != null) {
      assertThat(later.value()).isEqualTo("v" + SLOW);
      assertThat(cache.stats().loadSuccessCount()).isEqualTo(1);
    }
    for (int i = 1; i <= MANY; i++) {
      assertThat(cache.getIfPresent(i)).isEqualTo("p" + i);
    }
  }

  private static Stream<Arguments> expiries() {
    Duration life = Duration.ofNanos(100);
    return Stream.of(
        expiry("to live", b -> b.expireAfterWrite(life)),
        expiry("to idle", b -> b.expireAfterAccess(life)),
        expiry("variable", b -> b.expireAfter((k, v, now) -> 100)),
        expiry("jittered", b -> b.expireAfterWrite(life).expiryJitter(0.5)));
  }

  private static Arguments expiry(
      String name, UnaryOperator<CacheBuilder<Object, String>> options) {
    return Arguments.of(name, options);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("expiries")
  @DisplayName("F11: a slow load does not delay the sweep of what has expired")
  void sweep(String name, UnaryOperator<CacheBuilder<Object, String>> options) {
    Roadblock block = stage.roadblock().arm();
    ManualTicker ticker = new ManualTicker();
    Cache<Object, String> cache =
        stage.build(options.apply(Cache.over(new SlowStorage<Object>(SLOW, block))).ticker(ticker));
    Caller<Object> held = hold(cache, block, SLOW, (c, key) -> c.get(key));
    stage.meanwhile(
        () -> {
          for (int i = 1; i <= 2_000; i++) {
            cache.get(i);
          }
          ticker.advance(Duration.ofDays(3_000));
          cache.cleanUp();
          assertThat(cache.estimatedSize()).isZero();
          assertThat(cache.get(1)).isEqualTo("v1");
        });
    block.open();
    held.value();
    assertThat(cache.getIfPresent(SLOW)).as("time counts from the end").isEqualTo("v" + SLOW);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("slowCalls")
  @DisplayName("F11: invalidation, cleaning, iterating and counting do not wait for a slow call")
  void invalidation(String name, BiConsumer<Cache<Object, String>, Object> call) {
    Roadblock block = stage.roadblock().arm();
    Cache<Object, String> cache =
        stage.build(
            Cache.over(new SlowStorage<Object>(SLOW, block))
                .maximumSize(100)
                .expireAfterWrite(Duration.ofDays(1))
                .recordStats());
    Caller<Object> held = hold(cache, block, SLOW, call);
    stage.meanwhile(
        () -> {
          IntStream.rangeClosed(1, 50).forEach(cache::get);
          assertThat(cache.estimatedSize()).isEqualTo(50);
          assertThat(cache.asMap()).hasSize(50);
          assertThat(cache.policy().hottest(60)).hasSize(50);
          assertThat(cache.policy().coldest(60)).hasSize(50).doesNotContain(SLOW);
          assertThat(cache.policy().age(SLOW)).isEmpty();
          assertThat(cache.getIfPresent(SLOW)).isNull();
          assertThat(cache.stats().evictionCount()).isZero();
          cache.invalidate(SLOW);
          cache.invalidateAll(List.of(SLOW, 1));
          cache.invalidateAll();
          cache.asMap().clear();
          cache.cleanUp();
          assertThat(cache.estimatedSize()).isZero();
        });
    assertThat(held.ended()).isFalse();
    block.open();
    held.value();
    assertThat(cache.getIfPresent(SLOW)).as("it was invalidated").isNull();
  }

  @Test
  @DisplayName("F11: loads of as many keys as one likes are under way at once")
  void manyAtOnce() {
    Roadblock[] blocks = new Roadblock[40];
    for (int i = 0; i < blocks.length; i++) {
      blocks[i] = stage.roadblock().arm();
    }
    Cache<CollidingKey, String> cache =
        stage.build(
            Cache.over(
                (CollidingKey key) -> {
                  blocks[Integer.parseInt(key.name().substring(1))].pass();
                  return key.name();
                }));
    List<Caller<String>> held =
        IntStream.range(0, blocks.length)
            .mapToObj(i -> stage.callers().<String>start(() -> cache.get(CollidingKey.of(i))))
            .toList();
    for (Roadblock block : blocks) {
      block.awaitHeld();
    }
    for (int i = blocks.length - 1; i >= 0; i--) {
      blocks[i].open();
      assertThat(held.get(i).value()).isEqualTo("k" + i);
    }
    assertThat(cache.estimatedSize()).isEqualTo(blocks.length);
  }
}
