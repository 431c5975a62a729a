package io.latchkey.storage.http.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.Cache;
import io.latchkey.storage.Codec;
import io.latchkey.storage.MemoryStorage;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The examples of the Javadoc and of the module's README. */
class ServerExamplesTest {
  private final List<String> shown = new ArrayList<>();

  private void show(String text) {
    shown.add(text);
  }

  @Test
  @DisplayName("A server of a storage that it opens by its URL")
  void ofUrl() throws Exception {
    try (HttpCacheServer server = HttpCacheServer.over("memory:").port(0).start()) {
      show(server.url()); // http://127.0.0.1:PORT/
    }
    assertThat(shown.get(0)).matches("http://127\\.0\\.0\\.1:\\d+/");
  }

  @Test
  @DisplayName("A server of a cache that the program uses, too")
  void ofCache() throws Exception {
    MemoryStorage<String, String> users = MemoryStorage.create();
    try (Cache<String, String> cache = Cache.over(users).maximumSize(10_000).build();
        HttpCacheServer server = HttpCacheServer.over(cache, Codec.utf8(), Codec.utf8()).start()) {
      cache.put("ada", "Ada Lovelace"); // and others get it at objects/ada
      show(server.url());
    }
    assertThat(shown).hasSize(1);
  }
}
