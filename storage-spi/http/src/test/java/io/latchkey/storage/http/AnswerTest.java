package io.latchkey.storage.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.latchkey.storage.StorageException;
import io.latchkey.storage.WritableStorage;
import io.latchkey.storage.http.ScriptedServer.Opened;
import io.latchkey.storage.http.ScriptedServer.Peer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the client makes of answers, right and wrong ones. */
class AnswerTest {
  private static final String TOKEN = "Xyzzy-7";

  private static CompletableFuture<String> load(Opened opened, String key) {
    return opened.storage().loadAsync(key).toCompletableFuture();
  }

  private static String get(CompletableFuture<String> load) throws Exception {
    return load.get(ScriptedServer.PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
  }

  private static StorageException failure(FutureTask<?> call) {
    return (StorageException)
        catchThrowable(() -> call.get(ScriptedServer.PATIENCE_MILLIS, TimeUnit.MILLISECONDS))
            .getCause();
  }

  private static StorageException failure(CompletableFuture<String> load) {
    Throwable thrown = catchThrowable(() -> get(load));
    assertThat(thrown).isInstanceOf(ExecutionException.class);
    assertThat(thrown.getCause())
        .as("not wrapped twice, and without the token")
        .isInstanceOf(StorageException.class)
        .hasMessageNotContaining(TOKEN);
    return (StorageException) thrown.getCause();
  }

  /** One request, one answer, and what the load makes of it. */
  private static StorageException failureOf(String parameters, String answer) throws Exception {
    try (ScriptedServer server = new ScriptedServer();
        Opened opened = server.open("load\n", parameters)) {
      CompletableFuture<String> load = load(opened, "k");
      opened.peer().next("GET /base/objects/k");
      opened.peer().send(answer);
      return failure(load);
    }
  }

  @Test
  @DisplayName("A key goes into the path escaped, the token into its header; the object comes back")
  void loads() throws Exception {
    try (ScriptedServer server = new ScriptedServer();
        Opened opened = server.open("load\nbulk\n", "token=" + TOKEN)) {
      CompletableFuture<String> load = load(opened, "a/é %");
      assertThat(opened.peer().next("GET /base/objects/a%2F%C3%A9%20%25").header("Authorization"))
          .isEqualTo("Bearer " + TOKEN);
      opened.peer().answer(200, "vé");
      assertThat(get(load)).isEqualTo("vé");

      CompletableFuture<String> empty = load(opened, "");
      opened.peer().next("GET /base/objects/");
      opened.peer().answer(200, "");
      assertThat(get(empty)).isEmpty();
      assertThat(opened.storage().name()).isEqualTo("http://localhost:" + server.port() + "/base/");
      assertThat(opened.storage().toString()).doesNotContain(TOKEN);
    }
  }

  @Test
  @DisplayName("A 404 with the server's mark is an absence, without it a failure")
  void absent() throws Exception {
    try (ScriptedServer server = new ScriptedServer();
        Opened opened = server.open("load\n", "")) {
      CompletableFuture<String> load = load(opened, "k");
      opened.peer().next();
      opened.peer().absent();
      assertThat(get(load)).isNull();

      CompletableFuture<String> wrong = load(opened, "k");
      opened.peer().next();
      opened.peer().answer(404, "nothing here");
      assertThat(failure(wrong))
          .hasMessageContaining("404")
          .hasMessageContaining("'nothing here'")
          .hasMessageContaining("base path");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "400, false",
    "401, false",
    "403, false",
    "408, true",
    "413, false",
    "414, false",
    "429, true",
    "500, false",
    "501, false",
    "502, false",
    "503, true",
    "504, true"
  })
  @DisplayName("The status says whether a repetition may help, the body what happened")
  void statuses(int status, boolean retryable) throws Exception {
    StorageException failure =
        failureOf(
            "token=" + TOKEN,
            "HTTP/1.1 "
                + status
                + " X\r\nContent-Length: 24\r\n\r\nwhat\nhappened, "
                + TOKEN
                + "!!");
    assertThat(failure.retryable()).isEqualTo(retryable);
    assertThat(failure)
        .hasMessageContaining(Integer.toString(status))
        .hasMessageContaining("what happened, ***");
  }

  @Test
  @DisplayName("A 401 names the mend: give a token, or the right one")
  void unauthorized() throws Exception {
    String answer = "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n";
    assertThat(failureOf("", answer)).hasMessageContaining("give the server's token as ?token=");
    assertThat(failureOf("token=" + TOKEN, answer)).hasMessageContaining("is not the server's");
  }

  @Test
  @DisplayName("A redirect is not followed but told, without credentials")
  void redirect() throws Exception {
    assertThat(
            failureOf(
                "token=" + TOKEN,
                "HTTP/1.1 302 Found\r\nLocation: http://u:p@other/?token="
                    + TOKEN
                    + "\r\nContent-Length: 0\r\n\r\n"))
        .hasMessageContaining("302")
        .hasMessageContaining("other/")
        .hasMessageNotContaining("u:p")
        .hasMessageContaining("redirects are not followed");
  }

  @Test
  @DisplayName("What is not HTTP, or has a head without end, is refused and said so")
  void garbage() throws Exception {
    StorageException failure = failureOf("", "SSH-2.0-OpenSSH\r\n\r\n");
    assertThat(failure).hasMessageContaining("is not HTTP");
    assertThat(failure.retryable()).isFalse();
    assertThat(failureOf("", "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n"))
        .hasMessageContaining("is not HTTP");
    assertThat(failureOf("", "HTTP/1.1 200 OK\r\nX: " + "x".repeat(100_000) + "\r\n\r\n"))
        .hasMessageContaining("head of the answer is too long");
  }

  @Test
  @DisplayName("An answer that breaks off fails, also one that began before its body")
  void half() throws Exception {
    for (String begun :
        List.of(
            "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")) {
      try (ScriptedServer server = new ScriptedServer();
          Opened opened = server.open("load\n", "")) {
        CompletableFuture<String> load = load(opened, "k");
        opened.peer().next();
        opened.peer().send(begun);
        opened.peer().close();
        StorageException failure = failure(load);
        assertThat(failure).hasMessageContaining("in the middle of the answer");
        assertThat(failure.retryable()).isTrue();
      }
    }
  }

  @Test
  @DisplayName("A Content-Length that is too short spoils the next answer, and not the one after")
  void tooShort() throws Exception {
    try (ScriptedServer server = new ScriptedServer();
        Opened opened = server.open("load\n", "")) {
      CompletableFuture<String> one = load(opened, "1");
      CompletableFuture<String> two = load(opened, "2");
      CompletableFuture<String> three = load(opened, "3");
      opened.peer().next("GET /base/objects/1");
      opened.peer().next("GET /base/objects/2");
      opened.peer().next("GET /base/objects/3");
      opened
          .peer()
          .send(
              "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nones"
                  + "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\ntwo");
      assertThat(get(one)).isEqualTo("on");
      assertThat(failure(two)).hasMessageContaining("is not HTTP");
      Peer second = server.accept();
      second.next("GET /base/objects/3");
      second.answer(200, "three");
      assertThat(get(three)).isEqualTo("three");
    }
  }

  @Test
  @DisplayName("An answer without a length, or encoded, is refused: a cut one would look whole")
  void noLength() throws Exception {
    assertThat(failureOf("", "HTTP/1.1 200 OK\r\n\r\nvalue"))
        .hasMessageContaining("Content-Length");
    assertThat(
            failureOf(
                "", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\nv"))
        .hasMessageContaining("gzip");
  }

  @Test
  @DisplayName("An answer larger than maxBytes is refused before it is kept")
  void tooLarge() throws Exception {
    assertThat(
            failureOf(
                "maxBytes=1024", "HTTP/1.1 200 OK\r\nContent-Length: 9999999999\r\n\r\nvalue"))
        .hasMessageContaining("9999999999 bytes")
        .hasMessageContaining("maxBytes is 1024");
    assertThat(
            failureOf(
                "maxBytes=1024",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n401\r\n"
                    + "x".repeat(0x401)
                    + "\r\n"))
        .hasMessageContaining("more than 1024 bytes");
  }

  @Test
  @DisplayName("Chunks and interim answers are taken; a large object arrives whole")
  void chunks() throws Exception {
    try (ScriptedServer server = new ScriptedServer();
        Opened opened = server.open("load\n", "")) {
      CompletableFuture<String> load = load(opened, "k");
      opened.peer().next();
      opened.peer().send("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n");
      opened.peer().send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
      opened.peer().chunk("one ");
      opened.peer().chunk("two");
      opened.peer().send("0\r\n\r\n");
      assertThat(get(load)).isEqualTo("one two");

      String large = "0123456789".repeat(300_000);
      CompletableFuture<String> next = load(opened, "k");
      opened.peer().next();
      opened.peer().answer(200, large);
      assertThat(get(next)).isEqualTo(large);
    }
  }

  @Test
  @DisplayName("A bulk load is one request; what was not asked for, or is cut, is refused")
  void bulk() throws Exception {
    try (ScriptedServer server = new ScriptedServer();
        Opened opened = server.open("load\nbulk\n", "")) {
      FutureTask<Map<String, String>> loading =
          ScriptedServer.start(() -> opened.storage().loadAll(Set.of("a")));
      ScriptedServer.Asked asked = opened.peer().next("POST /base/objects");
      assertThat(asked.header("Content-Type")).isEqualTo("application/x-latchkey-frames");
      assertThat(asked.body()).isEqualTo(new byte[] {0, 0, 0, 1, 'a'});
      opened.peer().answer(200, "\0\0\0\1a\0\0\0\2va");
      assertThat(loading.get()).isEqualTo(Map.of("a", "va"));

      for (Map.Entry<String, String> wrong :
          Map.of(
                  "\0\0\0\1b\0\0\0\2vb", "was not asked for",
                  "\0\0\0\1a", "a key has no object",
                  "\0\0\0\1a\0\0\0\5va", "claims 5 bytes")
              .entrySet()) {
        FutureTask<Map<String, String>> failing =
            ScriptedServer.start(() -> opened.storage().loadAll(Set.of("a")));
        opened.peer().next("POST /base/objects");
        opened.peer().answer(200, wrong.getKey());
        assertThat(failure(failing)).hasMessageContaining(wrong.getValue());
      }
    }
  }

  @Test
  @DisplayName("A server without bulk loads is asked for each key, all at once")
  void noBulk() throws Exception {
    try (ScriptedServer server = new ScriptedServer();
        Opened opened = server.open("load\n", "")) {
      FutureTask<Map<String, String>> loading =
          ScriptedServer.start(() -> opened.storage().loadAll(Set.of("a", "b")));
      String first = opened.peer().next().line();
      opened.peer().next();
      opened.peer().answer(200, "first");
      opened.peer().absent();
      assertThat(loading.get()).isEqualTo(Map.of(first.substring(18, 19), "first"));
    }
  }

  @Test
  @DisplayName("Writes send the object and the kind; a refused one names what the server says")
  void writes() throws Exception {
    try (ScriptedServer server = new ScriptedServer();
        Opened opened = server.open("load\nwrite\n", "")) {
      @SuppressWarnings("unchecked")
      WritableStorage<String, String> writable = (WritableStorage<String, String>) opened.storage();
      FutureTask<?> storing = ScriptedServer.start(() -> store(writable, "k", "v"));
      assertThat(opened.peer().next("PUT /base/objects/k").body()).isEqualTo("v".getBytes(UTF_8));
      opened.peer().answer(204, "");
      storing.get();

      FutureTask<?> failing = ScriptedServer.start(() -> store(writable, "k", "v"));
      opened.peer().next("PUT /base/objects/k");
      opened.peer().answer(503, "the disk is full");
      StorageException failure = failure(failing);
      assertThat(failure)
          .hasMessageContaining("the disk is full")
          .hasMessageContaining("whether the change was made is unknown");
      assertThat(failure.retryable()).isTrue();
      assertThatThrownBy(() -> store(writable, "k", null)).isInstanceOf(NullPointerException.class);
    }
  }

  private static boolean store(WritableStorage<String, String> storage, String key, String value)
      throws Exception {
    storage.store(key, value);
    return true;
  }
}
