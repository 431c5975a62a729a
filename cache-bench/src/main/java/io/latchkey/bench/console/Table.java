package io.latchkey.bench.console;

import java.util.ArrayList;
import java.util.List;

/** Rows of text in columns: the first column flush left, the others flush right. */
public final class Table {
  private static final String GAP = "  ";
  private static final String INDENT = "  ";

  private final int columns;
  private final List<List<String>> rows = new ArrayList<>();

  /** Starts a table with its header. */
  public Table(String... header) {
    columns = header.length;
    row(header);
  }

  /** Adds a row; it has a cell for each column of the header. */
  public void row(String... cells) {
    if (cells.length != columns) {
      throw new IllegalArgumentException(
          "the row " + List.of(cells) + " needs " + columns + " cells");
    }
    rows.add(List.of(cells));
  }

  /** The lines of the table: the header, a rule, the rows. */
  public List<String> lines() {
    int[] widths = new int[columns];
    for (List<String> row : rows) {
      for (int column = 0; column < columns; column++) {
        widths[column] = Math.max(widths[column], row.get(column).length());
      }
    }
    List<String> lines = new ArrayList<>();
    for (List<String> row : rows) {
      lines.add(line(row, widths));
    }
    int width = INDENT.length();
    for (int column = 0; column < columns; column++) {
      width += widths[column] + (column == 0 ? 0 : GAP.length());
    }
    lines.add(1, INDENT + "-".repeat(width - INDENT.length()));
    return lines;
  }

  private static String line(List<String> row, int[] widths) {
    StringBuilder line = new StringBuilder(INDENT);
    for (int column = 0; column < row.size(); column++) {
      String cell = row.get(column);
      String padding = " ".repeat(widths[column] - cell.length());
      line.append(column == 0 ? cell + padding : GAP + padding + cell);
    }
    return line.toString().stripTrailing();
  }
}
