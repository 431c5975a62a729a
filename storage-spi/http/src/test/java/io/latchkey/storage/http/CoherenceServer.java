package io.latchkey.storage.http;

import io.latchkey.storage.http.server.HttpCacheServer;
import java.time.Duration;

/** A process that serves a file until its input ends, and tells its port. */
final class CoherenceServer {
  private CoherenceServer() {}

  public static void main(String[] arguments) throws Exception {
    try (HttpCacheServer server =
        HttpCacheServer.over("mvstore:" + arguments[0])
            .port(Integer.parseInt(arguments[1]))
            .keptChanges(100) // so that some who were cut off find their events, and others none
            .heartbeat(Duration.ofMillis(300))
            .start()) {
      System.out.println("port=" + server.port());
      while (System.in.read() >= 0) {
        // Nothing is told.
      }
    }
  }
}
