package io.latchkey.storage.http.server;

import static io.latchkey.storage.http.server.RawClient.get;
import static io.latchkey.storage.http.server.RawClient.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.storage.Codec;
import io.latchkey.storage.http.server.RawClient.Response;
import io.latchkey.storage.testkit.GatedWritableStorage;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The end of a server. */
@ExtendWith(LeakCheck.class)
class ShutdownTest {
  @Test
  @DisplayName("What was accepted is answered, health says draining, and nobody else gets in")
  void drains() throws Exception {
    GatedWritableStorage<String, String> storage = new GatedWritableStorage<>();
    HttpCacheServer server =
        HttpCacheServer.over(storage, Codec.utf8(), Codec.utf8())
            .drainTimeout(Duration.ofMinutes(5))
            .start();
    try (RawClient busy = RawClient.to(server);
        RawClient prober = RawClient.to(server);
        RawClient idle = RawClient.to(server)) {
      busy.send(get("/objects/slow") + get("/objects/slow"));
      storage.await("slow");
      assertThat(prober.ask(get("/health")).body()).isEqualTo("ok\n");
      CompletableFuture<Void> closing = CompletableFuture.runAsync(server::close);
      Response health = prober.ask(get("/health"));
      while (health.field("connection").isEmpty()) {
        health = prober.ask(get("/health"));
      }
      assertThat(health.status()).isEqualTo(503);
      assertThat(health.body()).isEqualTo("draining\n");
      assertThat(closing).isNotDone();
      storage.release("slow", "loaded");
      Response first = busy.read();
      assertThat(first.body()).isEqualTo("loaded");
      Response last = busy.read();
      assertThat(last.body()).isEqualTo("loaded");
      assertThat(last.field("connection")).isEqualTo("close");
      assertThat(busy.isAtEnd()).isTrue();
      busy.close();
      assertThat(idle.isAtEnd()).isTrue();
      idle.close();
      prober.close();
      closing.get(30, TimeUnit.SECONDS);
      assertThatThrownBy(() -> RawClient.to(server)).isInstanceOf(ConnectException.class);
      server.close(); // does nothing
    }
  }

  @Test
  @DisplayName(
      "Under load no response is lost or cut: each that was begun ends, or was never begun")
  void underLoad() throws Exception {
    HttpCacheServer server = HttpCacheServer.over("memory:").workers(2).start();
    String body = "x".repeat(10_000);
    try (RawClient client = RawClient.to(server)) {
      client.ask(put("/objects/k", "", body));
    }
    int clients = 16;
    int batch = 8;
    CountDownLatch warm = new CountDownLatch(clients);
    AtomicInteger answered = new AtomicInteger();
    List<CompletableFuture<Boolean>> ends = new ArrayList<>();
    for (int i = 0; i < clients; i++) {
      CompletableFuture<Boolean> end = new CompletableFuture<>();
      ends.add(end);
      new Thread(
              () -> {
                try (RawClient client = RawClient.to(server)) {
                  boolean open = true;
                  for (int round = 0; open; round++) {
                    client.send(get("/objects/k").repeat(batch));
                    for (int n = 0; n < batch && open; n++) {
                      Response response = client.read();
                      assertThat(response.status()).isEqualTo(200);
                      assertThat(response.body()).hasSize(body.length());
                      open = response.field("connection").isEmpty();
                      answered.incrementAndGet();
                    }
                    if (round == 0) {
                      warm.countDown();
                    }
                  }
                  end.complete(client.isAtEnd());
                } catch (Throwable e) {
                  end.completeExceptionally(e);
                }
              })
          .start();
    }
    warm.await();
    server.close();
    for (CompletableFuture<Boolean> end : ends) {
      // Each saw "Connection: close" on its last response, and then the end, never a reset.
      assertThat(end.get(30, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(server.stats().hitCount()).isGreaterThanOrEqualTo(answered.get());
  }

  @Test
  @DisplayName("The feed ends properly, with its last chunk")
  void feedEnds() throws Exception {
    HttpCacheServer server = HttpCacheServer.over("memory:").start();
    try (RawClient client = RawClient.to(server)) {
      client.ask(get("/changes"));
      client.event();
      client.event();
      CompletableFuture<Void> closing = CompletableFuture.runAsync(server::close);
      assertThat(client.line()).isEqualTo("0");
      assertThat(client.line()).isEmpty();
      assertThat(client.isAtEnd()).isTrue();
      client.close();
      closing.get(30, TimeUnit.SECONDS);
    }
  }

  @Test
  @DisplayName("A load that never ends holds up the close no longer than drainTimeout")
  void drainTimeout() throws Exception {
    GatedWritableStorage<String, String> storage = new GatedWritableStorage<>();
    HttpCacheServer server =
        HttpCacheServer.over(storage, Codec.utf8(), Codec.utf8())
            .drainTimeout(Duration.ofMillis(50))
            .start();
    try (RawClient client = RawClient.to(server).send(get("/objects/slow"))) {
      storage.await("slow");
      server.close();
      assertThatThrownBy(client::read).isInstanceOf(IOException.class);
    }
  }

  @Test
  @DisplayName("No thread of a server is left after its close, nor of one that could not begin")
  void threads() throws Exception {
    HttpCacheServer server = HttpCacheServer.over("memory:").workers(3).start();
    try (RawClient client = RawClient.to(server)) {
      client.ask(put("/objects/k", "", "x"));
      client.ask(get("/objects/other"));
      assertThatThrownBy(() -> HttpCacheServer.over("memory:").port(server.port()).start())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("port " + server.port());
    }
    server.close();
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().startsWith("latchkey-http")) {
        thread.join(30_000);
        assertThat(thread.isAlive()).as(thread.getName()).isFalse();
      }
    }
  }
}
