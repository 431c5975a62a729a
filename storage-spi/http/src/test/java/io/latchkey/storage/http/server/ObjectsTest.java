package io.latchkey.storage.http.server;

import static io.latchkey.storage.http.server.RawClient.get;
import static io.latchkey.storage.http.server.RawClient.put;
import static io.latchkey.storage.http.server.RawClient.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.cache.Cache;
import io.latchkey.storage.Codec;
import io.latchkey.storage.MemoryStorage;
import io.latchkey.storage.Storage;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.http.server.RawClient.Response;
import io.latchkey.storage.testkit.FaultyStorage;
import io.latchkey.storage.testkit.GatedWritableStorage;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Single objects. */
@ExtendWith(LeakCheck.class)
class ObjectsTest {
  private static HttpCacheServerBuilder over(Storage<String, String> storage) {
    return HttpCacheServer.over(storage, Codec.utf8(), Codec.utf8());
  }

  @Test
  @DisplayName("An object of a storage of revisions is put, got, and tagged by its commit")
  void revisions() throws Exception {
    try (HttpCacheServer server = HttpCacheServer.over("memory:").start();
        RawClient client = RawClient.to(server)) {
      Response absent = client.ask(get("/objects/k"));
      assertThat(absent.status()).isEqualTo(404);
      assertThat(absent.field("x-latchkey")).isEqualTo("absent");
      Response stored = client.ask(put("/objects/k", "", "one"));
      assertThat(stored.status()).isEqualTo(204);
      assertThat(stored.field("etag")).isEqualTo("\"1\"");
      assertThat(stored.fields()).doesNotContainKey("content-length");
      Response got = client.ask(get("/objects/k"));
      assertThat(got.status()).isEqualTo(200);
      assertThat(got.body()).isEqualTo("one");
      assertThat(got.field("etag")).isEqualTo("\"1\"");
      assertThat(got.field("content-type")).isEqualTo("application/octet-stream");
      assertThat(got.field("date")).endsWith(" GMT");
      Response head = client.ask(request("HEAD", "/objects/k", ""));
      assertThat(head.status()).isEqualTo(200);
      assertThat(head.field("content-length")).isEqualTo("3");
      assertThat(client.ask(request("DELETE", "/objects/k", "")).status()).isEqualTo(204);
      assertThat(client.ask(request("DELETE", "/objects/k", "")).status()).isEqualTo(204);
      assertThat(client.ask(get("/objects/k")).status()).isEqualTo(404);
      assertThat(client.ask(request("HEAD", "/objects/k", "")).status()).isEqualTo(404);
    }
  }

  @Test
  @DisplayName("What was put is served from the cache, without a load")
  void writeThrough() throws Exception {
    GatedWritableStorage<String, String> storage = new GatedWritableStorage<>();
    storage.open();
    try (HttpCacheServer server = over(storage).start();
        RawClient client = RawClient.to(server)) {
      String etag = client.ask(put("/objects/k", "", "one")).field("etag");
      assertThat(etag).matches("\"h[0-9a-f]{32}\"");
      Response got = client.ask(get("/objects/k"));
      assertThat(got.body()).isEqualTo("one");
      assertThat(got.field("etag")).isEqualTo(etag);
      assertThat(storage.loads()).isZero();
      assertThat(server.stats().hitCount()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/", "..", "a b", "é", "%", "+", "?", "\0", "ÿ\uffff"})
  @DisplayName("Any key comes through the path, the empty one included")
  void keys(String key) throws Exception {
    MemoryStorage<String, String> storage = MemoryStorage.create();
    storage.store(key, "value");
    try (HttpCacheServer server = over(storage).start();
        RawClient client = RawClient.to(server)) {
      String path = "/objects/" + io.latchkey.storage.http.KeyText.encode(Codec.utf8().encode(key));
      assertThat(client.ask(get(path)).body()).isEqualTo("value");
      assertThat(client.ask(get(path + "?query")).body()).isEqualTo("value");
      assertThat(client.ask(get("http://localhost" + path)).body()).isEqualTo("value");
      assertThat(client.ask(put(path, "", "new")).status()).isEqualTo(204);
      assertThat(storage.load(key)).isEqualTo("new");
    }
  }

  @Test
  @DisplayName("An empty object and a large one come back as they were, by HTTP/1.0 too")
  void sizes() throws Exception {
    String large = "x".repeat(3 << 20);
    try (HttpCacheServer server = HttpCacheServer.over("memory:").start();
        RawClient client = RawClient.to(server)) {
      for (String body : new String[] {"", large}) {
        assertThat(client.ask(put("/objects/k", "", body)).status()).isEqualTo(204);
        assertThat(client.ask(get("/objects/k")).body()).isEqualTo(body);
      }
      Response kept = client.ask("GET /objects/k HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
      assertThat(kept.field("connection")).isEqualTo("keep-alive");
      assertThat(kept.body()).isEqualTo(large);
      Response last = client.ask("GET /objects/k HTTP/1.0\r\n\r\n");
      assertThat(last.field("connection")).isEqualTo("close");
      assertThat(last.body()).isEqualTo(large);
      assertThat(client.isAtEnd()).isTrue();
    }
  }

  @Test
  @DisplayName("A body in chunks is stored as a whole, and one may be asked for by 100-continue")
  void chunks() throws Exception {
    try (HttpCacheServer server = HttpCacheServer.over("memory:").start();
        RawClient client = RawClient.to(server)) {
      client.send(request("PUT", "/objects/k", "Transfer-Encoding: chunked\r\n"));
      client.send("3\r\none\r\n").send("4\r\ntwo").send("!\r\n0\r\n\r\n");
      assertThat(client.read().status()).isEqualTo(204);
      assertThat(client.ask(get("/objects/k")).body()).isEqualTo("onetwo!");
      client.send(request("PUT", "/objects/k", "Expect: 100-continue\r\nContent-Length: 2\r\n"));
      assertThat(client.line()).isEqualTo("HTTP/1.1 100 Continue");
      assertThat(client.line()).isEmpty();
      assertThat(client.ask("ok").status()).isEqualTo(204);
      assertThat(client.ask(get("/objects/k")).body()).isEqualTo("ok");
    }
  }

  @Test
  @DisplayName(
      "If-None-Match saves the body if one of its tags, weak or not, is that of the object")
  void notModified() throws Exception {
    try (HttpCacheServer server = HttpCacheServer.over("memory:").start();
        RawClient client = RawClient.to(server)) {
      client.ask(put("/objects/k", "", "one"));
      for (String match :
          new String[] {"\"1\"", "W/\"1\"", "\"0\", \"1\"", "\"0\" ,W/\"1\"", "*"}) {
        Response same =
            client.ask(request("GET", "/objects/k", "If-None-Match: " + match + "\r\n"));
        assertThat(same.status()).as(match).isEqualTo(304);
        assertThat(same.field("etag")).isEqualTo("\"1\"");
      }
      Response other = client.ask(request("GET", "/objects/k", "If-None-Match: \"11\"\r\n"));
      assertThat(other.status()).isEqualTo(200);
      Response none = client.ask(request("GET", "/objects/x", "If-None-Match: *\r\n"));
      assertThat(none.status()).isEqualTo(404);
      for (String bad : new String[] {"1", "\"1", "\"1\" \"2\"", "\"1\",", ""}) {
        Response refused =
            client.ask(request("GET", "/objects/k", "If-None-Match: " + bad + "\r\n"));
        assertThat(refused.status()).as(bad).isEqualTo(400);
        assertThat(refused.body()).contains("If-None-Match");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @DisplayName("A conditional write happens if its condition holds, and else is answered with 412")
  void conditions(boolean revisions) throws Exception {
    MemoryStorage<String, String> memory = MemoryStorage.create();
    Storage<String, String> storage = revisions ? memory : FaultyStorage.over(memory);
    try (HttpCacheServer server = over(storage).start();
        RawClient client = RawClient.to(server)) {
      Response missing = client.ask(put("/objects/k", "If-Match: *\r\n", "x"));
      assertThat(missing.status()).isEqualTo(412);
      assertThat(missing.fields()).doesNotContainKey("etag");
      String first = client.ask(put("/objects/k", "If-None-Match: *\r\n", "one")).field("etag");
      Response exists = client.ask(put("/objects/k", "If-None-Match: *\r\n", "x"));
      assertThat(exists.status()).isEqualTo(412);
      assertThat(exists.field("etag")).isEqualTo(first);
      memory.store("k", "by another"); // which the cache of the server may not know yet
      Response stale = client.ask(put("/objects/k", "If-Match: " + first + "\r\n", "x"));
      assertThat(stale.status()).isEqualTo(412);
      assertThat(memory.load("k")).isEqualTo("by another");
      String now = stale.field("etag");
      assertThat(now).isNotEqualTo(first);
      Response weak = client.ask(put("/objects/k", "If-Match: W/" + now + "\r\n", "x"));
      assertThat(weak.status()).isEqualTo(412);
      Response done = client.ask(put("/objects/k", "If-Match: " + now + "\r\n", "two"));
      assertThat(done.status()).isEqualTo(204);
      assertThat(client.ask(get("/objects/k")).field("etag")).isEqualTo(done.field("etag"));
      Response kept = client.ask(request("DELETE", "/objects/k", "If-Match: " + now + "\r\n"));
      assertThat(kept.status()).isEqualTo(412);
      String current = "If-Match: " + done.field("etag") + "\r\n";
      assertThat(client.ask(request("DELETE", "/objects/k", current)).status()).isEqualTo(204);
      assertThat(memory.load("k")).isNull();
    }
  }

  @Test
  @DisplayName("A storage that cannot be written says so with 501, also in its capabilities")
  void readOnly() throws Exception {
    Map<String, String> objects = new HashMap<>(Map.of("k", "value"));
    try (HttpCacheServer server = over(objects::get).start()) {
      try (RawClient client = RawClient.to(server)) {
        assertThat(client.ask(get("/objects/k")).body()).isEqualTo("value");
        assertThat(client.ask(get("/capabilities")).body()).isEqualTo("load\nbulk\n");
        assertThat(client.ask(request("DELETE", "/objects/k", "")).status()).isEqualTo(501);
        assertThat(client.ask(get("/changes")).status()).isEqualTo(501);
        assertThat(client.ask(put("/objects/k", "", "x")).status()).isEqualTo(501);
        assertThat(client.isAtEnd()).isTrue(); // because the body was not looked at
      }
    }
  }

  @Test
  @DisplayName("A failing storage is told as 503 or 502, without a stack trace; nothing is cached")
  void failures() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    Storage<String, String> storage =
        key -> {
          switch (calls.incrementAndGet()) {
            case 1 -> throw new StorageException("db", "lost redis://u:secret@h/", null, true);
            case 2 -> throw new StorageException("db", "the table is gone", null, false);
            case 3 -> throw new IllegalStateException("internal detail");
            default -> {
              return "value";
            }
          }
        };
    try (HttpCacheServer server = over(storage).start();
        RawClient client = RawClient.to(server)) {
      Response retryable = client.ask(get("/objects/k"));
      assertThat(retryable.status()).isEqualTo(503);
      assertThat(retryable.field("retry-after")).isEqualTo("1");
      assertThat(retryable.body()).contains("lost redis://").doesNotContain("secret");
      Response gone = client.ask(get("/objects/k"));
      assertThat(gone.status()).isEqualTo(502);
      assertThat(gone.body()).contains("the table is gone").hasLineCount(1);
      Response other = client.ask(get("/objects/k"));
      assertThat(other.status()).isEqualTo(502);
      assertThat(other.body()).doesNotContain("internal detail");
      assertThat(client.ask(get("/objects/k")).body()).isEqualTo("value");
    }
  }

  @Test
  @DisplayName("A key or an object that the codec refuses is the client's mistake: 400")
  void codecs() throws Exception {
    try (HttpCacheServer server =
            HttpCacheServer.over(MemoryStorage.<Long, String>create(), Codec.int64(), Codec.utf8())
                .start();
        RawClient client = RawClient.to(server)) {
      assertThat(client.ask(get("/objects/k")).status()).isEqualTo(400);
      assertThat(client.ask(put("/objects/k", "", "x")).status()).isEqualTo(400);
      String key = "/objects/%00%00%00%00%00%00%00%07";
      assertThat(client.ask(put(key, "", "\u00ff")).status()).isEqualTo(400);
      assertThat(client.ask(put(key, "", "x")).status()).isEqualTo(204);
      assertThat(client.ask(get(key)).body()).isEqualTo("x");
    }
  }

  @Test
  @DisplayName("A load that takes longer than loadTimeout is answered with 504")
  void loadTimeout() throws Exception {
    GatedWritableStorage<String, String> storage = new GatedWritableStorage<>();
    try (HttpCacheServer server = over(storage).loadTimeout(Duration.ofMillis(20)).start();
        RawClient client = RawClient.to(server)) {
      assertThat(client.ask(get("/objects/k")).status()).isEqualTo(504);
      storage.release("k", "late");
    }
  }

  @Test
  @DisplayName("A cache of the program is served as it is, and written through")
  void ofCache() throws Exception {
    MemoryStorage<String, String> storage = MemoryStorage.create();
    try (Cache<String, String> cache = Cache.over(storage).recordStats().build();
        HttpCacheServer server = HttpCacheServer.over(cache, Codec.utf8(), Codec.utf8()).start();
        RawClient client = RawClient.to(server)) {
      cache.put("k", "one");
      Response got = client.ask(get("/objects/k"));
      assertThat(got.body()).isEqualTo("one");
      String condition = "If-Match: " + got.field("etag") + "\r\n";
      assertThat(client.ask(put("/objects/k", condition, "two")).status()).isEqualTo(204);
      assertThat(client.ask(put("/objects/k", condition, "three")).status()).isEqualTo(412);
      assertThat(cache.getIfPresent("k")).isEqualTo("two");
      assertThat(storage.load("k")).isEqualTo("two");
      assertThat(client.ask(request("DELETE", "/objects/k", "")).status()).isEqualTo(204);
      assertThat(storage.load("k")).isNull();
      assertThat(client.ask(get("/capabilities")).body()).isEqualTo("load\nbulk\nwrite\n");
      assertThat(server.stats().hitCount()).isEqualTo(cache.stats().hitCount()).isPositive();
    }
  }

  @Test
  @DisplayName("Options that cannot be are refused with their name")
  void options() {
    HttpCacheServerBuilder builder = HttpCacheServer.over("memory:");
    assertThatThrownBy(() -> builder.port(65_536)).hasMessageContaining("port");
    assertThatThrownBy(() -> builder.workers(0)).hasMessageContaining("workers");
    assertThatThrownBy(() -> builder.idleTimeout(Duration.ZERO)).hasMessageContaining("idle");
    assertThatThrownBy(() -> builder.maximumBytes(-1)).hasMessageContaining("0 or more, not -1");
    assertThatThrownBy(() -> builder.token("a b"))
        .hasMessageContaining("token")
        .hasMessageNotContaining("a b");
    assertThatThrownBy(() -> HttpCacheServer.over("nowhere:").start())
        .isInstanceOf(StorageException.class);
    assertThatThrownBy(() -> HttpCacheServer.over("memory:").host("192.0.2.1").start())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("192.0.2.1");
  }
}
