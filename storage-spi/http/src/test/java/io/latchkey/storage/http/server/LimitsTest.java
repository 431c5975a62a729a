package io.latchkey.storage.http.server;

import static io.latchkey.storage.http.server.RawClient.get;
import static io.latchkey.storage.http.server.RawClient.put;
import static io.latchkey.storage.http.server.RawClient.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.storage.http.server.RawClient.Response;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a client can make the server hold, and for how long. */
@ExtendWith(LeakCheck.class)
class LimitsTest {
  private static final Duration SOON = Duration.ofMillis(100);

  private static HttpCacheServerBuilder server() {
    return HttpCacheServer.over("memory:").workers(1);
  }

  @Test
  @DisplayName("A request line that is too long gets 414, header fields that are get 431")
  void heads() throws Exception {
    try (HttpCacheServer server = server().maxHeaderBytes(1000).start()) {
      String[] bombs = {
        request("GET", "/objects/k", "X: " + "y".repeat(1000) + "\r\n"),
        request("GET", "/objects/k", "X: y\r\n".repeat(300)),
        "GET /objects/k HTTP/1.1\r\n" + "x".repeat(2000),
      };
      for (String bomb : bombs) {
        try (RawClient client = RawClient.to(server)) {
          Response response = client.ask(bomb);
          assertThat(response.status()).isEqualTo(431);
          assertThat(response.field("connection")).isEqualTo("close");
          assertThat(client.isAtEnd()).isTrue();
        }
      }
      try (RawClient client = RawClient.to(server)) {
        assertThat(client.ask("GET /" + "x".repeat(10_000)).status()).isEqualTo(414);
        assertThat(client.isAtEnd()).isTrue();
      }
      try (RawClient client = RawClient.to(server)) {
        String longest = "/objects/" + "%41".repeat(1024);
        assertThat(client.ask(get(longest)).status()).isEqualTo(404);
        assertThat(client.ask(get(longest + "%41")).status()).isEqualTo(414);
      }
    }
  }

  @Test
  @DisplayName("A header bomb without an end is cut off as soon as it is over the limit")
  void endless() throws Exception {
    try (HttpCacheServer server = server().start();
        RawClient client = RawClient.to(server)) {
      client.send("GET /objects/k HTTP/1.1\r\nHost: h\r\n");
      String line = "X: " + "y".repeat(100) + "\r\n";
      // What comes after the answer is thrown away for a second, and then the socket is closed.
      assertThatThrownBy(
              () -> {
                while (true) {
                  client.send(line);
                }
              })
          .isInstanceOf(SocketException.class);
    }
  }

  @Test
  @DisplayName("A body that is too large gets 413, announced or not")
  void bodies() throws Exception {
    try (HttpCacheServer server = server().maxBodyBytes(100).start()) {
      try (RawClient client = RawClient.to(server)) {
        assertThat(client.ask(put("/objects/k", "", "x".repeat(100))).status()).isEqualTo(204);
        assertThat(client.ask(put("/objects/k", "", "x".repeat(101))).status()).isEqualTo(413);
        assertThat(client.isAtEnd()).isTrue();
      }
      try (RawClient client = RawClient.to(server)) {
        client.send(request("PUT", "/objects/k", "Transfer-Encoding: chunked\r\n"));
        client.send("40\r\n" + "x".repeat(64) + "\r\n40\r\n" + "x".repeat(64) + "\r\n");
        assertThat(client.read().status()).isEqualTo(413);
        assertThat(client.isAtEnd()).isTrue();
      }
    }
  }

  @Test
  @DisplayName("All bodies that have arrived in part share a bound, and are freed with it")
  void bodiesTogether() throws Exception {
    try (HttpCacheServer server = server().maxBodyBytes(100).start();
        RawClient last = RawClient.to(server)) {
      List<RawClient> clients = new ArrayList<>();
      for (int i = 0; i < 16; i++) {
        RawClient client = RawClient.to(server);
        clients.add(client);
        client.send(request("PUT", "/objects/k", "Content-Length: 100\r\n") + "x".repeat(99));
      }
      // Each client's bytes are counted when they have arrived.
      String all = "latchkey_http_body_bytes 1584\n";
      try (RawClient metrics = RawClient.to(server)) {
        while (!metrics.ask(get("/metrics")).body().contains(all)) {
          Thread.onSpinWait();
        }
      }
      assertThat(last.ask(put("/objects/k", "", "x".repeat(17))).status()).isEqualTo(503);
      for (RawClient client : clients) {
        client.close();
      }
      try (RawClient metrics = RawClient.to(server)) {
        while (!metrics.ask(get("/metrics")).body().contains("latchkey_http_body_bytes 0\n")) {
          Thread.onSpinWait();
        }
      }
    }
  }

  @Test
  @DisplayName("A request that arrives too slowly gets 408, in its head and in its body")
  void slowLoris() throws Exception {
    try (HttpCacheServer server = server().requestTimeout(SOON).start()) {
      for (String part :
          new String[] {
            "GET /obj",
            "GET /objects/k HTTP/1.1\r\n",
            "GET /objects/k HTTP/1.1\r\nHost: h\r\nX: ",
            request("PUT", "/objects/k", "Content-Length: 10\r\n") + "abc",
            request("PUT", "/objects/k", "Transfer-Encoding: chunked\r\n") + "3\r\nab",
            get("/health") + "GET",
          }) {
        try (RawClient client = RawClient.to(server)) {
          client.send(part);
          if (part.contains("health")) {
            assertThat(client.read().status()).isEqualTo(200);
          }
          Response response = client.read();
          assertThat(response.status()).as(part).isEqualTo(408);
          assertThat(client.isAtEnd()).isTrue();
        }
      }
    }
  }

  @Test
  @DisplayName("A connection that lies idle is closed, one that is used is not")
  void idle() throws Exception {
    try (HttpCacheServer server = server().idleTimeout(SOON).start();
        RawClient idle = RawClient.to(server);
        RawClient used = RawClient.to(server)) {
      long end = System.nanoTime() + 4 * SOON.toNanos();
      while (System.nanoTime() < end) {
        assertThat(used.ask(get("/health")).status()).isEqualTo(200);
      }
      assertThat(idle.isAtEnd()).isTrue();
      assertThat(used.isAtEnd()).isTrue();
    }
  }

  @Test
  @DisplayName("More connections than allowed are told so with 503; when one ends there is room")
  void connections() throws Exception {
    try (HttpCacheServer server = server().maxConnections(3).start()) {
      List<RawClient> clients = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        clients.add(RawClient.to(server));
        assertThat(clients.get(i).ask(get("/health")).status()).isEqualTo(200);
      }
      try (RawClient fourth = RawClient.to(server)) {
        Response refused = fourth.read();
        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.field("retry-after")).isEqualTo("1");
        assertThat(fourth.isAtEnd()).isTrue();
      }
      assertThat(clients.get(0).ask(get("/metrics")).body())
          .contains("latchkey_http_connections_refused_total 1\n");
      clients.get(2).close();
      int status = 503;
      while (status == 503) {
        try (RawClient again = RawClient.to(server)) {
          status = again.ask(get("/health")).status();
        } catch (IOException refused) {
          Thread.onSpinWait();
        }
      }
      assertThat(status).isEqualTo(200);
      for (RawClient client : clients) {
        client.close();
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Transport.class,
      names = {"NIO", "EPOLL", "IO_URING"})
  @DisplayName("A client that never reads is cut off, having cost no more than its socket holds")
  void neverReads(Transport transport) throws Exception {
    Transports.assume(transport);
    try (HttpCacheServer server = server().transport(transport).writeTimeout(SOON).start();
        RawClient other = RawClient.to(server);
        Socket deaf = new Socket()) {
      assertThat(other.ask(put("/objects/k", "", "x".repeat(1_000_000))).status()).isEqualTo(204);
      deaf.setReceiveBufferSize(4096);
      deaf.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
      RawClient client = new RawClient(deaf);
      client.send(get("/objects/k").repeat(100));
      String metrics = "";
      while (!metrics.contains("latchkey_http_connections_cut_off_total 1\n")
          || !metrics.contains("latchkey_http_connections 1\n")) {
        metrics = other.ask(get("/metrics")).body();
      }
      // It was not read on and on: of 100 MB the sockets hold a few.
      assertThat(server.stats().hitCount()).isLessThan(20);
    }
  }

  @Test
  @DisplayName("A thousand idle connections cost the others nothing")
  void manyIdle() throws Exception {
    List<RawClient> idle = new ArrayList<>();
    try (HttpCacheServer server = HttpCacheServer.over("memory:").start();
        RawClient client = RawClient.to(server)) {
      for (int i = 0; i < 1_000; i++) {
        idle.add(RawClient.to(server));
      }
      client.ask(put("/objects/k", "", "value"));
      assertThat(client.ask(get("/objects/k")).body()).isEqualTo("value");
      for (RawClient each : idle) {
        assertThat(each.ask(get("/objects/k")).body()).isEqualTo("value");
      }
      assertThat(client.ask(get("/metrics")).body()).contains("latchkey_http_connections 1001\n");
    }
    for (RawClient each : idle) {
      assertThat(each.isAtEnd()).isTrue();
      each.close();
    }
  }
}
