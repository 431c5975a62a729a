package io.latchkey.cache;

import org.jspecify.annotations.Nullable;

/** A load failed; the cause is what the storage or the weigher threw. */
public class CacheLoadException extends CacheException {
  private static final long serialVersionUID = 1L;

  /** An exception with this message and cause. */
  public CacheLoadException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
