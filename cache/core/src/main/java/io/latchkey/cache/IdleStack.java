package io.latchkey.cache;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The idle workers of a {@link LoaderPool}, last in first out: the one that worked last, whose
 * stack and data are still in the processor's cache, works next. So they stand in the order of the
 * times since when they are idle, the longest idle at the bottom, and those that are idle for too
 * long are a prefix that binary search finds.
 *
 * <p>Not thread-safe: the pool's lock guards it.
 */
final class IdleStack {
  private static final PoolWorker[] NONE = {};

  private @Nullable PoolWorker[] workers = new PoolWorker[8];
  private int size;

  int size() {
    return size;
  }

  /** Makes room, so that {@link #push} never allocates. */
  void reserve(int capacity) {
    if (capacity > workers.length) {
      workers = Arrays.copyOf(workers, Math.max(capacity, workers.length * 2));
    }
  }

  /**
   * Adds a worker that is idle from now on.
   *
   * @param now {@link System#nanoTime}, read under the lock and therefore never before that of the
   *     worker below
   */
  void push(PoolWorker worker, long now) {
    worker.idleSince = now;
    workers[size++] = worker;
  }

  /** Takes the worker that became idle last; null if there is none. */
  @Nullable PoolWorker pop() {
    if (size == 0) {
      return null;
    }
    PoolWorker last = workers[--size];
    workers[size] = null;
    return last;
  }

  /** How many workers have been idle for at least this time; they are those at the bottom. */
  int expired(long now, long idleNanos) {
    int low = 0;
    int high = size;
    while (low < high) {
      int middle = (low + high) >>> 1;
      PoolWorker worker = workers[middle];
      if (worker != null && now - worker.idleSince >= idleNanos) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Takes out that many workers from the bottom. */
  PoolWorker[] cut(int count) {
    if (count == 0) {
      return NONE;
    }
    PoolWorker[] cut = Arrays.copyOf(workers, count, PoolWorker[].class);
    int left = size - count;
    System.arraycopy(workers, count, workers, 0, left);
    Arrays.fill(workers, left, size, null);
    size = left;
    return cut;
  }
}
