package io.latchkey.cache;

import org.jspecify.annotations.Nullable;

/** What a cache throws when it cannot give its answer. */
public class CacheException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** An exception with this message and cause. */
  public CacheException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
