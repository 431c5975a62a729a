package io.latchkey.cache;

/** The shared clock of one millisecond. */
final class CoarseClock {
  private CoarseClock() {}

  static Ticker ticker() {
    return System::nanoTime;
  }
}
