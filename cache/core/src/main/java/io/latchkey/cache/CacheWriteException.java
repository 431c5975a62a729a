package io.latchkey.cache;

import org.jspecify.annotations.Nullable;

/**
 * A store or a delete failed; the cause is what the storage threw. The storage may have done it or
 * not, and the cache has forgotten the key, so that the next look-up loads what the storage has.
 */
public class CacheWriteException extends CacheException {
  private static final long serialVersionUID = 1L;

  /**
   * Makes an exception.
   *
   * @param message what failed
   * @param cause what the storage threw, or null
   */
  public CacheWriteException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
