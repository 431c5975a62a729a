package io.latchkey.bench.report;

import java.util.ArrayList;
import java.util.List;

/** A table: names in the first column, figures in the others. */
final class Grid {
  private final List<String> header;
  private final List<List<String>> rows = new ArrayList<>();

  Grid(List<String> header) {
    this.header = List.copyOf(header);
  }

  Grid(String... header) {
    this(List.of(header));
  }

  void row(List<String> cells) {
    rows.add(List.copyOf(cells));
  }

  void row(String... cells) {
    row(List.of(cells));
  }

  Markup draw() {
    Markup table = new Markup().open("div", "class", "wide").open("table").open("thead");
    cells(table, "th", header);
    table.close("thead").open("tbody").line();
    rows.forEach(row -> cells(table, "td", row));
    return table.close("tbody").close("table").close("div").line();
  }

  private static void cells(Markup table, String element, List<String> cells) {
    table.open("tr");
    cells.forEach(cell -> table.element(element, cell));
    table.close("tr").line();
  }
}
