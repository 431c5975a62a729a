package io.latchkey.storage.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.latchkey.storage.StorageException;
import io.latchkey.storage.WritableStorage;
import io.latchkey.storage.http.ScriptedServer.Opened;
import io.latchkey.storage.http.ScriptedServer.Peer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Many requests on few connections, and connections that end. */
class PipelineTest {
  private static CompletableFuture<String> load(Opened opened, String key) {
    return opened.storage().loadAsync(key).toCompletableFuture();
  }

  private static <T> T get(Future<T> call) throws Exception {
    return call.get(ScriptedServer.PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
  }

  private static StorageException failure(Future<?> call) {
    Throwable thrown = catchThrowable(() -> get(call));
    assertThat(thrown).isInstanceOf(ExecutionException.class);
    assertThat(thrown.getCause()).isInstanceOf(StorageException.class);
    return (StorageException) thrown.getCause();
  }

  @SuppressWarnings("unchecked")
  private static FutureTask<Void> store(Opened opened, String key) {
    WritableStorage<String, String> writable = (WritableStorage<String, String>) opened.storage();
    return ScriptedServer.start(
        () -> {
          writable.store(key, "v");
          return null;
        });
  }

  @Test
  @DisplayName("Requests go out before answers come, and each answer goes to its own request")
  void inOrder() throws Exception {
    try (ScriptedServer server = new ScriptedServer();
        Opened opened = server.open("load\n", "pipeline=8")) {
      List<CompletableFuture<String>> loads = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        loads.add(load(opened, "k" + i));
      }
      StringBuilder answers = new StringBuilder();
      for (int i = 0; i < 8; i++) {
        opened.peer().next("GET /base/objects/k" + i);
        answers.append("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nv").append(i);
      }
      opened.peer().send(answers.toString());
      for (int i = 0; i < 8; i++) {
        assertThat(get(loads.get(i))).isEqualTo("v" + i);
      }
    }
  }

  @Test
  @DisplayName("A connection has no more requests under way than it may")
  void bounded() throws Exception {
    try (ScriptedServer server = new ScriptedServer();
        Opened opened = server.open("load\n", "pipeline=2")) {
      List<CompletableFuture<String>> loads = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        loads.add(load(opened, "k" + i));
      }
      opened.peer().next("GET /base/objects/k0");
      opened.peer().next("GET /base/objects/k1");
      opened.peer().assertSilent();
      opened.peer().answer(200, "v0");
      opened.peer().next("GET /base/objects/k2");
      opened.peer().answer(200, "v1");
      opened.peer().next("GET /base/objects/k3");
      opened.peer().answer(200, "v2");
      opened.peer().answer(200, "v3");
      for (int i = 0; i < 4; i++) {
        assertThat(get(loads.get(i))).isEqualTo("v" + i);
      }
    }
  }

  @Test
  @DisplayName("A busy connection makes the client open another one, up to its number")
  void opensMore() throws Exception {
    try (ScriptedServer server = new ScriptedServer();
        Opened opened = server.open("load\n", "connections=2&pipeline=1")) {
      CompletableFuture<String> one = load(opened, "1");
      CompletableFuture<String> two = load(opened, "2");
      CompletableFuture<String> three = load(opened, "3");
      opened.peer().next("GET /base/objects/1");
      Peer second = server.accept();
      second.next("GET /base/objects/2");
      second.answer(200, "two");
      second.next("GET /base/objects/3");
      second.answer(200, "three");
      opened.peer().answer(200, "one");
      assertThat(List.of(get(one), get(two), get(three))).containsExactly("one", "two", "three");
    }
  }

  @Test
  @DisplayName("A connection that dies in the middle: what had no answer yet is sent once more")
  void diesInTheMiddle() throws Exception {
    try (ScriptedServer server = new ScriptedServer();
        Opened opened = server.open("load\nwrite\n", "")) {
      CompletableFuture<String> one = load(opened, "1");
      CompletableFuture<String> two = load(opened, "2");
      CompletableFuture<String> three = load(opened, "3");
      opened.peer().next("GET /base/objects/1");
      opened.peer().next("GET /base/objects/2");
      opened.peer().next("GET /base/objects/3");
      FutureTask<Void> store = store(opened, "4");
      opened.peer().next("PUT /base/objects/4");
      opened.peer().answer(200, "one");
      opened.peer().send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\ntw");
      opened.peer().close();

      Peer second = server.accept();
      second.next("GET /base/objects/3");
      second.answer(200, "three");
      assertThat(get(one)).isEqualTo("one");
      assertThat(failure(two)).hasMessageContaining("in the middle of the answer to GET");
      assertThat(get(three)).isEqualTo("three");
      StorageException unknown = failure(store);
      assertThat(unknown)
          .hasMessageContaining("before the answer to PUT")
          .hasMessageContaining("whether the change was made is unknown");
      assertThat(unknown.retryable()).isTrue();
      second.assertSilent();
    }
  }

  @Test
  @DisplayName("A load whose connection dies twice fails")
  void diesTwice() throws Exception {
    try (ScriptedServer server = new ScriptedServer();
        Opened opened = server.open("load\n", "")) {
      CompletableFuture<String> load = load(opened, "k");
      opened.peer().next();
      opened.peer().close();
      Peer second = server.accept();
      second.next("GET /base/objects/k");
      second.close();
      StorageException failure = failure(load);
      assertThat(failure).hasMessageContaining("before the answer to GET");
      assertThat(failure.retryable()).isTrue();

      CompletableFuture<String> next = load(opened, "k");
      Peer third = server.accept();
      third.next("GET /base/objects/k");
      third.answer(200, "v");
      assertThat(get(next)).isEqualTo("v");
    }
  }

  @Test
  @DisplayName("A server that closes between requests costs nothing: the next one connects anew")
  void keepAliveEnds() throws Exception {
    try (ScriptedServer server = new ScriptedServer();
        Opened opened = server.open("load\n", "")) {
      opened.peer().close();
      CompletableFuture<String> load = load(opened, "k");
      Peer second = server.accept();
      second.next("GET /base/objects/k");
      second.answer(200, "one", "Connection: close");
      assertThat(get(load)).isEqualTo("one");
      second.awaitEnd();
      CompletableFuture<String> next = load(opened, "k");
      Peer third = server.accept();
      third.next("GET /base/objects/k");
      third.answer(200, "two");
      assertThat(get(next)).isEqualTo("two");
    }
  }

  @Test
  @DisplayName("An answer that is late fails its load; those behind it are served by another one")
  void late() throws Exception {
    try (ScriptedServer server = new ScriptedServer();
        Opened opened = server.open("load\n", "timeout=PT0.5S")) {
      FutureTask<String> slow = ScriptedServer.start(() -> opened.storage().load("slow"));
      opened.peer().next("GET /base/objects/slow");
      StorageException failure = failure(slow);
      assertThat(failure).hasMessageContaining("did not answer GET within PT0.5S");
      assertThat(failure.retryable()).isTrue();
      opened.peer().awaitEnd();
      CompletableFuture<String> next = load(opened, "k");
      Peer second = server.accept();
      second.next("GET /base/objects/k");
      second.answer(200, "v");
      assertThat(get(next)).isEqualTo("v");
    }
  }

  @Test
  @DisplayName("An answer that begins and does not end is late as well")
  void lateInTheMiddle() throws Exception {
    try (ScriptedServer server = new ScriptedServer();
        Opened opened = server.open("load\n", "timeout=PT0.5S")) {
      CompletableFuture<String> load = load(opened, "k");
      opened.peer().next();
      opened.peer().send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nv");
      assertThat(failure(load)).hasMessageContaining("within PT0.5S");
      opened.peer().awaitEnd();
    }
  }

  @Test
  @DisplayName("An interrupt ends the waiting load, and no other answer goes astray")
  void interrupted() throws Exception {
    try (ScriptedServer server = new ScriptedServer();
        Opened opened = server.open("load\n", "")) {
      CountDownLatch left = new CountDownLatch(1);
      Callable<String> call =
          () -> {
            try {
              return opened.storage().load("1");
            } catch (InterruptedException e) {
              left.countDown();
              return "interrupted";
            }
          };
      FutureTask<String> task = new FutureTask<>(call);
      Thread caller = new Thread(task);
      caller.start();
      opened.peer().next("GET /base/objects/1");
      CompletableFuture<String> two = load(opened, "2");
      opened.peer().next("GET /base/objects/2");
      caller.interrupt();
      assertThat(get(task)).isEqualTo("interrupted");
      assertThat(left.getCount()).isZero();
      opened.peer().answer(200, "one");
      opened.peer().answer(200, "two");
      assertThat(get(two)).isEqualTo("two");
    }
  }

  @Test
  @DisplayName("A call that is interrupted beforehand sends nothing")
  void interruptedBefore() throws Exception {
    try (ScriptedServer server = new ScriptedServer();
        Opened opened = server.open("load\nwrite\n", "")) {
      @SuppressWarnings("unchecked")
      WritableStorage<String, String> writable = (WritableStorage<String, String>) opened.storage();
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> writable.store("k", "v")).isInstanceOf(InterruptedException.class);
      assertThat(Thread.currentThread().isInterrupted()).isFalse();
      opened.peer().assertSilent();
    }
  }

  @Test
  @DisplayName("A cancelled load harms no other, and one that nobody sent is not sent any more")
  void cancelled() throws Exception {
    try (ScriptedServer server = new ScriptedServer();
        Opened opened = server.open("load\n", "pipeline=1")) {
      CompletableFuture<String> one = load(opened, "1");
      CompletableFuture<String> two = load(opened, "2");
      opened.peer().next("GET /base/objects/1");
      one.cancel(true);
      opened.peer().answer(200, "one");
      opened.peer().next("GET /base/objects/2");
      opened.peer().answer(200, "two");
      assertThat(get(two)).isEqualTo("two");
    }
  }

  @Test
  @DisplayName("loadAsync completes on the event loop, where a call that waits is refused")
  void onTheEventLoop() throws Exception {
    try (ScriptedServer server = new ScriptedServer();
        Opened opened = server.open("load\n", "")) {
      CompletableFuture<Throwable> refused =
          load(opened, "k")
              .thenApply(
                  loaded -> {
                    assertThat(Thread.currentThread().getName()).startsWith("latchkey-http-client");
                    return catchThrowable(() -> opened.storage().load("k"));
                  });
      opened.peer().next();
      opened.peer().answer(200, "v");
      assertThat(get(refused))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("use loadAsync");
    }
  }

  @Test
  @DisplayName("A close ends what waits, and leaves no thread and no connection")
  void closes() throws Exception {
    try (ScriptedServer server = new ScriptedServer();
        Opened opened = server.open("load\nfeed\n", "")) {
      CompletableFuture<String> load = load(opened, "k");
      opened.peer().next();
      List<Thread> before = threadsOfClients();
      assertThat(before).isNotEmpty().allMatch(Thread::isDaemon);
      opened.storage().close();
      assertThat(failure(load)).hasMessageContaining("closed");
      opened.peer().awaitEnd();
      for (Thread thread : before) {
        thread.join(ScriptedServer.PATIENCE_MILLIS);
        assertThat(thread.isAlive()).isFalse();
      }
      assertThatThrownBy(() -> opened.storage().load("k"))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("closed");
    }
  }

  private static List<Thread> threadsOfClients() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("latchkey-http-"))
        .filter(thread -> !thread.getName().contains("server"))
        .toList();
  }
}
