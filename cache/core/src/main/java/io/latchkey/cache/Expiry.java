package io.latchkey.cache;

/**
 * Gives each object its own time to live. Durations are nanoseconds from now; {@code
 * Long.MAX_VALUE} means never.
 */
public interface Expiry<K, V> {
  /** How long an object lives that was just loaded or put. */
  long afterWrite(K key, V value, long now);

  /** How long an object lives that was just read, {@code remaining} being what it had left. */
  default long afterRead(K key, V value, long now, long remaining) {
    return remaining;
  }
}
