package io.latchkey.cache;

import org.jspecify.annotations.Nullable;

/**
 * The calling thread was interrupted while it waited or while the storage worked for it. Its
 * interrupt flag is set, so that whoever catches this need not restore it.
 *
 * <p>A read that was interrupted has changed nothing, and others that wait for the same object get
 * it. After a write that was interrupted while it stored, the storage may have the object or not,
 * and the cache has forgotten the key.
 */
public class CacheInterruptedException extends CacheException {
  private static final long serialVersionUID = 1L;

  /**
   * Makes an exception.
   *
   * @param message what failed
   * @param cause what the storage threw, or null
   */
  public CacheInterruptedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
