package io.latchkey.storage.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.latchkey.storage.Codec;
import io.latchkey.storage.FeedListener;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.Storages;
import io.latchkey.storage.Subscription;
import io.latchkey.storage.WatchableStorage;
import io.latchkey.storage.http.ScriptedServer.Asked;
import io.latchkey.storage.http.ScriptedServer.Opened;
import io.latchkey.storage.http.ScriptedServer.Peer;
import io.latchkey.storage.testkit.FeedRecorder;
import io.latchkey.storage.testkit.FeedRecorder.Event;
import io.latchkey.storage.testkit.FeedRecorder.Kind;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The feed, event by event. */
class HttpFeedTest {
  private static final String CAPABILITIES = "load\nfeed\n";
  private static final Duration PATIENCE = Duration.ofMillis(ScriptedServer.PATIENCE_MILLIS);

  private final FeedRecorder<String> recorder = new FeedRecorder<>(PATIENCE);

  private static String whole(int sequence) {
    return "event: whole\nid: 7-" + sequence + "\ndata: 7-" + sequence + "\n\n";
  }

  private static String changed(int sequence, String keys) {
    return "event: changed\nid: 7-"
        + sequence
        + "\ndata: "
        + keys.replace(",", "\ndata: ")
        + "\n\n";
  }

  @SuppressWarnings("unchecked")
  private static FutureTask<Subscription> watch(Opened opened, FeedListener<String> listener) {
    WatchableStorage<String, String> storage = (WatchableStorage<String, String>) opened.storage();
    return ScriptedServer.start(() -> storage.watch(listener));
  }

  private static <T> T get(FutureTask<T> call) throws Exception {
    return call.get(ScriptedServer.PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
  }

  private static StorageException failure(FutureTask<?> call) {
    return (StorageException) catchThrowable(() -> get(call)).getCause();
  }

  /** Accepts the connection of the feed, and sends what comes first. */
  private static Peer feed(ScriptedServer server, String resumedFrom, String first)
      throws Exception {
    Peer peer = server.accept();
    Asked asked = peer.next("GET /base/changes");
    assertThat(asked.header("Accept")).isEqualTo("text/event-stream");
    assertThat(asked.header("Last-Event-ID")).isEqualTo(resumedFrom);
    peer.beginFeed(first);
    return peer;
  }

  private List<String> told() {
    return told(recorder);
  }

  private static List<String> told(FeedRecorder<String> by) {
    by.checkOrder();
    return by.events().stream()
        .map(
            event ->
                event.kind()
                    + (event.kind() == Kind.LOST
                        ? ""
                        : " " + event.epoch() + "-" + event.sequence())
                    + (event.keys().isEmpty() ? "" : " " + event.keys()))
        .toList();
  }

  private static void await(FeedRecorder<String> by, int events) {
    by.await(events + " events", told -> told.size() >= events);
  }

  @Test
  @DisplayName("Epochs, sequences and keys are the server's; what is unknown is skipped")
  void passesOn() throws Exception {
    try (ScriptedServer server = new ScriptedServer();
        Opened opened = server.open(CAPABILITIES, "token=T")) {
      FutureTask<Subscription> watching = watch(opened, recorder);
      Peer peer = feed(server, null, whole(4));
      get(watching);
      assertThat(told()).as("before watch returned").containsExactly("WHOLE 7-4");
      peer.chunk(":\n\nevent: later\nid: 7-5\ndata: x\n\nmore: x\n\n");
      peer.chunk(changed(5, "a%2Fb,,c"));
      peer.chunk("event: all\nid: 7-6\ndata: 7-6\n\n" + whole(6) + changed(7, ""));
      await(recorder, 4);
      assertThat(told())
          .containsExactly(
              "WHOLE 7-4", "CHANGED 7-5 [a/b, , c]", "CHANGED_ALL 7-6", "CHANGED 7-7 []");
    }
  }

  @Test
  @DisplayName("A cut feed is lost at once; resumed, it is whole where it was and tells the rest")
  void resumes() throws Exception {
    try (ScriptedServer server = new ScriptedServer();
        Opened opened = server.open(CAPABILITIES, "")) {
      FutureTask<Subscription> watching = watch(opened, recorder);
      Peer first = feed(server, null, whole(1) + changed(2, "a"));
      get(watching);
      await(recorder, 2);
      first.close();
      await(recorder, 3);
      Peer second = feed(server, "7-2", whole(2) + changed(3, "b"));
      await(recorder, 5);
      assertThat(told())
          .containsExactly("WHOLE 7-1", "CHANGED 7-2 [a]", "LOST", "WHOLE 7-2", "CHANGED 7-3 [b]");
      second.close();
      feed(server, "7-3", "event: lost\ndata: too old\n\nevent: whole\nid: 8-0\ndata: 8-0\n\n");
      await(recorder, 7);
      assertThat(told().subList(5, 7)).containsExactly("LOST", "WHOLE 8-0");
    }
  }

  @Test
  @DisplayName("What the server has lost is told as lost, once, until it is whole")
  void serverLoses() throws Exception {
    try (ScriptedServer server = new ScriptedServer();
        Opened opened = server.open(CAPABILITIES, "")) {
      FutureTask<Subscription> watching = watch(opened, recorder);
      Peer peer = feed(server, null, "event: lost\ndata: not yet\n\n");
      get(watching); // without whole, for which one might wait for ever
      assertThat(told()).isEmpty();
      peer.chunk(whole(1) + "event: lost\ndata: gap\n\nevent: lost\ndata: gap\n\n" + whole(9));
      await(recorder, 3);
      assertThat(told()).containsExactly("WHOLE 7-1", "LOST", "WHOLE 7-9");
    }
  }

  @Test
  @DisplayName("A hole, an event before whole, or a wrong id is a loss, and nothing is resumed")
  void holes() throws Exception {
    for (String wrong :
        List.of(
            changed(3, "x"),
            "event: changed\nid: 8-2\ndata: x\n\n",
            "event: changed\ndata: x\n\n",
            "event: changed\nid: seven\ndata: x\n\n",
            changed(2, "%zz"),
            "data: " + "x".repeat(2000) + "\n\n")) {
      FeedRecorder<String> listener = new FeedRecorder<>(PATIENCE);
      try (ScriptedServer server = new ScriptedServer();
          Opened opened = server.open(CAPABILITIES, "maxBytes=1024")) {
        FutureTask<Subscription> watching = watch(opened, listener);
        Peer peer = feed(server, null, whole(1));
        get(watching);
        peer.chunk(wrong);
        feed(server, null, whole(5));
        await(listener, 3);
        assertThat(told(listener)).containsExactly("WHOLE 7-1", "LOST", "WHOLE 7-5");
      }
    }
  }

  @Test
  @DisplayName("A key that the codec refuses cannot be one of ours: the others are told")
  void foreignKeys() throws Exception {
    try (ScriptedServer server = new ScriptedServer();
        Opened opened = server.open(CAPABILITIES, "")) {
      FutureTask<Subscription> watching = watch(opened, recorder);
      Peer peer = feed(server, null, whole(1));
      get(watching);
      peer.chunk(changed(2, "a,%FF,b") + changed(3, "c"));
      await(recorder, 3);
      assertThat(told()).containsExactly("WHOLE 7-1", "CHANGED 7-2 [a, b]", "CHANGED 7-3 [c]");
    }
  }

  @Test
  @DisplayName("A silent server is lost after the heartbeat; a comment is a sign of life")
  void heartbeat() throws Exception {
    try (ScriptedServer server = new ScriptedServer();
        Opened opened = server.open(CAPABILITIES, "heartbeat=PT0.3S")) {
      FutureTask<Subscription> watching = watch(opened, recorder);
      Peer peer = feed(server, null, whole(1));
      get(watching);
      peer.chunk(":\n\n");
      await(recorder, 2);
      assertThat(told()).containsExactly("WHOLE 7-1", "LOST");
      peer.awaitEnd();
      feed(server, "7-1", whole(1));
      await(recorder, 3);
    }
  }

  @Test
  @DisplayName("Listeners share one connection; it ends with the last one")
  void shared() throws Exception {
    FeedRecorder<String> other = new FeedRecorder<>(PATIENCE);
    try (ScriptedServer server = new ScriptedServer();
        Opened opened = server.open(CAPABILITIES, "")) {
      FutureTask<Subscription> watching = watch(opened, recorder);
      Peer peer = feed(server, null, whole(1) + changed(2, "a"));
      Subscription one = get(watching);
      await(recorder, 2);
      Subscription two = get(watch(opened, other));
      assertThat(told(other)).containsExactly("WHOLE 7-2");
      one.close();
      one.close();
      peer.chunk(changed(3, "b"));
      await(other, 2);
      assertThat(told()).hasSize(2);
      two.close();
      peer.awaitEnd();

      FutureTask<Subscription> again = watch(opened, recorder);
      feed(server, null, whole(8));
      get(again);
      await(recorder, 3);
    }
  }

  @Test
  @DisplayName("A listener that throws is told lost and whole, the others notice nothing")
  void throwing() throws Exception {
    FeedRecorder<String> failing =
        new FeedRecorder<>(PATIENCE) {
          @Override
          protected void react(Event<String> event) {
            if (event.keys().contains("a")) {
              throw new IllegalStateException("on purpose");
            }
          }
        };
    try (ScriptedServer server = new ScriptedServer();
        Opened opened = server.open(CAPABILITIES, "")) {
      FutureTask<Subscription> watching = watch(opened, failing);
      Peer peer = feed(server, null, whole(1));
      get(watching);
      get(watch(opened, recorder));
      peer.chunk(changed(2, "a") + changed(3, "b"));
      await(failing, 5);
      await(recorder, 3);
      assertThat(told(failing))
          .containsExactly("WHOLE 7-1", "CHANGED 7-2 [a]", "LOST", "WHOLE 7-2", "CHANGED 7-3 [b]");
      assertThat(told()).containsExactly("WHOLE 7-1", "CHANGED 7-2 [a]", "CHANGED 7-3 [b]");
    }
  }

  @Test
  @DisplayName("A listener may load while it is told; the loads have an event loop of their own")
  void loadsInside() throws Exception {
    try (ScriptedServer server = new ScriptedServer();
        Opened opened = server.open(CAPABILITIES, "")) {
      FeedRecorder<String> loading =
          new FeedRecorder<>(PATIENCE) {
            @Override
            protected void react(Event<String> event) {
              if (event.kind() == Kind.CHANGED) {
                try {
                  assertThat(opened.storage().load("a")).isEqualTo("fresh");
                } catch (Exception e) {
                  throw new AssertionError(e);
                }
              }
            }
          };
      FutureTask<Subscription> watching = watch(opened, loading);
      Peer peer = feed(server, null, whole(1));
      get(watching);
      peer.chunk(changed(2, "a"));
      opened.peer().next("GET /base/objects/a");
      opened.peer().answer(200, "fresh");
      await(loading, 2);
      assertThat(told(loading)).containsExactly("WHOLE 7-1", "CHANGED 7-2 [a]");
    }
  }

  @Test
  @DisplayName("A watch fails with what the server said, or did not say, and subscribes nothing")
  void refused() throws Exception {
    try (ScriptedServer server = new ScriptedServer();
        Opened opened = server.open(CAPABILITIES, "timeout=PT0.5S")) {
      FutureTask<Subscription> refused = watch(opened, recorder);
      Peer peer = server.accept();
      peer.next();
      peer.answer(501, "the storage tells no changes");
      assertThat(failure(refused)).hasMessageContaining("the storage tells no changes");

      FutureTask<Subscription> wrong = watch(opened, recorder);
      Peer second = server.accept();
      second.next();
      second.answer(200, "hello", "Content-Type: text/plain");
      assertThat(failure(wrong)).hasMessageContaining("no text/event-stream");

      FutureTask<Subscription> silent = watch(opened, recorder);
      server.accept().next();
      assertThat(failure(silent)).hasMessageContaining("silent for PT0.5S");
      assertThat(told()).isEmpty();
    }
  }

  @Test
  @DisplayName("A close tells the listeners, and a later watch says that it is closed")
  void closes() throws Exception {
    try (ScriptedServer server = new ScriptedServer();
        Opened opened = server.open(CAPABILITIES, "")) {
      FutureTask<Subscription> watching = watch(opened, recorder);
      Peer peer = feed(server, null, whole(1));
      get(watching);
      opened.storage().close();
      await(recorder, 2);
      peer.awaitEnd();
      assertThat(told()).containsExactly("WHOLE 7-1", "LOST");
      assertThat(failure(watch(opened, recorder))).hasMessageContaining("closed");
    }
  }

  @Test
  @DisplayName("A server without feed does not open as a watchable storage")
  void noFeed() throws Exception {
    try (ScriptedServer server = new ScriptedServer();
        Opened opened = server.open("load\nbulk\n", "")) {
      assertThat(opened.storage()).isNotInstanceOf(WatchableStorage.class);
    }
    assertThatThrownBy(() -> Storages.open("http://127.0.0.1:1/", Codec.utf8(), Codec.utf8()))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("cannot connect to http://127.0.0.1:1/")
        .hasMessageContaining("is the server running?");
  }
}
