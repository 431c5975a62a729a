package io.latchkey.cache.internal;

import io.latchkey.cache.RecursiveLoadException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Orders the writes of one key through a cache over a writable storage: each waits until the one
 * before it has stored and installed, without holding a lock meanwhile.
 *
 * <p>Writers of a key queue in a lane. A write of several keys enters all its lanes at once, under
 * the registry's monitor, so that two such writes cannot wait for each other. Only {@code hashCode}
 * and {@code equals} of keys run under it.
 */
final class Writes {
  private final Map<Object, Lane> lanes = new HashMap<>();

  /** Changed under the monitor, read without: whether it is worth looking for a lane. */
  private volatile int writing;

  private volatile long clears;
  private volatile @Nullable String closed;

  /** The writers of one key, the one whose turn it is first. */
  private static final class Lane {
    final ArrayDeque<Write> queue = new ArrayDeque<>();

    /** Invalidations of the key since the lane was made. */
    volatile long invalidations;
  }

  /** One call of put, putAll or remove. */
  final class Write {
    final Thread thread = Thread.currentThread();
    private final List<Object> keys;

    /** The lanes of the first keys, as far as they were entered, and their invalidations then. */
    private final List<Lane> mine;

    private final long[] seen;
    private final long seenClears = clears;

    private Write(Collection<?> keys) {
      this.keys = new ArrayList<>(keys);
      mine = new ArrayList<>(keys.size());
      seen = new long[keys.size()];
    }

    /** Whether the key was not invalidated since this write began; may be called under a stripe. */
    boolean keep(Lane lane, long invalidations) {
      return clears == seenClears && lane.invalidations == invalidations;
    }

    /**
     * The condition on which what was stored under a key may be installed.
     *
     * @param number the key's place among the keys of this write
     */
    BooleanSupplier kept(int number) {
      Lane lane = mine.get(number);
      long expected = seen[number];
      return () -> keep(lane, expected);
    }

    private boolean first() {
      synchronized (Writes.this) {
        for (Lane lane : mine) {
          if (lane.queue.peekFirst() != this) {
            return false;
          }
        }
        return true;
      }
    }

    /** Ends the write and lets the next ones go on. */
    void end() {
      List<Thread> next = new ArrayList<>();
      synchronized (Writes.this) {
        for (int i = 0; i < mine.size(); i++) {
          Lane lane = mine.get(i);
          lane.queue.remove(this);
          Write first = lane.queue.peekFirst();
          if (first == null) {
            close(keys.get(i), lane);
          } else {
            next.add(first.thread);
          }
        }
        writing = lanes.size();
      }
      next.forEach(LockSupport::unpark);
    }
  }

  /**
   * Begins a write and waits for its turn.
   *
   * @throws InterruptedException if interrupted while waiting; the write is then ended
   */
  Write begin(Collection<?> keys) throws InterruptedException {
    Write write = new Write(keys);
    boolean turn = false;
    try {
      enter(write);
      while (!write.first()) {
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
        checkOpen();
        LockSupport.park(this);
      }
      checkOpen();
      turn = true;
      return write;
    } finally {
      if (!turn) {
        write.end();
      }
    }
  }

  private void close(Object key, Lane lane) {
    try {
      lanes.remove(key, lane);
    } catch (RuntimeException broken) {
      lanes.values().remove(lane); // the equals of a key with the same hash threw
    }
  }

  private void enter(Write write) {
    synchronized (this) {
      for (Object key : write.keys) {
        Lane lane = lanes.computeIfAbsent(key, absent -> new Lane());
        for (Write other : lane.queue) {
          if (other.thread == write.thread && other != write) {
            throw new RecursiveLoadException(
                "storing " + Failure.text(key) + " waits for itself: its store writes it again",
                null);
          }
        }
        write.seen[write.mine.size()] = lane.invalidations;
        write.mine.add(lane);
        lane.queue.addLast(write);
      }
      writing = lanes.size();
    }
  }

  private void checkOpen() {
    String why = closed;
    if (why != null) {
      throw new IllegalStateException(why);
    }
  }

  /** The key is invalidated: what is being written now is not kept. Called before the removal. */
  void invalidated(Object key) {
    if (writing == 0) {
      return;
    }
    synchronized (this) {
      Lane lane = lanes.get(key);
      if (lane != null) {
        lane.invalidations++;
      }
    }
  }

  /** Everything is invalidated. */
  void allInvalidated() {
    synchronized (this) {
      clears++;
    }
  }

  /** Whether this thread is storing this key right now, so that a change of it is its own echo. */
  boolean echo(Object key) {
    if (writing == 0) {
      return false;
    }
    synchronized (this) {
      Lane lane = lanes.get(key);
      Write first = lane == null ? null : lane.queue.peekFirst();
      return first != null && first.thread == Thread.currentThread();
    }
  }

  /** Whether no write is under way. */
  boolean idle() {
    synchronized (this) {
      return lanes.isEmpty() && writing == 0;
    }
  }

  /** Those that wait for their turn leave with an exception of this message. */
  void close(String why) {
    closed = why;
    List<Thread> waiting = new ArrayList<>();
    synchronized (this) {
      for (Lane lane : lanes.values()) {
        for (Write write : lane.queue) {
          waiting.add(write.thread);
        }
      }
    }
    waiting.forEach(LockSupport::unpark);
  }
}
