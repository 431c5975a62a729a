package io.latchkey.cache.testing;

import java.util.List;

/** The threads of a pool, found by their names. */
public final class PoolThreads {
  private PoolThreads() {}

  /** Those that live. */
  public static List<Thread> of(String pool) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().matches("latchkey-" + pool + "-\\d+"))
        .toList();
  }
}
