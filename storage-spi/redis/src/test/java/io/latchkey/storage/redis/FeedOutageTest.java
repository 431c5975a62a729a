package io.latchkey.storage.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.storage.StorageException;
import io.latchkey.storage.redis.RedisOptions.Feed;
import io.latchkey.storage.testkit.FeedRecorder.Event;
import io.latchkey.storage.testkit.FeedRecorder.Kind;
import io.lettuce.core.KillArgs;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How the feed is lost with its server, and whole again with it. */
class FeedOutageTest {
  private static final Duration HEARTBEAT = Duration.ofMillis(200);

  private static Watched open(RedisServer server, Feed feed) throws Exception {
    RedisOptions options =
        RedisOptions.defaults()
            .withFeed(feed)
            .withTimeout(Duration.ofMillis(500))
            .withHeartbeat(HEARTBEAT);
    return Watched.open(server.url(), options);
  }

  /** A change by a third party of a key that was loaded is told. */
  private static void assertTells(RedisServer server, Watched watched, String value)
      throws Exception {
    load(watched, "k");
    int events = watched.count();
    server.commands().set("k", value);
    watched.awaitChanged(events, "k");
    assertThat(load(watched, "k")).isEqualTo(value);
  }

  /** A call may meet the end of its connection; the time-out of the test bounds the tries. */
  private static String load(Watched watched, String key) throws Exception {
    while (true) {
      try {
        return watched.storage.load(key);
      } catch (StorageException e) {
        assertThat(e.retryable()).as(e.getMessage()).isTrue();
      }
    }
  }

  private static void assertNewEpochs(Watched watched) {
    List<Long> epochs =
        watched.recorder.events().stream()
            .filter(event -> event.kind() == Kind.WHOLE)
            .map(Event::epoch)
            .toList();
    assertThat(epochs).doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @EnumSource(value = Feed.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void connectionsThatAreKilled(Feed feed) throws Exception {
    try (RedisServer server = RedisServer.start();
        Watched watched = open(server, feed)) {
      for (int i = 0; i < 5; i++) {
        assertTells(server, watched, "before" + i);
        int events = watched.count();
        server.commands().clientKill(KillArgs.Builder.skipme());
        server.commands().set("k", "in the gap");
        watched.awaitAnew(events);
        assertThat(load(watched, "k")).isEqualTo("in the gap");
      }
      assertTells(server, watched, "after");
      assertNewEpochs(watched);
    }
  }

  @ParameterizedTest
  @EnumSource(value = Feed.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void aServerThatIsKilledAndStartedAgain(Feed feed) throws Exception {
    try (RedisServer server = RedisServer.start();
        Watched watched = open(server, feed)) {
      assertTells(server, watched, "before");
      int events = watched.count();
      server.kill();
      watched.await(events, Kind.LOST);
      server.restart();
      watched.awaitAnew(events);
      assertThat(load(watched, "k")).isNull();
      assertTells(server, watched, "after");
      assertNewEpochs(watched);
    }
  }

  @ParameterizedTest
  @EnumSource(value = Feed.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void aServerThatIsStopped(Feed feed) throws Exception {
    try (RedisServer server = RedisServer.start();
        Watched watched = open(server, feed)) {
      assertTells(server, watched, "before");
      int events = watched.count();
      server.signal("STOP");
      watched.await(events, Kind.LOST); // nothing but the heartbeat tells that it is silent
      server.signal("CONT");
      watched.awaitAnew(events);
      assertTells(server, watched, "after");
      assertNewEpochs(watched);
    }
  }

  @ParameterizedTest
  @EnumSource(value = Feed.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void aStorageThatIsClosed(Feed feed) throws Exception {
    try (RedisServer server = RedisServer.start();
        Watched watched = open(server, feed)) {
      int events = watched.count();
      watched.storage.close();
      watched.await(events, Kind.LOST);
      while (Thread.getAllStackTraces().keySet().stream()
          .anyMatch(thread -> thread.getName().equals("latchkey-redis-feed"))) {
        Thread.onSpinWait(); // the time-out of the test bounds this
      }
    }
  }
}
