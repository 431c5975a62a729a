package io.latchkey.storage.http.server;

import static io.latchkey.storage.http.server.RawClient.get;
import static io.latchkey.storage.http.server.RawClient.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.storage.Codec;
import io.latchkey.storage.testkit.GatedWritableStorage;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Several requests of one connection at once. */
@ExtendWith(LeakCheck.class)
class PipeliningTest {
  private final GatedWritableStorage<String, String> storage = new GatedWritableStorage<>();

  private HttpCacheServerBuilder server() {
    return HttpCacheServer.over(storage, Codec.utf8(), Codec.utf8()).workers(1);
  }

  private void storeHit(RawClient client) throws Exception {
    assertThat(client.ask(put("/objects/hit", "", "cached")).status()).isEqualTo(204);
  }

  @ParameterizedTest
  @EnumSource(
      value = Transport.class,
      names = {"NIO", "EPOLL", "IO_URING"})
  @DisplayName("Responses keep the order of the requests, a slow miss in the middle included")
  void order(Transport transport) throws Exception {
    Transports.assume(transport);
    try (HttpCacheServer server = server().transport(transport).start();
        RawClient client = RawClient.to(server);
        RawClient other = RawClient.to(server)) {
      assertThat(server.transport()).isEqualTo(transport);
      storage.open("hit");
      storeHit(client);
      client.send(
          get("/objects/hit") + get("/objects/slow") + get("/objects/hit") + get("/nothing"));
      assertThat(client.read().body()).isEqualTo("cached");
      storage.await("slow");
      // The slow one holds up nobody else, on the same event loop.
      assertThat(other.ask(get("/objects/hit")).body()).isEqualTo("cached");
      storage.release("slow", "loaded");
      assertThat(client.read().body()).isEqualTo("loaded");
      assertThat(client.read().body()).isEqualTo("cached");
      assertThat(client.read().status()).isEqualTo(404);
      // Two misses that end in the other order.
      client.send(get("/objects/a") + get("/objects/b"));
      storage.release("b", "second");
      storage.release("a", "first");
      assertThat(client.read().body()).isEqualTo("first");
      assertThat(client.read().body()).isEqualTo("second");
    }
  }

  @Test
  @DisplayName("Writes, reads and errors in one batch are answered in their order")
  void mixed() throws Exception {
    storage.open();
    try (HttpCacheServer server = server().start();
        RawClient client = RawClient.to(server)) {
      client.send(
          put("/objects/k", "", "one")
              + get("/health")
              + put("/objects/k", "If-Match: \"other\"\r\n", "two")
              + get("/objects/%zz")
              + get("/objects/none"));
      assertThat(client.read().status()).isEqualTo(204);
      assertThat(client.read().body()).isEqualTo("ok\n");
      assertThat(client.read().status()).isEqualTo(412);
      assertThat(client.read().status()).isEqualTo(400);
      assertThat(client.read().status()).isEqualTo(404);
    }
  }

  @Test
  @DisplayName(
      "No more requests are taken than are answered soon; the rest follows, nothing is lost")
  void bounded() throws Exception {
    int misses = 50;
    try (HttpCacheServer server = server().maxPipelined(4).start();
        RawClient client = RawClient.to(server)) {
      StringBuilder batch = new StringBuilder();
      for (int i = 0; i < misses; i++) {
        batch.append(get("/objects/" + i));
      }
      client.send(batch.toString());
      for (int i = 0; i < misses; i++) {
        storage.await("" + i);
        assertThat(storage.loadsUnderWay()).isLessThanOrEqualTo(4);
        storage.release("" + i, "value " + i);
        assertThat(client.read().body()).isEqualTo("value " + i);
      }
      assertThat(storage.loads()).isEqualTo(misses);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Transport.class,
      names = {"NIO", "EPOLL"})
  @DisplayName("A client that closed its output gets all responses, and then the end")
  void halfClosed(Transport transport) throws Exception {
    Transports.assume(transport);
    try (HttpCacheServer server = server().maxPipelined(2).transport(transport).start();
        RawClient client = RawClient.to(server)) {
      storage.open("hit");
      storeHit(client);
      client.send(
          get("/objects/slow")
              + get("/objects/hit")
              + get("/objects/hit")
              + get("/objects/hit")
              + get("/objects/slower"));
      client.socket.shutdownOutput();
      storage.release("slow", "loaded");
      assertThat(client.read().body()).isEqualTo("loaded");
      for (int i = 0; i < 3; i++) {
        assertThat(client.read().body()).isEqualTo("cached");
      }
      storage.release("slower", "at last");
      assertThat(client.read().body()).isEqualTo("at last");
      assertThat(client.isAtEnd()).isTrue();
    }
  }

  @Test
  @DisplayName("More hits than the client's buffers hold are all answered once it reads")
  void largeResponses() throws Exception {
    String large = "x".repeat(300_000);
    int count = 100;
    try (HttpCacheServer server = server().start();
        RawClient client = RawClient.to(server)) {
      client.ask(put("/objects/large", "", large));
      client.send(get("/objects/large").repeat(count));
      for (int i = 0; i < count; i++) {
        assertThat(client.read().body()).hasSize(large.length());
      }
    }
  }

  @Test
  @DisplayName(
      "Connection: close ends the connection after its response, later requests unanswered")
  void close() throws Exception {
    storage.open();
    try (HttpCacheServer server = server().start();
        RawClient client = RawClient.to(server)) {
      storeHit(client);
      client.send(
          RawClient.request("GET", "/objects/hit", "Connection: close\r\n") + get("/objects/hit"));
      assertThat(client.read().field("connection")).isEqualTo("close");
      assertThat(client.isAtEnd()).isTrue();
    }
  }

  @Test
  @DisplayName("A load that the executor refuses is answered with 503, and may be tried again")
  void refused() throws Exception {
    CountDownLatch refusals = new CountDownLatch(1);
    ThreadPoolExecutor one =
        new ThreadPoolExecutor(
            1,
            1,
            1,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            (task, pool) -> {
              refusals.countDown();
              throw new RejectedExecutionException("busy");
            });
    try (HttpCacheServer server = server().executor(one).start();
        RawClient client = RawClient.to(server)) {
      client.send(get("/objects/a"));
      storage.await("a");
      client.send(get("/objects/b"));
      refusals.await(); // before the only worker is free again
      storage.release("a", "first");
      assertThat(client.read().body()).isEqualTo("first");
      assertThat(client.read().status()).isEqualTo(503);
    } finally {
      one.shutdown();
    }
    assertThat(storage.loads("b")).isZero();
  }

  @Test
  @DisplayName("Many who want one slow object hold one thread, and all get it")
  void stampede() throws Exception {
    ThreadPoolExecutor one =
        new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
    RawClient[] clients = new RawClient[40];
    try (HttpCacheServer server =
        server().executor(one).idleTimeout(Duration.ofMinutes(5)).start()) {
      for (int i = 0; i < clients.length; i++) {
        clients[i] = RawClient.to(server).send(get("/objects/slow") + get("/health"));
      }
      storage.await("slow");
      storage.release("slow", "loaded");
      for (RawClient client : clients) {
        assertThat(client.read().body()).isEqualTo("loaded");
        assertThat(client.read().body()).isEqualTo("ok\n");
        client.close();
      }
      assertThat(one.getLargestPoolSize()).isEqualTo(1);
    } finally {
      one.shutdown();
    }
    assertThat(storage.loads("slow")).isEqualTo(1);
  }
}
