package io.latchkey.storage.redis;

import java.util.concurrent.atomic.AtomicInteger;

/** The server for all tests that leave it running; it ends with the JVM. */
final class SharedServer {
  private static final AtomicInteger NAMES = new AtomicInteger();
  private static final Object LOCK = new Object();
  private static RedisServer server;

  private SharedServer() {}

  static RedisServer get() throws Exception {
    synchronized (LOCK) {
      if (server == null) {
        server = RedisServer.start();
      }
      return server;
    }
  }

  /** What no other test uses. */
  static String freshName() {
    return "t" + NAMES.incrementAndGet() + ":";
  }
}
