package io.latchkey.storage.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.Storages;
import io.latchkey.storage.WatchableStorage;
import io.latchkey.storage.testkit.FeedRecorder;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server with TLS, whose certificate is its own and for another host. */
class TlsTest {
  private static final String PASSWORD = "changeit";

  @TempDir private Path folder;
  private Path certificate;
  private Path key;

  @BeforeEach
  void makeCertificate() throws Exception {
    Path store = folder.resolve("store.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "redis",
                "-keyalg",
                "EC",
                "-dname",
                "CN=redis.example",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                PASSWORD)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    assertThat(keytool.waitFor()).isZero();
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    certificate = pem("CERTIFICATE", keys.getCertificate("redis").getEncoded());
    key = pem("PRIVATE KEY", keys.getKey("redis", PASSWORD.toCharArray()).getEncoded());
  }

  private Path pem(String type, byte[] content) throws Exception {
    String text =
        "-----BEGIN %s-----%n%s%n-----END %s-----%n"
            .formatted(type, Base64.getMimeEncoder().encodeToString(content), type);
    return Files.writeString(folder.resolve(type.replace(' ', '-') + ".pem"), text);
  }

  @Test
  void callsAndFeedGoOverTls() throws Exception {
    try (RedisServer server = RedisServer.startWithTls(certificate, key)) {
      String url = server.url().replace("redis:", "rediss:");
      assertThatThrownBy(() -> Storages.open(url, Codec.utf8(), Codec.utf8()).close())
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("cannot connect to " + url)
          .hasMessageContaining("verifyPeer=none");
      try (Storage<String, String> storage =
          Storages.open(url + "?verifyPeer=none", Codec.utf8(), Codec.utf8())) {
        FeedRecorder<String> recorder = new FeedRecorder<>(Duration.ofSeconds(30));
        ((WatchableStorage<String, String>) storage).watch(recorder);
        recorder.awaitWhole();
        assertThat(storage.load("k")).isNull();
        server.commands().set("k", "v");
        recorder.awaitChanged("k");
        assertThat(storage.load("k")).isEqualTo("v");
      }
      // Without TLS it is refused, after the time-out at the latest.
      assertThatThrownBy(
              () -> Storages.open(server.url() + "?timeout=PT1S", Codec.utf8(), Codec.utf8()))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("cannot connect to " + server.url());
    }
  }
}
