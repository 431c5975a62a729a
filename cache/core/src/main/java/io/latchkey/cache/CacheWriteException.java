package io.latchkey.cache;

import org.jspecify.annotations.Nullable;

/** A store or delete failed; the key is no longer cached. */
public class CacheWriteException extends CacheException {
  private static final long serialVersionUID = 1L;

  /** An exception with this message and cause. */
  public CacheWriteException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
