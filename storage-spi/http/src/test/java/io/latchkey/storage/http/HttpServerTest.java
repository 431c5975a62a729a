package io.latchkey.storage.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.Cache;
import io.latchkey.storage.Codec;
import io.latchkey.storage.MemoryStorage;
import io.latchkey.storage.Storage;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.Storages;
import io.latchkey.storage.Subscription;
import io.latchkey.storage.WatchableStorage;
import io.latchkey.storage.WritableStorage;
import io.latchkey.storage.http.server.HttpCacheServer;
import io.latchkey.storage.testkit.FeedRecorder;
import io.latchkey.storage.testkit.FeedRecorder.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Client and server together: several caches, feeds that are cut, servers that come and go. */
class HttpServerTest {
  private static final Duration PATIENCE = Duration.ofMillis(ScriptedServer.PATIENCE_MILLIS);

  private static HttpCacheServer serve(Storage<String, String> storage, int port)
      throws StorageException {
    return HttpCacheServer.over(storage, Codec.utf8(), Codec.utf8()).port(port).start();
  }

  private static String url(int port) {
    return "http://127.0.0.1:" + port + "/";
  }

  private static <S> S open(int port) throws StorageException {
    @SuppressWarnings("unchecked") // the test knows what its server can do
    S storage = (S) Storages.open(url(port), Codec.utf8(), Codec.utf8());
    return storage;
  }

  /** Waits for what a cache hears by its feed. */
  private static void await(Cache<String, String> cache, String key, String value) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!value.equals(cache.get(key))) {
      assertThat(System.nanoTime()).as(key + " becomes " + value).isLessThan(end);
      Thread.onSpinWait();
    }
  }

  @Test
  @DisplayName("F19: changes through one of two caches over one server are seen by the other")
  void twoCaches() throws Exception {
    try (MemoryStorage<String, String> memory = MemoryStorage.create();
        HttpCacheServer server = serve(memory, 0);
        Cache<String, String> one =
            Cache.over(url(server.port()), Codec.utf8(), Codec.utf8()).maximumSize(100).build();
        Cache<String, String> two =
            Cache.over(url(server.port()), Codec.utf8(), Codec.utf8())
                .maximumSize(100)
                .recordStats()
                .build()) {
      for (int i = 0; i < 50; i++) {
        String value = "v" + i;
        one.put("k", value);
        await(two, "k", value);
        assertThat(one.get("k")).isEqualTo(value);
      }
      // Each change of k threw it out; what is told of the last one may do so once more.
      long end = System.nanoTime() + PATIENCE.toNanos();
      for (long hits = two.stats().hitCount(); two.stats().hitCount() == hits; ) {
        assertThat(System.nanoTime()).as("two is a cache, not a pipe").isLessThan(end);
        assertThat(two.get("k")).isEqualTo("v49");
      }
      two.remove("k");
      while (one.get("k") != null) {
        assertThat(System.nanoTime()).isLessThan(end);
      }
      memory.store("k", "behind the server");
      await(one, "k", "behind the server");
      await(two, "k", "behind the server");
      assertThat(one.getAll(List.of("k", "x"))).containsOnlyKeys("k");
    }
  }

  @Test
  @DisplayName("The example of the README: a cache over the URL of a server with a token")
  void example() throws Exception {
    try (HttpCacheServer server = HttpCacheServer.over("memory:").token("Xyzzy-7").start()) {
      String url = url(server.port());
      Cache<String, String> users =
          Cache.over(url + "?token=Xyzzy-7&connections=2", Codec.utf8(), Codec.utf8())
              .maximumSize(10_000)
              .build();
      users.put("Ada", "1815");
      assertThat(users.get("Ada")).isEqualTo("1815");
      users.close();
    }
  }

  @Test
  @DisplayName("A cut feed is lost, resumed at its last event, and has no hole")
  void cutAndResumed() throws Exception {
    try (MemoryStorage<String, String> memory = MemoryStorage.create();
        HttpCacheServer server = serve(memory, 0);
        CutLine line = new CutLine(server.port());
        HttpStorage<String, String> storage = open(line.port())) {
      FeedRecorder<String> recorder = new FeedRecorder<>(PATIENCE);
      try (Subscription subscription = watch(storage, recorder)) {
        assertThat(subscription).isNotNull();
        memory.store("a", "1");
        recorder.awaitChanged("a");
        line.refuse(true);
        line.cut();
        recorder.await("lost", events -> events.get(events.size() - 1).kind() == Kind.LOST);
        long last = recorder.sequence();
        for (String missed : List.of("b", "c", "d")) {
          memory.store(missed, "2");
        }
        line.refuse(false);
        recorder.awaitChanged("d");
        assertThat(recorder.events().stream().skip(2).map(e -> e.kind() + " " + e.keys()).toList())
            .containsExactly("LOST []", "WHOLE []", "CHANGED [b]", "CHANGED [c]", "CHANGED [d]");
        assertThat(recorder.events().get(3).sequence()).isEqualTo(last);
      }
    }
  }

  @Test
  @DisplayName("A feed that missed more than the server kept is whole at the present: a gap")
  void cutForTooLong() throws Exception {
    try (MemoryStorage<String, String> memory = MemoryStorage.create();
        HttpCacheServer server =
            HttpCacheServer.over(memory, Codec.utf8(), Codec.utf8()).keptChanges(2).start();
        CutLine line = new CutLine(server.port());
        HttpStorage<String, String> storage = open(line.port())) {
      FeedRecorder<String> recorder = new FeedRecorder<>(PATIENCE);
      try (Subscription subscription = watch(storage, recorder)) {
        assertThat(subscription).isNotNull();
        long before = recorder.sequence();
        line.refuse(true);
        line.cut();
        recorder.await("lost", events -> events.get(events.size() - 1).kind() == Kind.LOST);
        for (int i = 0; i < 10; i++) {
          memory.store("k" + i, "1");
        }
        line.refuse(false);
        recorder.awaitWhole();
        assertThat(recorder.events().stream().map(e -> e.kind() + " " + e.keys()).toList())
            .containsExactly("WHOLE []", "LOST []", "WHOLE []");
        assertThat(recorder.sequence()).isGreaterThan(before);
      }
    }
  }

  @Test
  @DisplayName("A server restarted in traffic: failures are retryable, what was acknowledged stays")
  void restarted() throws Exception {
    try (MemoryStorage<String, String> memory = MemoryStorage.create()) {
      HttpCacheServer server = serve(memory, 0);
      int port = server.port();
      try (HttpStorage<String, String> storage = open(port)) {
        WritableStorage<String, String> writable = writable(storage);
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger rounds = new AtomicInteger();
        List<FutureTask<Integer>> callers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
          String key = "k" + i;
          callers.add(
              ScriptedServer.start(
                  () -> {
                    int acknowledged = 0;
                    while (!over.get()) {
                      int next = acknowledged + 1;
                      try {
                        writable.store(key, Integer.toString(next));
                        acknowledged = next;
                        assertThat(writable.load(key)).isEqualTo(Integer.toString(next));
                        rounds.incrementAndGet();
                      } catch (StorageException e) {
                        assertThat(e.retryable()).as(e.toString()).isTrue();
                      }
                    }
                    String left = memory.load(key);
                    // A write whose outcome was unknown may have been made.
                    assertThat(left)
                        .isIn(Integer.toString(acknowledged), Integer.toString(acknowledged + 1));
                    return acknowledged;
                  }));
        }
        for (int restart = 0; restart < 3; restart++) {
          int enough = rounds.get() + 200;
          awaitAtLeast(rounds, enough, callers);
          server.close();
          server = serve(memory, port);
        }
        awaitAtLeast(rounds, rounds.get() + 200, callers);
        over.set(true);
        for (FutureTask<Integer> caller : callers) {
          assertThat(caller.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)).isPositive();
        }
      } finally {
        server.close();
      }
    }
  }

  private static void awaitAtLeast(
      AtomicInteger rounds, int enough, List<FutureTask<Integer>> callers) throws Exception {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (rounds.get() < enough) {
      for (FutureTask<Integer> caller : callers) {
        if (caller.isDone()) {
          caller.get(); // throws what it threw
        }
      }
      assertThat(System.nanoTime()).as("rounds: " + rounds).isLessThan(end);
      Thread.onSpinWait();
    }
  }

  @Test
  @DisplayName("A read-only storage behind the server does not open as a writable one")
  void readOnly() throws Exception {
    Storage<String, String> twice = key -> key + key;
    try (HttpCacheServer server = serve(twice, 0);
        Storage<String, String> storage = open(server.port())) {
      assertThat(storage)
          .isNotInstanceOf(WritableStorage.class)
          .isNotInstanceOf(WatchableStorage.class);
      assertThat(storage.load("ab")).isEqualTo("abab");
    }
  }

  @SuppressWarnings("unchecked")
  private static WritableStorage<String, String> writable(Storage<String, String> storage) {
    return (WritableStorage<String, String>) storage;
  }

  @SuppressWarnings("unchecked")
  private static Subscription watch(Storage<String, String> storage, FeedRecorder<String> recorder)
      throws Exception {
    return ((WatchableStorage<String, String>) storage).watch(recorder);
  }
}
