package io.latchkey.bench.demo;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.IntConsumer;

/**
 * What has been written to each object. A version is acknowledged after the put that wrote it has
 * returned; whoever begins a read later must not get an older one. One thread writes at a time, any
 * number read.
 */
final class Versions {
  private final long[] written;
  private final AtomicLongArray acknowledged;
  private int[] journal = new int[1024];
  private int writes;

  /** Starts from the versions that the store holds. */
  Versions(long[] stored) {
    written = stored.clone();
    acknowledged = new AtomicLongArray(stored);
  }

  /** The version that the next put of this object writes. By the writer. */
  long begin(int object) {
    return ++written[object];
  }

  /** The put of the version that was begun has returned. By the writer. */
  void acknowledge(int object) {
    if (writes == journal.length) {
      journal = Arrays.copyOf(journal, 2 * writes);
    }
    journal[writes++] = object;
    acknowledged.setRelease(object, written[object]);
  }

  /** The newest version whose put has returned. By anyone. */
  long acknowledged(int object) {
    return acknowledged.getAcquire(object);
  }

  /** How many puts were acknowledged so far. By the writer, or when it has ended. */
  int writes() {
    return writes;
  }

  /** Tells each object written since there were that many puts. When the writer has ended. */
  void writtenSince(int position, IntConsumer objects) {
    for (int i = position; i < writes; i++) {
      objects.accept(journal[i]);
    }
  }
}
