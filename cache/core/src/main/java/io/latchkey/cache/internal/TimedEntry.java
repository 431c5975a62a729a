package io.latchkey.cache.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** An entry that knows when it was written; 40 bytes. */
class TimedEntry extends Entry {
  private static final VarHandle TIME;

  static {
    try {
      TIME = MethodHandles.lookup().findVarHandle(TimedEntry.class, "time", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** The end of the load or the put, by the cache's clock in nanoseconds. */
  @SuppressWarnings("UnusedVariable") // read through TIME
  private long time;

  TimedEntry(Object key, int hash, Node stack) {
    super(key, hash, stack);
  }

  TimedEntry(Object key, int hash, Object outcome, byte state) {
    super(key, hash, outcome, state);
  }

  /** Read after the state was read; the write comes before the state's. Opaque, so never torn. */
  final long time() {
    return (long) TIME.getOpaque(this);
  }

  final void time(long now) {
    TIME.setOpaque(this, now);
  }
}
