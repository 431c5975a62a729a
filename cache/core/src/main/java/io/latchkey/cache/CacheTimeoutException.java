package io.latchkey.cache;

import org.jspecify.annotations.Nullable;

/** A load took longer than the caller or the cache allows. */
public class CacheTimeoutException extends CacheException {
  private static final long serialVersionUID = 1L;

  /** An exception with this message and cause. */
  public CacheTimeoutException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
