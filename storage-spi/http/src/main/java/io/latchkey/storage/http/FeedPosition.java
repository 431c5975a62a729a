package io.latchkey.storage.http;

/**
 * The place of an event in the feed, written {@code EPOCH-SEQUENCE}, both decimal and not negative:
 * the {@code id} of server-sent events, and what {@code Last-Event-ID} resumes from.
 *
 * @param epoch the epoch of the feed
 * @param sequence the number of the event within it
 */
public record FeedPosition(long epoch, long sequence) {
  /**
   * Reads a position.
   *
   * @param text what {@link #toString} wrote
   * @return the position
   * @throws NullPointerException if the text is null
   * @throws IllegalArgumentException if it is no position; the message names the form
   */
  public static FeedPosition parse(String text) {
    int dash = text.indexOf('-');
    if (dash > 0) {
      try {
        if (isDigits(text, 0, dash) && isDigits(text, dash + 1, text.length())) {
          return new FeedPosition(
              Long.parseLong(text, 0, dash, 10), Long.parseLong(text, dash + 1, text.length(), 10));
        }
      } catch (NumberFormatException e) {
        // More than a long holds: refused below like anything else.
      }
    }
    throw new IllegalArgumentException(
        "'"
            + (text.length() > 60 ? text.substring(0, 60) + "…" : text)
            + "' is no position of the feed: write EPOCH-SEQUENCE, as the id of an event");
  }

  private static boolean isDigits(String text, int start, int end) {
    for (int i = start; i < end; i++) {
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        return false;
      }
    }
    return start < end;
  }

  /** The position as {@code EPOCH-SEQUENCE}. */
  @Override
  public String toString() {
    return epoch + "-" + sequence;
  }
}
