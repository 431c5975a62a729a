package io.latchkey.bench.console;

/** The user gave something that cannot be used; the message names it and the mend in one line. */
public class BadInputException extends RuntimeException {
  /** Makes one with a message of one line. */
  public BadInputException(String message) {
    super(message);
  }

  /** Makes one with a message of one line, and what was caught. */
  public BadInputException(String message, Throwable cause) {
    super(message, cause);
  }
}
