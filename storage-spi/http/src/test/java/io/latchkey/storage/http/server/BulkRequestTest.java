package io.latchkey.storage.http.server;

import static io.latchkey.storage.http.server.RawClient.get;
import static io.latchkey.storage.http.server.RawClient.request;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.storage.Codec;
import io.latchkey.storage.MemoryStorage;
import io.latchkey.storage.http.Frames;
import io.latchkey.storage.http.server.RawClient.Response;
import io.latchkey.storage.testkit.GatedBulkStorage;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Several objects in one request. */
@ExtendWith(LeakCheck.class)
class BulkRequestTest {
  private static String frames(String... fields) {
    List<byte[]> bytes = Stream.of(fields).map(field -> field.getBytes(ISO_8859_1)).toList();
    return new String(Frames.encode(bytes), ISO_8859_1);
  }

  private static List<String> fields(String body) {
    return Frames.decode(ByteBuffer.wrap(body.getBytes(ISO_8859_1))).stream()
        .map(field -> new String(field, ISO_8859_1))
        .toList();
  }

  private static String post(String type, String fields, String body) {
    return bulk("POST", type, fields, body);
  }

  private static String bulk(String method, String type, String fields, String body) {
    return request(
            method,
            "/objects",
            "Content-Type: " + type + "\r\n" + fields + "Content-Length: " + body.length() + "\r\n")
        + body;
  }

  @Test
  @DisplayName("What was put together is got together; what is absent is left out")
  void frames() throws Exception {
    String large = "z".repeat(1 << 20);
    try (HttpCacheServer server = HttpCacheServer.over("memory:").start();
        RawClient client = RawClient.to(server)) {
      Response stored =
          client.ask(
              bulk("PUT", Frames.MEDIA_TYPE, "", frames("a", "one", "", "two", "b/\0", large)));
      assertThat(stored.status()).isEqualTo(204);
      Response got =
          client.ask(post(Frames.MEDIA_TYPE, "", frames("a", "missing", "b/\0", "", "a")));
      assertThat(got.field("content-type")).isEqualTo(Frames.MEDIA_TYPE);
      assertThat(fields(got.body())).containsExactly("a", "one", "b/\0", large, "", "two");
      assertThat(server.stats().loadSuccessCount()).isEqualTo(1); // for the missing one
      assertThat(client.ask(get("/objects/a")).field("etag")).isEqualTo("\"1\"");
      Response none = client.ask(post(Frames.MEDIA_TYPE, "", ""));
      assertThat(none.status()).isEqualTo(200);
      assertThat(none.body()).isEmpty();
      assertThat(client.ask(bulk("PUT", Frames.MEDIA_TYPE, "", "")).status()).isEqualTo(204);
    }
  }

  @Test
  @DisplayName("For curl: a key a line, and the answer as JSON")
  void text() throws Exception {
    MemoryStorage<String, String> storage = MemoryStorage.create();
    storage.store("a b", "one");
    storage.store("", "empty");
    try (HttpCacheServer server =
            HttpCacheServer.over(storage, Codec.utf8(), Codec.utf8()).start();
        RawClient client = RawClient.to(server)) {
      Response got =
          client.ask(
              post(
                  "text/plain; charset=utf-8",
                  "Accept: application/json\r\n",
                  "a%20b\n\nmissing\n"));
      assertThat(got.field("content-type")).isEqualTo("application/json");
      assertThat(got.body()).isEqualTo("{\"a%20b\":\"b25l\",\"\":\"ZW1wdHk=\",\"missing\":null}\n");
      Response framed = client.ask(post("text/plain", "", "a%20b"));
      assertThat(fields(framed.body())).containsExactly("a b", "one");
    }
  }

  @Test
  @DisplayName("What is no list of keys, or too long, is refused; the connection stays usable")
  void refused() throws Exception {
    try (HttpCacheServer server =
            HttpCacheServer.over("memory:").maxBulkKeys(2).maxKeyBytes(4).start();
        RawClient client = RawClient.to(server)) {
      assertThat(client.ask(post(Frames.MEDIA_TYPE, "", "abc")).status()).isEqualTo(400);
      Response cut = client.ask(post(Frames.MEDIA_TYPE, "", frames("a", "b").substring(0, 9)));
      assertThat(cut.status()).isEqualTo(400);
      Response line = client.ask(post("text/plain", "", "a\n%zz\n"));
      assertThat(line.status()).isEqualTo(400);
      assertThat(line.body()).startsWith("line 2: ");
      Response many = client.ask(post(Frames.MEDIA_TYPE, "", frames("a", "b", "c")));
      assertThat(many.status()).isEqualTo(413);
      assertThat(client.ask(post("text/plain", "", "a\na\na\n")).status()).isEqualTo(200);
      assertThat(client.ask(post("text/plain", "", "abcde")).status()).isEqualTo(414);
      Response odd = client.ask(bulk("PUT", Frames.MEDIA_TYPE, "", frames("a", "x", "b")));
      assertThat(odd.status()).isEqualTo(400);
      assertThat(client.ask(get("/objects/a")).status()).isEqualTo(404);
    }
  }

  @Test
  @DisplayName("One call loads them all, and single requests join it")
  void joins() throws Exception {
    GatedBulkStorage<String, String> storage = new GatedBulkStorage<>();
    storage.contents().put("a", "one");
    storage.contents().put("b", "two");
    try (HttpCacheServer server =
            HttpCacheServer.over(storage, Codec.utf8(), Codec.utf8()).start();
        RawClient client = RawClient.to(server);
        RawClient single = RawClient.to(server)) {
      client.send(post("text/plain", "", "a\nb\nc\n"));
      storage.awaitBulk();
      single.send(get("/objects/b") + get("/health"));
      while (server.stats().missCount() < 4) {
        Thread.onSpinWait();
      }
      storage.passBulk();
      assertThat(fields(client.read().body())).containsExactly("a", "one", "b", "two");
      assertThat(single.read().body()).isEqualTo("two");
      assertThat(single.read().body()).isEqualTo("ok\n");
      assertThat(storage.loads()).isZero();
    }
  }
}
