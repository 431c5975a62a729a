package io.latchkey.cache;

import org.jspecify.annotations.Nullable;

/** The calling thread was interrupted; its interrupt flag is set. */
public class CacheInterruptedException extends CacheException {
  private static final long serialVersionUID = 1L;

  /** An exception with this message and cause. */
  public CacheInterruptedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
