package io.latchkey.storage.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.storage.Codec;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.testkit.FeedRecorder;
import io.lettuce.core.KillArgs;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What a third party sees of the storage, and how its calls end when the server does not answer.
 */
class RedisStorageTest {
  private static final Codec<String> TEXT = Codec.utf8();

  private RedisServer server;
  private String prefix;

  @BeforeEach
  void startServer() throws Exception {
    server = SharedServer.get();
    prefix = SharedServer.freshName();
  }

  private RedisStorage<String, String> open(RedisOptions options) throws Exception {
    return RedisStorage.open(server.url(), TEXT, TEXT, options);
  }

  private RedisOptions options() {
    return RedisOptions.defaults().withPrefix(prefix);
  }

  @Test
  void theExample() throws Exception {
    String url = server.url() + "?prefix=" + prefix;
    try (RedisStorage<Long, String> users = RedisStorage.open(url, Codec.int64(), Codec.utf8())) {
      users.store(1L, "Ada");
    }
    assertThat(server.commands().get(prefix + "\0\0\0\0\0\0\0\1")).isEqualTo("Ada");
  }

  @Test
  void objectsAreStrings() throws Exception {
    try (RedisStorage<String, String> storage = open(options())) {
      storage.store("Ada", "Lovelace");
      assertThat(server.commands().get(prefix + "Ada")).isEqualTo("Lovelace");
      assertThat(server.commands().pttl(prefix + "Ada")).isEqualTo(-1);
      server.commands().set(prefix + "Bob", "Moog");
      assertThat(storage.load("Bob")).isEqualTo("Moog");
      storage.delete("Ada");
      assertThat(server.commands().exists(prefix + "Ada")).isZero();
    }
  }

  @Test
  void objectsAreFieldsOfOneHash() throws Exception {
    RedisOptions hash = RedisOptions.defaults().withHash(prefix);
    try (RedisStorage<String, String> storage = open(hash)) {
      storage.storeAll(Map.of("Ada", "Lovelace", "Bob", "Moog"));
      storage.delete("Bob");
      assertThat(server.commands().hgetall(prefix)).isEqualTo(Map.of("Ada", "Lovelace"));
    }
  }

  @Test
  void objectsAreAFieldOfAHashEach() throws Exception {
    server.commands().hset(prefix + "Ada", Map.of("born", "1815", "name", "?"));
    try (RedisStorage<String, String> storage =
        open(options().withField("name").withTtl(Duration.ofHours(1)))) {
      storage.store("Ada", "Lovelace");
      assertThat(server.commands().hgetall(prefix + "Ada"))
          .isEqualTo(Map.of("born", "1815", "name", "Lovelace"));
      assertThat(server.commands().pttl(prefix + "Ada")).isBetween(3_000_000L, 3_600_000L);
      storage.delete("Ada");
      assertThat(server.commands().hgetall(prefix + "Ada")).isEqualTo(Map.of("born", "1815"));
    }
  }

  @Test
  void whatIsStoredLivesForItsTime() throws Exception {
    try (RedisStorage<String, String> storage = open(options().withTtl(Duration.ofHours(1)))) {
      storage.store("Ada", "Lovelace");
      storage.storeAll(Map.of("Bob", "Moog", "Cy", "Young"));
      for (String key : Set.of("Ada", "Bob", "Cy")) {
        assertThat(server.commands().pttl(prefix + key)).isBetween(3_000_000L, 3_600_000L);
      }
    }
    try (RedisStorage<String, String> storage = open(options().withTtl(Duration.ofMillis(1)))) {
      storage.store("Ada", "Lovelace");
      while (storage.load("Ada") != null) {
        Thread.onSpinWait(); // the time-out of the test bounds this
      }
    }
  }

  @Test
  void manyObjectsInSeveralCommands() throws Exception {
    try (RedisStorage<String, String> storage = open(options())) {
      Map<String, String> entries = new LinkedHashMap<>();
      for (int i = 0; i < 12_345; i++) {
        entries.put("key" + i, "value" + i);
      }
      storage.storeAll(entries);
      Set<String> keys = new LinkedHashSet<>(entries.keySet());
      keys.add("absent");
      assertThat(storage.loadAll(keys)).isEqualTo(entries);
    }
  }

  @Test
  void databasesAreApart() throws Exception {
    try (RedisStorage<String, String> first = open(options());
        RedisStorage<String, String> second =
            RedisStorage.open(server.url() + "/2?prefix=" + prefix, TEXT, TEXT)) {
      first.store("k", "first");
      assertThat(second.load("k")).isNull();
      second.store("k", "second");
      assertThat(first.load("k")).isEqualTo("first");
    }
  }

  @Test
  void aConnectionThatIsKilledIsMadeAnew() throws Exception {
    try (RedisServer own = RedisServer.start();
        RedisStorage<String, String> storage = RedisStorage.open(own.url(), TEXT, TEXT)) {
      storage.store("k", "v");
      for (int i = 0; i < 20; i++) {
        own.commands().clientKill(KillArgs.Builder.skipme());
        assertThat(storage.load("k")).as("load %d", i).isEqualTo("v");
      }
    }
  }

  @Test
  void theConnectionOfTheFeedAndTheOtherAreKilledAtOnce() throws Exception {
    FeedRecorder<String> recorder = new FeedRecorder<>(Duration.ofSeconds(40));
    try (RedisServer own = RedisServer.start();
        WatchableRedisStorage<String, String> storage =
            (WatchableRedisStorage<String, String>) RedisStorage.open(own.url(), TEXT, TEXT)) {
      storage.watch(recorder);
      storage.store("k", "v");
      for (int i = 0; i < 20; i++) {
        own.commands().clientKill(KillArgs.Builder.skipme());
        assertThat(storage.load("k")).as("load %d", i).isEqualTo("v");
      }
    }
  }

  @Test
  void aCommandThatCameTooLateIsLost() throws Exception {
    try (RedisStorage<String, String> storage = open(options())) {
      Session session = storage.session().join();
      CompletableFuture<String> never = new CompletableFuture<>();
      assertThat(session.ending(never)).isSameAs(never);
      session.connection().close();
      assertThat(session.ending(never)).isCompletedExceptionally();
      CompletableFuture<String> done = CompletableFuture.completedFuture("done");
      assertThat(session.ending(done)).isSameAs(done);
    }
  }

  @Test
  void aServerThatWasKilledIsFoundWhenItIsThereAgain() throws Exception {
    try (RedisServer own = RedisServer.start();
        RedisStorage<String, String> storage = RedisStorage.open(own.url(), TEXT, TEXT)) {
      storage.store("k", "v");
      own.kill();
      assertThatThrownBy(() -> storage.load("k"))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("cannot connect to " + own.url())
          .satisfies(e -> assertThat(((StorageException) e).retryable()).isTrue());
      assertThatThrownBy(() -> storage.store("k", "v")).isInstanceOf(StorageException.class);
      own.restart();
      assertThat(storage.load("k")).isNull();
      storage.store("k", "again");
      assertThat(storage.load("k")).isEqualTo("again");
    }
  }

  @Test
  void callsOnAServerThatIsStoppedEndInTime() throws Exception {
    try (RedisServer own = RedisServer.start();
        RedisStorage<String, String> storage =
            RedisStorage.open(own.url() + "?timeout=PT0.3S", TEXT, TEXT)) {
      storage.store("k", "v");
      own.signal("STOP");
      // The first gives up the connection, the next ones wait for another.
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(() -> storage.load("k"))
            .isInstanceOf(StorageException.class)
            .satisfies(e -> assertThat(((StorageException) e).retryable()).isTrue());
        assertThatThrownBy(() -> storage.storeAll(Map.of("k", "w")))
            .isInstanceOf(StorageException.class);
        assertThat(storage.loadAsync("k"))
            .failsWithin(Duration.ofSeconds(30))
            .withThrowableThat()
            .withCauseInstanceOf(StorageException.class);
      }
      own.signal("CONT");
      String loaded = null;
      while (loaded == null) {
        try {
          loaded = storage.load("k"); // the time-out of the test bounds this
        } catch (StorageException e) {
          assertThat(e.retryable()).isTrue();
        }
      }
      // Of a write that got no answer it is not known whether it was made.
      assertThat(loaded).isIn("v", "w");
    }
  }

  @Test
  void anInterruptEndsTheWait() throws Exception {
    try (RedisServer own = RedisServer.start();
        RedisStorage<String, String> storage = RedisStorage.open(own.url(), TEXT, TEXT)) {
      storage.load("k");
      own.signal("STOP");
      CountDownLatch loading = new CountDownLatch(1);
      FutureTask<Void> task =
          new FutureTask<>(
              () -> {
                loading.countDown();
                assertThatThrownBy(() -> storage.load("k"))
                    .isInstanceOf(InterruptedException.class);
                return null;
              });
      Thread thread = new Thread(task);
      thread.start();
      loading.await();
      thread.interrupt();
      task.get(30, TimeUnit.SECONDS);
      own.signal("CONT");
      assertThat(storage.load("k")).isNull();
    }
  }

  @Test
  void aServerWithoutRoomSaysSo() throws Exception {
    try (RedisServer own = RedisServer.start("--maxmemory", "3mb");
        RedisStorage<String, String> storage = RedisStorage.open(own.url(), TEXT, TEXT)) {
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 1000; i++) {
                  storage.store("k" + i, "v".repeat(10_000));
                }
              })
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("OOM")
          .hasMessageContaining("give the server more maxmemory");
      assertThat(storage.load("k0")).hasSize(10_000);
    }
  }
}
