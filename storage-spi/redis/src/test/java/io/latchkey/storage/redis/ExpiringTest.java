package io.latchkey.storage.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.cache.Cache;
import io.latchkey.storage.AsyncStorage;
import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.StorageException;
import io.lettuce.core.SetArgs;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Objects with the time that Redis lets them live. */
class ExpiringTest {
  private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

  private static Stream<RedisOptions> layouts() {
    return Stream.of(
        RedisOptions.defaults().withPrefix(SharedServer.freshName()),
        RedisOptions.defaults().withPrefix(SharedServer.freshName()).withField("f"),
        RedisOptions.defaults().withHash(SharedServer.freshName() + "k"));
  }

  private static RedisStorage<String, String> open(RedisOptions options) throws Exception {
    return RedisStorage.open(SharedServer.get().url(), Codec.utf8(), Codec.utf8(), options);
  }

  @ParameterizedTest
  @MethodSource("layouts")
  void theTimeThatIsLeftComesWithTheObject(RedisOptions options) throws Exception {
    String name = options.hash() == null ? options.prefix() + "k" : options.hash();
    try (RedisStorage<String, String> storage = open(options)) {
      Storage<String, Expiring<String>> expiring = storage.expiring();
      assertThat(expiring.load("k")).isNull();
      assertThat(expiring.loadAll(Set.of("k", "l"))).isEmpty();
      storage.store("k", "v");
      assertThat(expiring.load("k").value()).isEqualTo("v");
      assertThat(expiring.load("k").remainingNanos()).isEqualTo(Long.MAX_VALUE);
      SharedServer.get().commands().pexpire(name, 60_000);
      assertThat(expiring.load("k").remainingNanos()).isBetween(1L, MINUTE);
      Map<String, Expiring<String>> all = expiring.loadAll(Set.of("k", "l"));
      assertThat(all).containsOnlyKeys("k");
      assertThat(all.get("k").remainingNanos()).isBetween(1L, MINUTE);
      Expiring<String> loaded =
          ((AsyncStorage<String, Expiring<String>>) expiring)
              .loadAsync("k")
              .toCompletableFuture()
              .get();
      assertThat(loaded.value()).isEqualTo("v");
      assertThat(loaded.remainingNanos()).isBetween(1L, MINUTE);
      assertThat(loaded.toString()).isEqualTo("v, which expires");
    }
  }

  @Test
  void aCacheKeepsNothingLongerThanRedis() throws Exception {
    RedisOptions options =
        RedisOptions.defaults()
            .withPrefix(SharedServer.freshName())
            .withFeed(RedisOptions.Feed.NONE); // so that nothing else tells the expiry
    try (RedisStorage<String, String> storage = open(options)) {
      String name = options.prefix() + "k";
      SharedServer.get().commands().set(name, "v", SetArgs.Builder.px(300));
      Cache<String, Expiring<String>> cache =
          Cache.over(storage.expiring())
              .expireAfter((key, object, now) -> object.remainingNanos())
              .build();
      Expiring<String> last = cache.get("k");
      while (last != null) {
        assertThat(last.value()).isEqualTo("v");
        last = cache.get("k"); // the time-out of the test bounds this
      }
      assertThat(SharedServer.get().commands().exists(name)).isZero();
      SharedServer.get().commands().set(name, "w");
      assertThat(cache.get("k").value()).isEqualTo("w");
      cache.close();
    }
  }

  @Test
  void anEndThatHasPassedAndOneThatNeverComes() {
    long now = System.nanoTime();
    assertThat(Expiring.of("v", now, 0).remainingNanos()).isZero();
    assertThat(Expiring.of("v", now - 2 * MINUTE, 60_000).remainingNanos()).isZero();
    assertThat(Expiring.of("v", now, -1).remainingNanos()).isEqualTo(Long.MAX_VALUE);
    assertThat(Expiring.of("v", now, Long.MAX_VALUE).remainingNanos()).isPositive();
    assertThat(Expiring.of("v", now, 5)).isEqualTo(Expiring.of("v", now, 5));
    assertThat(Expiring.of("v", now, 5)).isNotEqualTo(Expiring.of("v", now, 6));
    assertThat(Expiring.of("v", now, -1)).isEqualTo(Expiring.of("v", now + 1, -1));
  }

  @Test
  void aViewEndsWithItsStorage() throws Exception {
    RedisStorage<String, String> storage = open(RedisOptions.defaults());
    Storage<String, Expiring<String>> expiring = storage.expiring();
    assertThat(expiring.name()).isEqualTo(storage.name());
    expiring.close();
    assertThatThrownBy(() -> storage.load("k"))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("closed");
  }
}
