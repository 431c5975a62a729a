package io.latchkey.storage.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.storage.Codec;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.redis.RedisOptions.Feed;
import io.latchkey.storage.testkit.FeedRecorder;
import io.latchkey.storage.testkit.FeedRecorder.Kind;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the feed tells of changes that third parties make over raw connections. */
class FeedTest {
  private static RedisOptions options(Feed feed, String prefix) {
    return RedisOptions.defaults().withPrefix(prefix).withFeed(feed);
  }

  @ParameterizedTest
  @EnumSource(value = Feed.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void changesOfOthersAreTold(Feed feed) throws Exception {
    String prefix = SharedServer.freshName();
    RedisServer server = SharedServer.get();
    RedisCommands<String, String> other = server.commands();
    try (Watched watched = Watched.open(server.url(), options(feed, prefix));
        Watched second = Watched.open(server.url(), options(feed, prefix))) {
      for (Watched each : List.of(watched, second)) {
        assertThat(each.storage.load("a")).isNull(); // what is absent is watched as well
      }
      other.set(prefix + "a", "1");
      watched.awaitChanged(0, "a");
      second.awaitChanged(0, "a");
      for (int i = 2; i < 10; i++) {
        int events = watched.count();
        assertThat(watched.storage.load("a")).isEqualTo(Integer.toString(i - 1));
        other.set(prefix + "a", Integer.toString(i));
        watched.awaitChanged(events, "a");
      }
      int events = watched.count();
      assertThat(watched.storage.loadAll(Set.of("a", "b"))).isEqualTo(Map.of("a", "9"));
      other.append(prefix + "b", "x");
      watched.awaitChanged(events, "b");
      other.rename(prefix + "a", prefix + "c");
      watched.awaitChanged(events, "a");

      int all = watched.count();
      assertThat(watched.storage.loadAsync("c").toCompletableFuture().get()).isEqualTo("9");
      other.del(prefix + "c");
      watched.awaitChanged(all, "c");
    }
  }

  @ParameterizedTest
  @EnumSource(value = Feed.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void expiryIsTold(Feed feed) throws Exception {
    String prefix = SharedServer.freshName();
    RedisServer server = SharedServer.get();
    try (Watched watched = Watched.open(server.url(), options(feed, prefix))) {
      // The change of the key itself comes first, so that what comes later is its expiry.
      watched.storage.load("k");
      server.commands().set(prefix + "k", "v", SetArgs.Builder.px(60_000));
      watched.awaitChanged(0, "k");
      assertThat(watched.storage.load("k")).isEqualTo("v");
      int events = watched.count();
      server.commands().pexpire(prefix + "k", 100_000);
      watched.awaitChanged(events, "k");
      assertThat(watched.storage.load("k")).isEqualTo("v");
      events = watched.count();
      server.commands().pexpire(prefix + "k", 500);
      watched.awaitChanged(events, "k");
      events = watched.count();
      if (watched.storage.load("k") != null) {
        watched.awaitChanged(events, "k");
        assertThat(watched.storage.load("k")).isNull();
      }
    }
  }

  @ParameterizedTest
  @EnumSource(value = Feed.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void flushesAreTold(Feed feed) throws Exception {
    try (RedisServer server = RedisServer.start();
        Watched watched = Watched.open(server.url(), options(feed, ""))) {
      watched.storage.store("k", "v");
      watched.awaitChanged(0, "k");
      int events = watched.count();
      server.commands().flushdb();
      watched.await(events, Kind.CHANGED_ALL);
      assertThat(watched.storage.load("k")).isNull();
      int later = watched.count();
      server.commands().flushall();
      watched.await(later, Kind.CHANGED_ALL);
    }
  }

  @ParameterizedTest
  @EnumSource(value = Feed.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void evictionIsTold(Feed feed) throws Exception {
    try (RedisServer server =
            RedisServer.start("--maxmemory", "4mb", "--maxmemory-policy", "allkeys-lru");
        Watched watched = Watched.open(server.url(), options(feed, "w:"))) {
      watched.storage.store("k", "v");
      watched.awaitChanged(0, "k");
      assertThat(watched.storage.load("k")).isEqualTo("v");
      int events = watched.count();
      for (int i = 0; server.commands().exists("w:k") > 0; i++) {
        server.commands().set("other" + i, "x".repeat(10_000));
      }
      watched.awaitChanged(events, "k");
      assertThat(watched.storage.load("k")).isNull();
    }
  }

  @Test
  void onlyWhatHasThePrefixIsTold() throws Exception {
    RedisServer server = SharedServer.get();
    String name = SharedServer.freshName();
    String prefix = name + "*?[a-z]\\\"\r\n é ";
    RedisOptions options = options(Feed.BROADCAST, prefix);
    try (Watched watched = Watched.open(server.url(), options)) {
      server.commands().set(name + "*?b\\\"\r\n é k", "v"); // what a glob would match
      server.commands().set(prefix.substring(1) + "k", "v");
      server.commands().set(prefix + "k\r\n ", "v");
      watched.awaitChanged(0, "k\r\n ");
      assertThat(watched.count()).as("whole and one change").isEqualTo(2);
      assertThat(watched.storage.load("k\r\n ")).isEqualTo("v");
    }
  }

  @ParameterizedTest
  @EnumSource(value = Feed.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void aChangeOfTheHashIsAChangeOfAll(Feed feed) throws Exception {
    RedisServer server = SharedServer.get();
    String hash = SharedServer.freshName();
    RedisOptions options = RedisOptions.defaults().withHash(hash).withFeed(feed);
    try (Watched watched = Watched.open(server.url(), options)) {
      watched.storage.store("k", "v");
      watched.await(0, Kind.CHANGED_ALL);
      assertThat(watched.storage.load("k")).isEqualTo("v");
      int events = watched.count();
      server.commands().set(hash + "2", "another key");
      server.commands().hset(hash, "k", "w");
      watched.await(events, Kind.CHANGED_ALL);
      assertThat(watched.storage.load("k")).isEqualTo("w");
    }
  }

  @Test
  void keysThatAreNoneAreLeftOut() throws Exception {
    RedisServer server = SharedServer.get();
    String prefix = SharedServer.freshName();
    try (RedisStorage<Long, String> storage =
        RedisStorage.open(
            server.url(), Codec.int64(), Codec.utf8(), options(Feed.BROADCAST, prefix))) {
      FeedRecorder<Long> recorder = new FeedRecorder<>(Duration.ofSeconds(30));
      ((WatchableRedisStorage<Long, String>) storage).watch(recorder);
      recorder.awaitWhole();
      server.commands().set(prefix + "lock", "of another program");
      storage.store(7L, "v");
      recorder.awaitChanged(7L);
      assertThat(recorder.events()).hasSize(2);
    }
  }

  @Test
  void aFeedThatNobodyListensToEndsAndBeginsAgain() throws Exception {
    RedisServer server = SharedServer.get();
    String prefix = SharedServer.freshName();
    RedisOptions options = options(Feed.BROADCAST, prefix).withHeartbeat(Duration.ofMillis(20));
    try (Watched watched = Watched.open(server.url(), options)) {
      watched.unsubscribe();
      while (Thread.getAllStackTraces().keySet().stream()
          .anyMatch(thread -> thread.getName().equals("latchkey-redis-feed"))) {
        Thread.onSpinWait(); // the time-out of the test bounds this
      }
      FeedRecorder<String> recorder = new FeedRecorder<>(Duration.ofSeconds(30));
      watched.storage.watch(recorder);
      recorder.awaitWhole();
      server.commands().set(prefix + "k", "v");
      recorder.awaitChanged("k");
    }
  }

  @Test
  void whoMayNotWatchIsToldSo() throws Exception {
    RedisServer server = SharedServer.get();
    String user = "user" + SharedServer.freshName().replace(":", "");
    server
        .commands()
        .aclSetuser(
            user,
            io.lettuce.core.AclSetuserArgs.Builder.on()
                .addPassword("s3cr3t")
                .allKeys()
                .addCommand(io.lettuce.core.protocol.CommandType.GET)
                .addCommand(io.lettuce.core.protocol.CommandType.PING));
    String url = server.url().replace("//", "//" + user + ":s3cr3t@");
    try (RedisStorage<String, String> storage =
        RedisStorage.open(url, Codec.utf8(), Codec.utf8())) {
      FeedRecorder<String> recorder = new FeedRecorder<>(Duration.ofSeconds(30));
      assertThatThrownBy(() -> ((WatchableRedisStorage<String, String>) storage).watch(recorder))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("cannot watch redis://***@127.0.0.1")
          .hasMessageContaining("NOPERM")
          .hasMessageContaining("feed=none")
          .hasMessageNotContaining("s3cr3t");
      assertThat(recorder.events()).isEmpty();
      assertThat(storage.load("k")).isNull();
    }
  }
}
