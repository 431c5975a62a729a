package io.latchkey.storage.http;

import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.Storages;
import io.latchkey.storage.http.server.HttpCacheServer;
import io.latchkey.storage.testkit.StorageContract;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** The client passes the contract suite against the server, over a storage in memory. */
class HttpContractTest extends StorageContract<String, String> {
  private static final String TOKEN = "Xyzzy-7";

  private final List<HttpCacheServer> servers = new ArrayList<>();

  @AfterEach
  void stop() {
    servers.forEach(HttpCacheServer::close);
  }

  @Override
  protected Storage<String, String> open() throws Exception {
    HttpCacheServer server = HttpCacheServer.over("memory:").token(TOKEN).start();
    servers.add(server);
    return Storages.open(
        "http://127.0.0.1:" + server.port() + "/?token=" + TOKEN, Codec.utf8(), Codec.utf8());
  }

  @Override
  protected String key(int number) {
    return "key " + number;
  }

  @Override
  protected String value(int number) {
    return "välue " + number;
  }

  @Override
  protected List<String> oddKeys() {
    return List.of("", "/", ".", "..", "a/b", "A/B", "a b", "+", "%", "%2F", "\0", "é", "?", "#");
  }

  @Override
  protected List<String> oddValues() {
    return List.of("", "x".repeat(1 << 20), "\r\n\r\n", "\0");
  }
}
