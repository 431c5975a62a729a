package io.latchkey.bench.keys;

import io.latchkey.bench.console.BadInputException;

/**
 * Where the key stands in comma-separated values: by number, counted from 1, in a file without a
 * header, or by name in one whose first line names the columns.
 *
 * @param number the number, 0 if it is chosen by name
 * @param name the name, empty if it is chosen by number
 */
public record CsvColumn(int number, String name) {
  /** The first column, without a header. */
  public static final CsvColumn FIRST = new CsvColumn(1, "");

  private static final int MAX = 10_000;

  /**
   * Reads a column as it is written on the command line: all digits are a number.
   *
   * @throws BadInputException if it is empty or a number out of range
   */
  public static CsvColumn of(String column) {
    if (column.isBlank()) {
      throw new BadInputException("--column is empty: give a number from 1, or a name");
    }
    if (!column.chars().allMatch(c -> c >= '0' && c <= '9')) {
      return new CsvColumn(0, column.strip());
    }
    int number = column.length() > 5 ? Integer.MAX_VALUE : Integer.parseInt(column);
    if (number < 1 || number > MAX) {
      throw new BadInputException("--column must be from 1 to " + MAX + ", not " + column);
    }
    return new CsvColumn(number, "");
  }

  @Override
  public String toString() {
    return name.isEmpty() ? String.valueOf(number) : "'" + name + "'";
  }
}
