package io.latchkey.storage.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.storage.Codec;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.Storages;
import io.latchkey.storage.http.ScriptedServer.Opened;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** TLS: which certificates are taken. The certificate is for localhost only. */
class HttpsTest {
  @TempDir static Path folder;

  private static Path certificate;
  private static SSLContext context;

  @BeforeAll
  static void makeCertificate() throws Exception {
    X509Bundle bundle =
        new CertificateBuilder()
            .subject("CN=localhost")
            .addSanDnsName("localhost")
            .setIsCertificateAuthority(true)
            .buildSelfSigned();
    certificate = Files.writeString(folder.resolve("server.pem"), bundle.getCertificatePathPEM());
    context = SSLContext.getInstance("TLS");
    context.init(bundle.toKeyManagerFactory().getKeyManagers(), null, null);
  }

  private static ServerSocket socket() throws Exception {
    return context
        .getServerSocketFactory()
        .createServerSocket(0, 50, InetAddress.getLoopbackAddress());
  }

  @Test
  @DisplayName("A certificate in the file of trust= is taken, and objects come by TLS")
  void trusted() throws Exception {
    try (ScriptedServer server = new ScriptedServer(socket(), "https");
        Opened opened = server.open("load\n", "trust=" + certificate)) {
      CompletableFuture<String> load = opened.storage().loadAsync("k").toCompletableFuture();
      opened.peer().next("GET /base/objects/k");
      opened.peer().answer(200, "secret");
      assertThat(load.get(ScriptedServer.PATIENCE_MILLIS, TimeUnit.MILLISECONDS))
          .isEqualTo("secret");
    }
  }

  @Test
  @DisplayName("A certificate that is not trusted, or for another host, is refused with the mend")
  void refused() throws Exception {
    for (String url :
        List.of("https://localhost:PORT/", "https://127.0.0.1:PORT/?trust=" + certificate)) {
      try (ServerSocket socket = socket()) {
        // A TLS server shakes hands when it reads.
        Thread reader =
            new Thread(
                () -> {
                  try (SSLSocket accepted = (SSLSocket) socket.accept()) {
                    accepted.startHandshake();
                  } catch (IOException e) {
                    // Refused by the client, as it should.
                  }
                });
        reader.setDaemon(true);
        reader.start();
        String actual = url.replace("PORT", Integer.toString(socket.getLocalPort()));
        assertThatThrownBy(() -> Storages.open(actual, Codec.utf8(), Codec.utf8()))
            .isInstanceOfSatisfying(
                StorageException.class, e -> assertThat(e.retryable()).isFalse())
            .hasMessageContaining("TLS failed")
            .hasMessageContaining("trust=FILE.pem");
        reader.join();
      }
    }
  }

  @Test
  @DisplayName("https: to a server that speaks http is told as what it may be")
  void plainServer() throws Exception {
    try (ServerSocket plain = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Thread server =
          new Thread(
              () -> {
                try (Socket accepted = plain.accept()) {
                  accepted.getInputStream().read();
                  accepted.getOutputStream().write("HTTP/1.1 400 Bad\r\n\r\n".getBytes(US_ASCII));
                } catch (IOException e) {
                  // Nothing that matters here.
                }
              });
      server.setDaemon(true);
      server.start();
      assertThatThrownBy(
              () ->
                  Storages.open(
                      "https://localhost:" + plain.getLocalPort() + "/",
                      Codec.utf8(),
                      Codec.utf8()))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("Does it speak https?");
      server.join();
    }
  }
}
