package io.latchkey.cache.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * An entry with a time to live of its own, a time of last use, a weight and a place in the timer
 * wheel; 72 bytes, paid for only by caches with such options.
 */
final class ExpiringEntry extends TimedEntry {
  private static final VarHandle ACCESS;
  private static final VarHandle LIFE;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      ACCESS = lookup.findVarHandle(ExpiringEntry.class, "access", long.class);
      LIFE = lookup.findVarHandle(ExpiringEntry.class, "life", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Last use, by the cache's clock. */
  @SuppressWarnings("UnusedVariable") // read through ACCESS
  private long access;

  /** Nanoseconds from {@code time} until the entry expires; {@code Long.MAX_VALUE} is never. */
  @SuppressWarnings("UnusedVariable") // read through LIFE
  private long life = Long.MAX_VALUE;

  private int weight = 1;

  /** Neighbours in a bucket of the timer wheel; the policy lock guards them. */
  @Nullable ExpiringEntry before;

  @Nullable ExpiringEntry after;

  ExpiringEntry(Object key, int hash, Node stack) {
    super(key, hash, stack);
  }

  ExpiringEntry(Object key, int hash, Object outcome, byte state) {
    super(key, hash, outcome, state);
  }

  @Override
  int weight() {
    return weight;
  }

  @Override
  void weight(int units) {
    weight = units;
  }

  long access() {
    return (long) ACCESS.getOpaque(this);
  }

  void access(long now) {
    ACCESS.setOpaque(this, now);
  }

  long life() {
    return (long) LIFE.getOpaque(this);
  }

  void life(long nanos) {
    LIFE.setOpaque(this, nanos);
  }
}
