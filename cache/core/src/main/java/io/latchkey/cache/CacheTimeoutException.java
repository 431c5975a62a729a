package io.latchkey.cache;

import org.jspecify.annotations.Nullable;

/**
 * A load took longer than {@link CacheBuilder#loadTimeout} allows, or than the caller of {@link
 * Cache#get(Object, java.time.Duration)} was ready to wait.
 *
 * <p>The call of the storage goes on. After the patience of a caller its object is cached; after
 * {@code loadTimeout} it is dropped, and the next look-up loads again.
 */
public class CacheTimeoutException extends CacheException {
  private static final long serialVersionUID = 1L;

  /**
   * Makes an exception.
   *
   * @param message what failed
   * @param cause what the failure came from, or null
   */
  public CacheTimeoutException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
