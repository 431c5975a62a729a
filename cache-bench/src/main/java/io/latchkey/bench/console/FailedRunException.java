package io.latchkey.bench.console;

/** The input was good, but the work failed; the message tells what and where in one line. */
public class FailedRunException extends RuntimeException {
  /** Makes one with a message of one line. */
  public FailedRunException(String message) {
    super(message);
  }

  /** Makes one for what was caught: its message, or its kind if it has none, after the activity. */
  public FailedRunException(String activity, Throwable cause) {
    super(activity + " failed: " + reason(cause), cause);
  }

  private static String reason(Throwable cause) {
    String message = cause.getMessage();
    return message != null ? message.lines().findFirst().orElse("") : cause.toString();
  }
}
