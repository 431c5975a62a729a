package io.latchkey.cache;

/** A source of time in nanoseconds; only differences between two readings mean anything. */
@FunctionalInterface
public interface Ticker {
  /** The time in nanoseconds. */
  long read();

  /** {@link System#nanoTime()}. */
  static Ticker system() {
    return System::nanoTime;
  }

  /**
   * A clock of one millisecond resolution, moved by one daemon thread for all caches that need it.
   * Reading it costs one memory read.
   */
  static Ticker coarse() {
    return CoarseClock.ticker();
  }
}
