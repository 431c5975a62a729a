package io.latchkey.cache;

import org.jspecify.annotations.Nullable;

/**
 * A load would have waited for itself for ever: it asked the cache for a key whose load, directly
 * or by way of other keys and threads, waits for this one. The message names the keys on the way.
 *
 * <p>Found at once when a load asks for its own key; otherwise after the wait has lasted some 20
 * ms. Each such cycle is broken by at least one exception, which fails the load that gets it unless
 * that catches it. Also thrown when a storage, while it stores a key, writes the same key again.
 */
public class RecursiveLoadException extends CacheException {
  private static final long serialVersionUID = 1L;

  /**
   * Makes an exception.
   *
   * @param message what failed
   * @param cause what the failure came from, or null
   */
  public RecursiveLoadException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
