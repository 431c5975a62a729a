package io.latchkey.cache;

/**
 * Gives each object its own time to live, see {@link CacheBuilder#expireAfter}. All times are in
 * nanoseconds of the cache's clock; a life counts from the end of the load or put, or from the
 * read; {@code Long.MAX_VALUE} is for ever, and zero or less is at once.
 *
 * <pre>{@code
 * Expiry<Long, Token> untilTheTokenDoes = (id, token, now) -> token.lifetime().toNanos();
 * }</pre>
 *
 * <p>Called by many threads at once, on the thread that loads, puts or reads, with no lock held. It
 * must be quick, and must not use the cache.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the objects
 */
public interface Expiry<K, V> {
  /**
   * How long an object lives that was just loaded or put. Called for each load and put, before the
   * object is stored. An object that lives for zero goes to its callers and is not kept, unless
   * {@link CacheBuilder#staleIfError} may need it.
   *
   * <p>If this throws, the load fails with a {@link CacheLoadException} with that cause; a put
   * throws it and stores nothing.
   *
   * @param key the key
   * @param value the object
   * @param now the time of the cache's clock; only differences mean anything
   * @return nanoseconds from now
   */
  long afterWrite(K key, V value, long now);

  /**
   * How long an object lives that was just read; this default changes nothing. Called at every hit,
   * so it should cost next to nothing. What it throws is thrown by the look-up.
   *
   * @param key the key
   * @param value the object
   * @param now the time of the cache's clock; only differences mean anything
   * @param remaining what the object had left, in nanoseconds
   * @return nanoseconds from now
   */
  default long afterRead(K key, V value, long now, long remaining) {
    return remaining;
  }
}
