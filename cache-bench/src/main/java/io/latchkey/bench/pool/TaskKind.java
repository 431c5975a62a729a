package io.latchkey.bench.pool;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** What the tasks do. */
public enum TaskKind {
  /** Adds one to a counter that all tasks share: next to nothing but being handed over. */
  INCREMENT("increment", 0),
  /** Waits for 10 microseconds, as a load from a store on the same machine does. */
  PARK_10_US("park-10us", 10_000),
  /** Waits for a millisecond, as a load over a network does. */
  PARK_1_MS("park-1ms", 1_000_000),
  /** Closes a connection to this machine that was open. */
  CLOSE_SOCKET("close-socket", 0);

  private static final AtomicLong COUNTER = new AtomicLong();

  private final String id;
  private final long parkNanos;

  TaskKind(String id, long parkNanos) {
    this.id = id;
    this.parkNanos = parkNanos;
  }

  /** The name on the command line. */
  public String id() {
    return id;
  }

  /** The work of all kinds but those that need something. */
  void work() {
    if (parkNanos == 0) {
      COUNTER.incrementAndGet();
      return;
    }
    // A thread may return early from being parked, and some would more often than others.
    long end = System.nanoTime() + parkNanos;
    for (long left = parkNanos; left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  /** The one of that name. */
  public static TaskKind of(String id) {
    return Arrays.stream(values())
        .filter(each -> each.id.equals(id))
        .findFirst()
        .orElseThrow(Contestant.unknown("task", id, values(), TaskKind::id));
  }
}
