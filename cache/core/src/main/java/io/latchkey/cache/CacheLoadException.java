package io.latchkey.cache;

import org.jspecify.annotations.Nullable;

/**
 * A load failed. The cause is what the storage threw, of whatever kind, or what the weigher, the
 * expiry function or the executor did.
 *
 * <p>Each caller gets an exception of its own; the cause they share. The failure is not cached
 * unless {@link CacheBuilder#cacheFailuresFor} says so, so the next look-up loads again.
 */
public class CacheLoadException extends CacheException {
  private static final long serialVersionUID = 1L;

  /**
   * Makes an exception.
   *
   * @param message what failed
   * @param cause what the load ended with, or null
   */
  public CacheLoadException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
