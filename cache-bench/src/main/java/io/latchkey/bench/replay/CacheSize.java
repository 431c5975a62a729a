package io.latchkey.bench.replay;

import io.latchkey.bench.console.BadInputException;

/**
 * How many objects a replayed cache may hold: a number, or a share of the trace's objects.
 *
 * @param amount objects, or percent of them
 * @param percent whether it is a share
 */
public record CacheSize(double amount, boolean percent) {
  private static final int MAX = 1 << 28;

  /**
   * Reads a size as it is written on the command line: {@code 4096} or {@code 2.5%}.
   *
   * @throws BadInputException if it is neither, or out of range
   */
  public static CacheSize of(String size) {
    try {
      if (size.endsWith("%")) {
        double share = Double.parseDouble(size.substring(0, size.length() - 1));
        if (share > 0 && share <= 100) {
          return new CacheSize(share, true);
        }
      } else {
        int objects = Integer.parseInt(size);
        if (objects >= 1 && objects <= MAX) {
          return new CacheSize(objects, false);
        }
      }
    } catch (NumberFormatException e) {
      // Told below, as a number out of range is.
    }
    throw new BadInputException(
        "--size must be a number of objects from 1 to "
            + MAX
            + " or a share of them like 5%, not '"
            + size
            + "'");
  }

  /** The number of objects, at least 1; shares are rounded. */
  public int of(int objects) {
    return percent ? (int) Math.max(1, Math.round(objects * amount / 100)) : (int) amount;
  }
}
