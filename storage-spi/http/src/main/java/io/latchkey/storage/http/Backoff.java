package io.latchkey.storage.http;

import java.util.concurrent.ThreadLocalRandom;

/**
 * How long to wait before the next attempt: doubled at each failure, with a random part, so that
 * the clients of a server that comes back do not all come at once. Times are nanoseconds. Used by
 * one thread.
 */
final class Backoff {
  private static final long SHORTEST = 1_000_000;

  private final long longest;
  private long first;
  private long next;

  Backoff(long first, long longest) {
    this.longest = longest;
    this.first = first;
    next = first;
  }

  /** The delay before the next attempt, between half and all of what the failures so far make. */
  long nextDelay() {
    long delay = next;
    next = Math.max(delay, Math.min(longest, delay * 2));
    return delay / 2 + ThreadLocalRandom.current().nextLong(delay / 2 + 1);
  }

  /** What the first delay after a success is from now on; the next one is not less. */
  void first(long nanos) {
    first = Math.max(SHORTEST, Math.min(nanos, longest));
    next = Math.max(next, first);
  }

  void succeeded() {
    next = first;
  }
}
