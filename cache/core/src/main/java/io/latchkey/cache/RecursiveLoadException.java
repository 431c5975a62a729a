package io.latchkey.cache;

import org.jspecify.annotations.Nullable;

/** A load waited, directly or through other loads, for itself. */
public class RecursiveLoadException extends CacheException {
  private static final long serialVersionUID = 1L;

  /** An exception with this message and cause. */
  public RecursiveLoadException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
