package io.latchkey.storage.redis;

import java.time.Duration;
import java.util.Objects;

/**
 * An object with the time that Redis lets it live. Immutable; equal to another one with an equal
 * object and the same end.
 *
 * @param <V> the type of the object
 */
public final class Expiring<V> {
  private final V value;

  /** As of {@link System#nanoTime}; it means nothing if there is no end. */
  private final long end;

  private final boolean ends;

  private Expiring(V value, long end, boolean ends) {
    this.value = value;
    this.end = end;
    this.ends = ends;
  }

  /**
   * Takes an object and what Redis said of it.
   *
   * @param asked when Redis was asked, as of {@link System#nanoTime}: the time that passed since
   *     then counts, as nobody knows when in between Redis looked
   * @param millis how long it lives from then on, negative for ever
   */
  static <V> Expiring<V> of(V value, long asked, long millis) {
    long nanos =
        Duration.ofMillis(Math.min(Math.max(0, millis), Long.MAX_VALUE / 2_000_000)).toNanos();
    return new Expiring<>(value, asked + nanos, millis >= 0);
  }

  /**
   * The object.
   *
   * @return the object, not null
   */
  public V value() {
    return value;
  }

  /**
   * How long Redis lets it live from now on, by the clock of this process, and no longer: the time
   * of the way from Redis is taken off.
   *
   * @return nanoseconds, 0 if its time is over, {@link Long#MAX_VALUE} if it has no end
   */
  public long remainingNanos() {
    return ends ? Math.max(0, end - System.nanoTime()) : Long.MAX_VALUE;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Expiring<?> that
        && value.equals(that.value)
        && ends == that.ends
        && (!ends || end == that.end);
  }

  @Override
  public int hashCode() {
    return Objects.hash(value, ends);
  }

  @Override
  public String toString() {
    return ends ? value + ", which expires" : value.toString();
  }
}
