package io.latchkey.cache;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tasks that wait for a worker of a {@link LoaderPool}, first in first out: a ring that grows up to
 * the bound and does not shrink, so that in the long run it allocates nothing.
 *
 * <p>Not thread-safe: the pool's lock guards it.
 */
final class TaskQueue {
  private static final int FIRST_LENGTH = 16;

  private final int capacity;
  private @Nullable Runnable[] ring = new Runnable[0];
  private int head;
  private int size;

  TaskQueue(int capacity) {
    this.capacity = capacity;
  }

  int size() {
    return size;
  }

  /** Adds a task at the end; false if there is no room. */
  boolean add(Runnable task) {
    if (size == capacity) {
      return false;
    }
    if (size == ring.length) {
      grow();
    }
    int tail = head + size;
    ring[tail < ring.length ? tail : tail - ring.length] = task;
    size++;
    return true;
  }

  private void grow() {
    long length = Math.max(FIRST_LENGTH, 2L * ring.length);
    @Nullable Runnable[] larger = new Runnable[(int) Math.min(length, capacity)];
    int first = Math.min(size, ring.length - head);
    System.arraycopy(ring, head, larger, 0, first);
    System.arraycopy(ring, 0, larger, first, size - first);
    ring = larger;
    head = 0;
  }

  /** Takes the first task; null if there is none. */
  @Nullable Runnable poll() {
    if (size == 0) {
      return null;
    }
    Runnable first = ring[head];
    ring[head] = null;
    head = head + 1 == ring.length ? 0 : head + 1;
    size--;
    return first;
  }

  /** Takes all tasks, the first one first. */
  List<Runnable> drain() {
    List<Runnable> all = new ArrayList<>(size);
    for (Runnable task = poll(); task != null; task = poll()) {
      all.add(task);
    }
    return all;
  }
}
