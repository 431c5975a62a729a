package io.latchkey.cache.testing;

import io.latchkey.cache.Ticker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that stands still until the test moves it, to anywhere. */
public final class ManualTicker implements Ticker {
  private final AtomicLong now;

  /** A clock that starts at zero. */
  public ManualTicker() {
    this(0);
  }

  /** A clock that starts at this reading. */
  public ManualTicker(long start) {
    now = new AtomicLong(start);
  }

  @Override
  public long read() {
    return now.get();
  }

  /** Moves the clock on, or back by a negative duration; overflow wraps as in nanoTime. */
  public void advance(Duration by) {
    now.addAndGet(by.toNanos());
  }

  /** Sets the reading, in nanoseconds. */
  public void set(long nanos) {
    now.set(nanos);
  }
}
