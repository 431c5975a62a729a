package io.latchkey.bench.replay;

import io.latchkey.bench.keys.Trace;
import java.util.Arrays;

/** Exact simulation of a cache that evicts what was used least recently. */
public final class LeastRecentlyUsed {
  private static final int ABSENT = -1;

  /**
   * A ring through all keys that are cached, from the latest used; the last place is its anchor.
   */
  private final int[] next;

  private final int[] previous;
  private final int anchor;
  private int size;

  private LeastRecentlyUsed(int keys) {
    anchor = keys;
    next = new int[keys + 1];
    previous = new int[keys + 1];
    Arrays.fill(next, ABSENT);
    next[anchor] = anchor;
    previous[anchor] = anchor;
  }

  /**
   * The hits of a cache of so many objects.
   *
   * @param capacity at least 1
   */
  public static long hits(Trace trace, int capacity) {
    LeastRecentlyUsed cache = new LeastRecentlyUsed(trace.objects());
    long hits = 0;
    for (int read = 0; read < trace.length(); read++) {
      if (cache.read(trace.key(read), capacity)) {
        hits++;
      }
    }
    return hits;
  }

  private boolean read(int key, int capacity) {
    boolean hit = next[key] != ABSENT;
    if (hit) {
      unlink(key);
    } else if (size == capacity) {
      unlink(previous[anchor]);
    }
    linkFirst(key);
    return hit;
  }

  private void linkFirst(int key) {
    int second = next[anchor];
    next[anchor] = key;
    previous[key] = anchor;
    next[key] = second;
    previous[second] = key;
    size++;
  }

  private void unlink(int key) {
    next[previous[key]] = next[key];
    previous[next[key]] = previous[key];
    next[key] = ABSENT;
    size--;
  }
}
