package io.latchkey.storage.http.server;

import static io.latchkey.storage.http.server.RawClient.get;
import static io.latchkey.storage.http.server.RawClient.put;
import static io.latchkey.storage.http.server.RawClient.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.storage.http.server.RawClient.Response;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Token, origins and TLS. */
@ExtendWith(LeakCheck.class)
class SecurityTest {
  private static final String TOKEN = "s3cret-token";

  @Test
  @DisplayName("With a token everything but the health asks for it, and nothing shows it")
  void token() throws Exception {
    try (HttpCacheServer server = HttpCacheServer.over("memory:").token(TOKEN).start()) {
      assertThat(server.toString()).doesNotContain(TOKEN);
      try (RawClient client = RawClient.to(server)) {
        assertThat(client.ask(get("/health")).status()).isEqualTo(200);
        for (String path : new String[] {"/objects/k", "/metrics", "/changes", "/nothing"}) {
          for (String fields :
              new String[] {
                "",
                "Authorization: Bearer\r\n",
                "Authorization: Bearer x\r\n",
                "Authorization: Bearer " + TOKEN + "x\r\n",
                "Authorization: Bearer " + TOKEN.substring(1) + "\r\n",
                "Authorization: Basic " + TOKEN + "\r\n",
                "Authorization: " + TOKEN + "\r\n",
              }) {
            Response refused = client.ask(request("GET", path, fields));
            assertThat(refused.status()).as(fields).isEqualTo(401);
            assertThat(refused.field("www-authenticate")).isEqualTo("Bearer");
            assertThat(refused.body()).doesNotContain(TOKEN);
          }
        }
        String right = "Authorization: Bearer " + TOKEN + "\r\n";
        assertThat(client.ask(put("/objects/k", right, "x")).status()).isEqualTo(204);
        String lower = "Authorization: bearer " + TOKEN + "\r\n";
        assertThat(client.ask(request("GET", "/objects/k", lower)).body()).isEqualTo("x");
        // A body is not received from somebody unknown.
        assertThat(client.ask(put("/objects/k", "", "y")).status()).isEqualTo(401);
        assertThat(client.isAtEnd()).isTrue();
      }
    }
  }

  @Test
  @DisplayName("Scripts of pages from elsewhere may do nothing unless told")
  void otherOrigins() throws Exception {
    try (HttpCacheServer server = HttpCacheServer.over("memory:").start();
        RawClient client = RawClient.to(server)) {
      String origin = "Origin: https://app.example.org\r\n";
      assertThat(client.ask(put("/objects/k", origin, "x")).fields())
          .doesNotContainKey("access-control-allow-origin");
      assertThat(client.ask(request("GET", "/objects/k", origin)).fields())
          .doesNotContainKey("access-control-allow-origin");
      Response refused =
          client.ask(
              request("OPTIONS", "/objects/k", origin + "Access-Control-Request-Method: PUT\r\n"));
      assertThat(refused.status()).isEqualTo(405);
    }
  }

  private static String from(String host, String fields) {
    return "GET /objects/k HTTP/1.1\r\nHost: " + host + "\r\n" + fields + "\r\n";
  }

  @Test
  @DisplayName("A page whose name was made to lead to this machine is refused, programs are not")
  void rebound() throws Exception {
    try (HttpCacheServer server = HttpCacheServer.over("memory:").start();
        RawClient client = RawClient.to(server)) {
      client.ask(put("/objects/k", "", "x"));
      for (String browser :
          List.of("Sec-Fetch-Site: same-origin\r\n", "Origin: http://evil.example:7070\r\n")) {
        for (String host : List.of("evil.example:7070", "evil.example", "127.evil.example")) {
          Response refused = client.ask(from(host, browser));
          assertThat(refused.status()).as(host).isEqualTo(403);
          assertThat(refused.body()).contains("use its address");
        }
        for (String host :
            List.of("127.0.0.1:7070", "localhost", "LOCALHOST:1", "a.localhost", "[::1]:7070")) {
          assertThat(client.ask(from(host, browser)).body()).as(host).isEqualTo("x");
        }
      }
      assertThat(client.ask(from("tunnel.example", "")).body()).isEqualTo("x");
    }
    try (HttpCacheServer server =
            HttpCacheServer.over("memory:").allowOrigin("https://app.example.org").start();
        RawClient client = RawClient.to(server)) {
      String browser = "Sec-Fetch-Site: same-origin\r\n";
      assertThat(client.ask(from("app.example.org", browser)).status()).isEqualTo(404);
      assertThat(client.ask(from("evil.example", browser)).status()).isEqualTo(403);
    }
    try (HttpCacheServer server = HttpCacheServer.over("memory:").token(TOKEN).start();
        RawClient client = RawClient.to(server)) {
      // Pages do not know the token.
      String known = "Sec-Fetch-Site: none\r\nAuthorization: Bearer " + TOKEN + "\r\n";
      assertThat(client.ask(from("any.example", known)).status()).isEqualTo(404);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"https://app.example.org", "http://localhost:3000", "*"})
  @DisplayName("Scripts of pages that are allowed may read, write and follow the feed")
  void allowedOrigin(String origin) throws Exception {
    String right = "Authorization: Bearer " + TOKEN + "\r\n";
    try (HttpCacheServer server =
        HttpCacheServer.over("memory:").token(TOKEN).allowOrigin(origin).start()) {
      try (RawClient client = RawClient.to(server)) {
        Response asked =
            client.ask(request("OPTIONS", "/objects/k", "Access-Control-Request-Method: PUT\r\n"));
        assertThat(asked.status()).isEqualTo(204);
        assertThat(asked.field("access-control-allow-origin")).isEqualTo(origin);
        assertThat(asked.field("access-control-allow-methods")).contains("PUT", "DELETE");
        assertThat(asked.field("access-control-allow-headers")).contains("authorization");
        for (Response each :
            List.of(
                client.ask(put("/objects/k", right, "x")),
                client.ask(request("GET", "/objects/k", right)),
                client.ask(request("GET", "/objects/none", right)),
                client.ask(get("/objects/k")), // without the token: a script sees why, too
                client.ask(get("/health")))) {
          assertThat(each.field("access-control-allow-origin"))
              .as(each.toString())
              .isEqualTo(origin);
        }
        // A plain OPTIONS is no question of a browser.
        assertThat(client.ask(request("OPTIONS", "/objects/k", right)).status()).isEqualTo(405);
      }
      try (RawClient client = RawClient.to(server)) {
        client.send(request("GET", "/changes", right));
        assertThat(client.read().field("access-control-allow-origin")).isEqualTo(origin);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "app.example.org",
        "https://app.example.org/",
        "https://a, https://b",
        "https://user@host",
        "https://a\r\nx: y",
        "null",
      })
  @DisplayName("What is no origin is refused with its name")
  void noOrigin(String origin) {
    assertThatThrownBy(() -> HttpCacheServer.over("memory:").allowOrigin(origin))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("allowOrigin must be * or an origin")
        .hasMessageEndingWith("not " + origin);
  }

  @Test
  @DisplayName("Over TLS everything is as without, and plain text is not understood")
  void tls(@TempDir Path folder) throws Exception {
    X509Bundle bundle =
        new CertificateBuilder()
            .subject("CN=localhost")
            .addSanDnsName("localhost")
            .setIsCertificateAuthority(true)
            .buildSelfSigned();
    Path chain = Files.writeString(folder.resolve("chain.pem"), bundle.getCertificatePathPEM());
    Path key = Files.writeString(folder.resolve("key.pem"), bundle.getPrivateKeyPEM());
    TrustManagerFactory trust = bundle.toTrustManagerFactory();
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    String large = "x".repeat(2 << 20);
    try (HttpCacheServer server = HttpCacheServer.over("memory:").tls(chain, key).start()) {
      assertThat(server.url()).startsWith("https://127.0.0.1:");
      try (SSLSocket socket =
              (SSLSocket) context.getSocketFactory().createSocket("localhost", server.port());
          RawClient client = new RawClient(socket)) {
        assertThat(client.ask(put("/objects/k", "", large)).status()).isEqualTo(204);
        client.send(get("/objects/k") + get("/health") + get("/objects/k"));
        assertThat(client.read().body()).isEqualTo(large);
        assertThat(client.read().body()).isEqualTo("ok\n");
        assertThat(client.read().body()).isEqualTo(large);
        client.send(request("GET", "/health", "Connection: close\r\n"));
        assertThat(client.read().body()).isEqualTo("ok\n");
        assertThat(client.isAtEnd()).isTrue();
      }
      try (RawClient plain = RawClient.to(server)) {
        plain.send(get("/health"));
        assertThatThrownBy(plain::read).isInstanceOf(java.io.IOException.class);
      }
    }
    assertThatThrownBy(() -> HttpCacheServer.over("memory:").tls(key, chain).start())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("key.pem");
  }
}
