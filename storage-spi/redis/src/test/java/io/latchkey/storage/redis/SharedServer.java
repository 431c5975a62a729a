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
        RedisServer started = RedisServer.start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end(started)));
        server = started;
      }
      return server;
    }
  }

  private static void end(RedisServer started) {
    try {
      started.close();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** What no other test uses. */
  static String freshName() {
    return "t" + NAMES.incrementAndGet() + ":";
  }
}
