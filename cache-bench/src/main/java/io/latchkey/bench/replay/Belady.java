package io.latchkey.bench.replay;

import io.latchkey.bench.keys.Trace;
import java.util.Arrays;

/**
 * Belady's optimum: of the cached objects and the one just loaded, the one is given up whose next
 * use is farthest away. No cache has more hits, not even one that may refuse to keep an object.
 */
public final class Belady {
  private static final int NEVER = Integer.MAX_VALUE;

  private final Trace trace;

  /** For each read, the next read of the same key. */
  private final int[] nextUse;

  /** Prepares a trace: 4 bytes for each read. */
  public Belady(Trace trace) {
    this.trace = trace;
    nextUse = new int[trace.length()];
    int[] later = new int[trace.objects()];
    Arrays.fill(later, NEVER);
    for (int read = trace.length() - 1; read >= 0; read--) {
      int key = trace.key(read);
      nextUse[read] = later[key];
      later[key] = read;
    }
  }

  /**
   * The hits of a cache of so many objects.
   *
   * @param capacity at least 1
   */
  public long hits(int capacity) {
    int[] usedNext = new int[trace.objects()];
    Farthest farthest = new Farthest(usedNext);
    int cached = 0;
    long hits = 0;
    for (int read = 0; read < trace.length(); read++) {
      int key = trace.key(read);
      if (usedNext[key] == read && read > 0) {
        hits++;
        cached--;
      }
      usedNext[key] = nextUse[read];
      if (nextUse[read] == NEVER) {
        usedNext[key] = 0;
        continue; // whatever is cached is of more use
      }
      farthest.add(key);
      cached++;
      if (cached > capacity) {
        usedNext[farthest.poll()] = 0;
        cached--;
      }
    }
    return hits;
  }

  /**
   * A heap of next uses with the farthest on top. A use that came is not taken out: it is nearer
   * than all that are to come, sinks to the ground, and goes when the heap is rebuilt.
   */
  private static final class Farthest {
    private final int[] usedNext;

    /** The read of the next use in the upper half, the key in the lower; from place 1 on. */
    private long[] heap = new long[1024];

    private int size;
    private int live;

    Farthest(int[] usedNext) {
      this.usedNext = usedNext;
    }

    void add(int key) {
      if (size + 1 == heap.length) {
        sweep();
        heap = live * 2 > heap.length ? Arrays.copyOf(heap, heap.length * 2) : heap;
      }
      heap[++size] = (long) usedNext[key] << 32 | key;
      rise(size);
    }

    int poll() {
      while (stale(heap[1])) {
        removeTop();
      }
      int key = (int) heap[1];
      removeTop();
      return key;
    }

    private boolean stale(long use) {
      return usedNext[(int) use] != (int) (use >>> 32);
    }

    private void removeTop() {
      heap[1] = heap[size--];
      sink(1);
    }

    private void sweep() {
      live = 0;
      for (int place = 1; place <= size; place++) {
        if (!stale(heap[place])) {
          heap[++live] = heap[place];
        }
      }
      size = live;
      for (int place = size / 2; place >= 1; place--) {
        sink(place);
      }
    }

    private void rise(int from) {
      int place = from;
      long use = heap[place];
      for (; place > 1 && heap[place / 2] < use; place /= 2) {
        heap[place] = heap[place / 2];
      }
      heap[place] = use;
    }

    private void sink(int from) {
      int place = from;
      long use = heap[place];
      while (2 * place <= size) {
        int child = 2 * place;
        if (child < size && heap[child + 1] > heap[child]) {
          child++;
        }
        if (heap[child] <= use) {
          break;
        }
        heap[place] = heap[child];
        place = child;
      }
      heap[place] = use;
    }
  }
}
