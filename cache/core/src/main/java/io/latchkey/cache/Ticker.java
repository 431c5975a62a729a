package io.latchkey.cache;

/**
 * The clock of a cache, in nanoseconds. Only the difference between two readings means anything; a
 * clock may start anywhere and wrap around. See {@link CacheBuilder#ticker}.
 *
 * <pre>{@code
 * AtomicLong time = new AtomicLong();
 * Cache<Long, String> cache =
 *     Cache.over(names).expireAfterWrite(Duration.ofMinutes(5)).ticker(time::get).build();
 * show(cache.get(7L));
 * time.addAndGet(Duration.ofMinutes(6).toNanos()); // no test need wait that long
 * show(cache.getIfPresent(7L)); // null: expired
 * }</pre>
 */
@FunctionalInterface
public interface Ticker {
  /**
   * The time. Called by many threads at once, with no lock held; must be quick and must not throw.
   * A cache lives with a clock that jumps or goes back: an object whose age is negative counts as
   * new.
   *
   * @return the time in nanoseconds
   */
  long read();

  /**
   * The clock of the system, {@link System#nanoTime()}.
   *
   * @return the clock
   */
  static Ticker system() {
    return System::nanoTime;
  }

  /**
   * A clock that moves once a millisecond, and costs one read of memory. It is the default of a
   * cache that needs one. One daemon thread moves it for all caches and all tickers of this kind;
   * it ends when none of these is in use any more.
   *
   * @return a ticker of the caller's own on the shared clock; the thread runs for as long as the
   *     ticker is reachable
   */
  static Ticker coarse() {
    return CoarseClock.ticker();
  }
}
