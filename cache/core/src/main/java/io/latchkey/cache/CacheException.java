package io.latchkey.cache;

import org.jspecify.annotations.Nullable;

/**
 * What a cache throws when it cannot do what it was asked for. The subclasses say why; this class
 * itself is thrown by {@link CacheBuilder#build} when the storage cannot be opened or watched.
 *
 * <p>Unchecked. Messages name the key by its {@code toString}, and the storage by its name. Futures
 * hold the same exceptions, each its own.
 */
public class CacheException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * Makes an exception.
   *
   * @param message what failed
   * @param cause what the failure came from, or null
   */
  public CacheException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
