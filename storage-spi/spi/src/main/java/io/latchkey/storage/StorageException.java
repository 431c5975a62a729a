package io.latchkey.storage;

import org.jspecify.annotations.Nullable;

/** A storage failed; the message says what failed and where, without credentials. */
public class StorageException extends Exception {
  private static final long serialVersionUID = 1L;

  private final String storage;
  private final boolean retryable;

  public StorageException(
      String storage, String message, @Nullable Throwable cause, boolean retryable) {
    super(message, cause);
    this.storage = storage;
    this.retryable = retryable;
  }

  /** Whether the same call may succeed later without a change by the user. */
  public boolean retryable() {
    return retryable;
  }

  /** The storage that failed, credentials removed. */
  public String storage() {
    return storage;
  }
}
