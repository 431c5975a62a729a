package io.latchkey.storage.http;

import org.jspecify.annotations.Nullable;

/** The server sent what cannot be taken; the connection is of no use any more. */
final class BadAnswerException extends Exception {
  private static final long serialVersionUID = 1L;

  BadAnswerException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
