package io.latchkey.cache;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The clock behind {@link Ticker#coarse()}: one daemon thread reads the system's clock once a
 * millisecond for all who look at it. It holds its readers weakly, and ends with the last of them.
 */
final class CoarseClock {
  private static final long TICK_NANOS = 1_000_000;

  /** Ticks between two looks for readers that were forgotten. */
  private static final int LOOK_EVERY = 64;

  private static final List<WeakReference<Reader>> READERS = new ArrayList<>();
  private static @Nullable Thread thread;
  private static volatile long now;

  private CoarseClock() {}

  /** A ticker of its own for each caller, so that the clock knows who still needs it. */
  static Ticker ticker() {
    Reader reader = new Reader();
    synchronized (READERS) {
      READERS.add(new WeakReference<>(reader));
      if (thread == null) {
        now = System.nanoTime();
        Thread started = new Thread(CoarseClock::run, "latchkey-clock");
        started.setDaemon(true);
        started.start();
        thread = started;
      }
    }
    return reader;
  }

  private static void run() {
    for (int ticks = 1; ticks % LOOK_EVERY != 0 || needed(); ticks++) {
      LockSupport.parkNanos(TICK_NANOS);
      now = System.nanoTime();
    }
  }

  /** Whether anyone still reads; if not, the calling thread is the clock's no more. */
  private static boolean needed() {
    synchronized (READERS) {
      READERS.removeIf(reference -> reference.refersTo(null));
      if (READERS.isEmpty()) {
        thread = null;
        return false;
      }
      return true;
    }
  }

  private static final class Reader implements Ticker, AutoCloseable {
    @Override
    public long read() {
      return now;
    }

    @Override
    public void close() {
      synchronized (READERS) {
        READERS.removeIf(reference -> reference.refersTo(this) || reference.refersTo(null));
        Thread idle = READERS.isEmpty() ? thread : null;
        if (idle != null) {
          LockSupport.unpark(idle);
        }
      }
    }
  }
}
