package io.latchkey.storage.http.server;

import java.util.Collection;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Orders the writes of a key through this server, so that what a condition was checked against is
 * still there when the write happens. Keys share a few locks; several are taken in one order. Held
 * while the storage writes, by threads that may block, never by an event loop.
 */
final class WriteLocks {
  private static final int STRIPES = 64;

  private final ReentrantLock[] locks = new ReentrantLock[STRIPES];

  WriteLocks() {
    for (int i = 0; i < STRIPES; i++) {
      locks[i] = new ReentrantLock();
    }
  }

  /** Something that writes. */
  interface Write {
    void run() throws Exception;
  }

  /** Runs with the locks of the keys held. */
  void holding(Collection<ObjectKey> keys, Write write) throws Exception {
    int[] stripes =
        keys.stream()
            .mapToInt(key -> (key.hashCode() & 0x7fffffff) % STRIPES)
            .distinct()
            .sorted()
            .toArray();
    int taken = 0;
    try {
      for (int stripe : stripes) {
        locks[stripe].lockInterruptibly();
        taken++;
      }
      write.run();
    } finally {
      while (taken > 0) {
        locks[stripes[--taken]].unlock();
      }
    }
  }
}
