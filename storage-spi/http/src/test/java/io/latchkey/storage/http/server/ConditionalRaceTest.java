package io.latchkey.storage.http.server;

import static io.latchkey.storage.http.server.RawClient.get;
import static io.latchkey.storage.http.server.RawClient.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.storage.Codec;
import io.latchkey.storage.MemoryStorage;
import io.latchkey.storage.Storage;
import io.latchkey.storage.http.server.RawClient.Response;
import io.latchkey.storage.testkit.FaultyStorage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Conditional writes of several clients at once. */
@ExtendWith(LeakCheck.class)
class ConditionalRaceTest {
  private static final int CLIENTS = 6;
  private static final int ROUNDS = 40;

  private final MemoryStorage<String, String> memory = MemoryStorage.create();

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @DisplayName("Counting up under If-Match loses no count, whoever wins each round")
  void noLostUpdate(boolean revisions) throws Exception {
    Storage<String, String> storage = revisions ? memory : FaultyStorage.over(memory);
    try (HttpCacheServer server =
        HttpCacheServer.over(storage, Codec.utf8(), Codec.utf8()).workers(2).start()) {
      try (RawClient client = RawClient.to(server)) {
        client.ask(put("/objects/count", "If-None-Match: *\r\n", "0"));
      }
      List<CompletableFuture<Void>> counters = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        counters.add(done);
        new Thread(
                () -> {
                  try (RawClient client = RawClient.to(server)) {
                    for (int round = 0; round < ROUNDS; round++) {
                      countUp(client);
                    }
                    done.complete(null);
                  } catch (Throwable e) {
                    done.completeExceptionally(e);
                  }
                })
            .start();
      }
      for (CompletableFuture<Void> done : counters) {
        done.get(50, TimeUnit.SECONDS);
      }
    }
    assertThat(memory.load("count")).isEqualTo("" + CLIENTS * ROUNDS);
  }

  private static void countUp(RawClient client) throws Exception {
    Response written;
    do {
      Response now = client.ask(get("/objects/count"));
      String next = "" + (Integer.parseInt(now.body()) + 1);
      written = client.ask(put("/objects/count", "If-Match: " + now.field("etag") + "\r\n", next));
      assertThat(written.status()).isIn(204, 412);
    } while (written.status() == 412);
  }

  @Test
  @DisplayName("A commit by another process between check and write is a conflict, told as 412")
  void otherWriters() throws Exception {
    // The commit of the server is the first call that sees the other's commit.
    RacingRevisions storage = new RacingRevisions(memory);
    try (HttpCacheServer server =
            HttpCacheServer.over(storage, Codec.utf8(), Codec.utf8()).start();
        RawClient client = RawClient.to(server)) {
      String tag = client.ask(put("/objects/k", "", "one")).field("etag");
      storage.race(() -> memory.commit(Map.of("k", Optional.of("other")), memory.head()));
      Response conflict = client.ask(put("/objects/k", "If-Match: " + tag + "\r\n", "mine"));
      assertThat(conflict.status()).isEqualTo(412);
      assertThat(conflict.field("etag")).isEqualTo("\"2\"");
      assertThat(memory.load("k")).isEqualTo("other");
      storage.race(() -> memory.commit(Map.of("k", Optional.of("again")), memory.head()));
      assertThat(client.ask(put("/objects/k", "", "unconditional")).status()).isEqualTo(204);
      assertThat(memory.load("k")).isEqualTo("unconditional");
      assertThat(client.ask(get("/objects/k")).body()).isEqualTo("unconditional");
    }
  }
}
