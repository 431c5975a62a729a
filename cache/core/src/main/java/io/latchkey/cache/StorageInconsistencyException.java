package io.latchkey.cache;

import org.jspecify.annotations.Nullable;

/**
 * A storage of revisions told things that cannot all be true, such as two objects for one key at
 * one revision. What it told last was not cached, and neither was that kept which it contradicts,
 * so the next look-up asks the storage again.
 *
 * <p>Thrown to the callers of the look-up that met the contradiction; the message tells both sides.
 */
public class StorageInconsistencyException extends CacheLoadException {
  private static final long serialVersionUID = 1L;

  /**
   * Makes an exception.
   *
   * @param message what the storage told, and what it contradicts
   * @param cause what the load ended with, or null
   */
  public StorageInconsistencyException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
