package io.latchkey.storage;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A storage failed. The message says what failed, on which storage, and what to do about it.
 *
 * <p>Neither the message nor the name of the storage carries credentials: both go through {@link
 * StorageUrl#redact}. The cause is kept as it is, so a backend whose driver writes credentials into
 * its exceptions passes none of those on.
 */
public class StorageException extends Exception {
  private static final long serialVersionUID = 1L;

  /** The name or URL of the storage, without credentials. */
  private final String storage;

  /** Whether the same call may succeed later. */
  private final boolean retryable;

  /**
   * Makes an exception.
   *
   * @param storage the name or URL of the storage; credentials are removed
   * @param message what failed and the mend; credentials in URLs are removed
   * @param cause what the failure came from, or null
   * @param retryable whether the same call may succeed later without a change by the user
   * @throws NullPointerException if the storage or the message is null
   */
  public StorageException(
      String storage, String message, @Nullable Throwable cause, boolean retryable) {
    super(StorageUrl.redact(Objects.requireNonNull(message, "message")), cause);
    this.storage = StorageUrl.redact(Objects.requireNonNull(storage, "storage"));
    this.retryable = retryable;
  }

  /**
   * Whether the same call may succeed later without a change by the user: a lost connection or a
   * full disk, but not a corrupt file or a missing table.
   *
   * @return true if a repetition makes sense
   */
  public boolean retryable() {
    return retryable;
  }

  /**
   * The storage that failed.
   *
   * @return its name or URL, credentials removed
   */
  public String storage() {
    return storage;
  }

  /**
   * What a failure says, for the message of another one: its message, or its name where it has
   * none, as exceptions of codecs and of closed connections often do not.
   *
   * @param failure an exception of a driver, a codec or the file system
   * @return words that are never empty, as they came: with line ends and credentials, if any
   */
  public static String reason(Throwable failure) {
    String message = failure.getMessage();
    String name = failure.getClass().getName();
    return message == null || message.isBlank()
        ? name.substring(name.lastIndexOf('.') + 1)
        : message;
  }
}
