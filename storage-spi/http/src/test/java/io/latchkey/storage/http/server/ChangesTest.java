package io.latchkey.storage.http.server;

import static io.latchkey.storage.http.server.RawClient.get;
import static io.latchkey.storage.http.server.RawClient.put;
import static io.latchkey.storage.http.server.RawClient.request;
import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.storage.Codec;
import io.latchkey.storage.MemoryStorage;
import io.latchkey.storage.http.FeedPosition;
import io.latchkey.storage.testkit.FaultyStorage;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The feed as server-sent events. */
@ExtendWith(LeakCheck.class)
class ChangesTest {
  private final MemoryStorage<String, String> memory = MemoryStorage.create();
  private final FaultyStorage<String, String> storage = FaultyStorage.over(memory);

  private HttpCacheServerBuilder server() {
    return HttpCacheServer.over(storage, Codec.utf8(), Codec.utf8()).workers(1);
  }

  /** Begins to read. */
  private static void open(RawClient client, String fields) throws IOException {
    RawClient.Response head = client.ask(request("GET", "/changes", fields));
    assertThat(head.status()).isEqualTo(200);
    assertThat(head.field("content-type")).isEqualTo("text/event-stream");
    assertThat(client.event()).isEqualTo("retry: 1000\n");
  }

  private static String resume(RawClient client, FeedPosition after) throws IOException {
    open(client, "Last-Event-ID: " + after + "\r\n");
    return client.event();
  }

  private static FeedPosition id(String event) {
    return FeedPosition.parse(
        event
            .lines()
            .filter(line -> line.startsWith("id: "))
            .findFirst()
            .orElseThrow()
            .substring(4));
  }

  private static FeedPosition next(FeedPosition position) {
    return new FeedPosition(position.epoch(), position.sequence() + 1);
  }

  @Test
  @DisplayName("The feed begins whole and tells each change, with an id one higher than before")
  void events() throws Exception {
    try (HttpCacheServer server = server().start();
        RawClient client = RawClient.to(server);
        RawClient writer = RawClient.to(server)) {
      open(client, "");
      String whole = client.event();
      FeedPosition at = id(whole);
      assertThat(whole).isEqualTo("event: whole\nid: " + at + "\ndata: " + at + "\n");
      writer.ask(put("/objects/a%20b", "", "x"));
      at = next(at);
      assertThat(client.event()).isEqualTo("event: changed\nid: " + at + "\ndata: a%20b\n");
      storage.store("é", "by the program");
      at = next(at);
      assertThat(client.event()).isEqualTo("event: changed\nid: " + at + "\ndata: %C3%A9\n");
      storage.feed().changed(List.of("a", "", "c"));
      at = next(at);
      assertThat(client.event())
          .isEqualTo("event: changed\nid: " + at + "\ndata: a\ndata: \ndata: c\n");
      storage.feed().changedAll();
      at = next(at);
      assertThat(client.event()).isEqualTo("event: all\nid: " + at + "\ndata: " + at + "\n");
      storage.feed().lose("cut\nin two");
      assertThat(client.event()).isEqualTo("event: lost\ndata: cut in two\n");
      storage.feed().resume();
      String again = client.event();
      assertThat(again).startsWith("event: whole\nid: ");
    }
  }

  @Test
  @DisplayName("Who is told of a change and reads again gets the new object, never the cached one")
  void freshAfterEvent() throws Exception {
    try (HttpCacheServer server = HttpCacheServer.over("memory:").workers(2).start();
        RawClient feed = RawClient.to(server);
        RawClient reader = RawClient.to(server);
        RawClient writer = RawClient.to(server)) {
      open(feed, "");
      feed.event();
      for (int i = 0; i < 300; i++) {
        writer.send(put("/objects/k", "", "value " + i));
        feed.event();
        assertThat(reader.ask(get("/objects/k")).body()).isEqualTo("value " + i);
        assertThat(writer.read().status()).isEqualTo(204);
      }
      assertThat(server.stats().loadSuccessCount()).isZero(); // and all from the cache
    }
  }

  @Test
  @DisplayName("Last-Event-ID resumes without a gap where all that followed is still there")
  void resumes() throws Exception {
    try (HttpCacheServer server = server().start()) {
      FeedPosition start;
      try (RawClient client = RawClient.to(server)) {
        open(client, "");
        start = id(client.event());
      }
      for (int i = 0; i < 200; i++) {
        storage.store("key" + i, "x");
      }
      for (int known : new int[] {0, 1, 150, 200}) {
        try (RawClient client = RawClient.to(server)) {
          FeedPosition at = new FeedPosition(start.epoch(), start.sequence() + known);
          assertThat(resume(client, at)).startsWith("event: whole\nid: " + at + "\n");
          for (int i = known; i < 200; i++) {
            at = next(at);
            assertThat(client.event())
                .isEqualTo("event: changed\nid: " + at + "\ndata: key" + i + "\n");
          }
          storage.feed().changedAll();
          assertThat(client.event()).startsWith("event: all\n");
        }
        try (RawClient byQuery = RawClient.to(server)) {
          byQuery.ask(get("/changes?lastEventId=" + start));
          byQuery.event();
          assertThat(byQuery.event()).startsWith("event: whole\nid: " + start + "\n");
        }
      }
    }
  }

  @Test
  @DisplayName("What is no longer kept, of another epoch, or before a gap is told as lost")
  void gaps() throws Exception {
    try (HttpCacheServer server = server().keptChanges(10).start()) {
      FeedPosition start;
      try (RawClient client = RawClient.to(server)) {
        open(client, "");
        start = id(client.event());
      }
      for (int i = 0; i < 11; i++) {
        storage.store("key" + i, "x");
      }
      FeedPosition kept = next(start);
      FeedPosition future = new FeedPosition(start.epoch(), start.sequence() + 12);
      FeedPosition foreign = new FeedPosition(start.epoch() ^ 1, start.sequence() + 11);
      FeedPosition now = new FeedPosition(start.epoch(), start.sequence() + 11);
      try (RawClient client = RawClient.to(server)) {
        assertThat(resume(client, kept)).startsWith("event: whole\nid: " + kept + "\n");
        for (int i = 1; i < 11; i++) {
          assertThat(client.event()).contains("data: key" + i + "\n");
        }
      }
      for (FeedPosition lost : new FeedPosition[] {start, future, foreign}) {
        try (RawClient client = RawClient.to(server)) {
          assertThat(resume(client, lost)).startsWith("event: lost\n").contains("" + lost);
          assertThat(client.event()).startsWith("event: whole\nid: " + now + "\n");
        }
      }
      storage.feed().lose("the line was cut");
      try (RawClient client = RawClient.to(server)) {
        assertThat(resume(client, now)).startsWith("event: lost\n");
        storage.feed().resume();
        assertThat(client.event()).startsWith("event: whole\n");
        storage.store("k", "x");
        assertThat(client.event()).contains("data: k\n");
      }
      try (RawClient client = RawClient.to(server)) {
        assertThat(resume(client, now)).startsWith("event: lost\n");
      }
    }
  }

  @Test
  @DisplayName("An event with more keys than are kept is told as a change of everything")
  void hugeEvent() throws Exception {
    try (HttpCacheServer server = server().keptChanges(2).start();
        RawClient client = RawClient.to(server)) {
      open(client, "");
      client.event();
      storage.feed().changed(List.of("a", "b", "c"));
      assertThat(client.event()).startsWith("event: all\n");
    }
  }

  @Test
  @DisplayName("A silent feed sends comments, and is not taken for an idle connection")
  void heartbeat() throws Exception {
    Duration soon = Duration.ofMillis(30);
    try (HttpCacheServer server = server().heartbeat(soon).idleTimeout(soon).start();
        RawClient client = RawClient.to(server)) {
      open(client, "");
      client.event();
      for (int i = 0; i < 5; i++) {
        assertThat(client.event()).isEqualTo(":\n");
      }
      storage.store("k", "x");
      String event = client.event();
      while (event.equals(":\n")) {
        event = client.event();
      }
      assertThat(event).startsWith("event: changed\n");
    }
  }

  @Test
  @DisplayName("A reader that stalls is cut off; the memory of the server is bounded meanwhile")
  void stalledReader() throws Exception {
    try (HttpCacheServer server = server().writeTimeout(Duration.ofMillis(100)).start();
        Socket deaf = new Socket();
        RawClient other = RawClient.to(server)) {
      deaf.setReceiveBufferSize(4096);
      deaf.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
      RawClient stalled = new RawClient(deaf);
      open(stalled, "");
      String key = "k".repeat(1000);
      String metrics = "";
      while (!metrics.contains("latchkey_http_connections_cut_off_total 1\n")) {
        storage.feed().changed(List.of(key));
        metrics = other.ask(get("/metrics")).body();
      }
      while (!metrics.contains("latchkey_http_change_streams 0\n")) {
        metrics = other.ask(get("/metrics")).body();
      }
    }
  }

  @Test
  @DisplayName("A reader that falls behind the ring is told that events are lost, and goes on")
  void slowReader() throws Exception {
    try (HttpCacheServer server = server().keptChanges(100).start();
        RawClient client = RawClient.to(server)) {
      open(client, "");
      client.event();
      String key = "k".repeat(1000);
      for (int i = 0; i < 30_000; i++) {
        storage.feed().changed(List.of(key));
      }
      String event = client.event();
      while (!event.startsWith("event: lost\n")) {
        assertThat(event).startsWith("event: changed\n");
        event = client.event();
      }
      assertThat(event).contains("too slowly");
      event = client.event();
      assertThat(event).startsWith("event: whole\n");
      while (!event.contains("data: last\n")) {
        if (event.startsWith("event: whole\n")) { // it may have fallen behind once more
          storage.feed().changed(List.of("last"));
        }
        event = client.event();
      }
    }
  }

  @Test
  @DisplayName("HTTP/1.0 gets the feed without chunks, HEAD only its head")
  void otherForms() throws Exception {
    try (HttpCacheServer server = server().start()) {
      try (RawClient client = RawClient.to(server)) {
        client.send("GET /changes HTTP/1.0\r\n\r\n");
        assertThat(client.read().fields()).doesNotContainKey("transfer-encoding");
        assertThat(client.line()).isEqualTo("retry: 1000");
        assertThat(client.line()).isEmpty();
        assertThat(client.line()).isEqualTo("event: whole");
      }
      try (RawClient client = RawClient.to(server)) {
        assertThat(client.ask(request("HEAD", "/changes", "")).status()).isEqualTo(200);
        assertThat(client.isAtEnd()).isTrue();
      }
    }
  }
}
