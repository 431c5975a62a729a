package io.latchkey.bench.jmh;

import io.latchkey.bench.console.Figures;
import io.latchkey.bench.console.Screen;
import io.latchkey.bench.console.Spread;
import io.latchkey.bench.console.Table;
import io.latchkey.bench.peers.Implementation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Shows results: a table for each cell, a row for each implementation. */
public final class ResultTables {
  private ResultTables() {}

  /** Prints all tables. Ratios are to Latchkey, fork by fork; their median is shown. */
  public static void print(List<CellResult> results, Screen screen) {
    Map<Cell, List<CellResult>> cells = new LinkedHashMap<>();
    for (CellResult result : results) {
      cells.computeIfAbsent(result.cell(), cell -> new ArrayList<>()).add(result);
    }
    cells.forEach(
        (cell, inCell) -> {
          screen.out().println(cell.describe());
          screen.print(table(inCell));
          screen.out().println();
        });
    screen.out().flush();
  }

  private static Table table(List<CellResult> inCell) {
    CellResult ours =
        inCell.stream()
            .filter(result -> result.implementation() == Implementation.LATCHKEY)
            .findFirst()
            .orElse(null);
    return ours == null ? alone(inCell) : compared(inCell, ours);
  }

  private static Table alone(List<CellResult> inCell) {
    Table table = new Table("implementation", "ns/get", "+-", "bytes/get");
    for (CellResult result : inCell) {
      table.row(
          result.implementation().id(),
          Figures.decimal(result.nanos()),
          Figures.decimal(result.error()),
          Figures.decimal(result.bytes()));
    }
    return table;
  }

  private static Table compared(List<CellResult> inCell, CellResult ours) {
    Table table = new Table("implementation", "ns/get", "+-", "/ ours", "min .. max", "bytes/get");
    for (CellResult result : inCell) {
      Spread ratio = ratio(result, ours);
      table.row(
          result.implementation().id(),
          Figures.decimal(result.nanos()),
          Figures.decimal(result.error()),
          result == ours ? "1x" : Figures.ratio(ratio.median()),
          ratio.min() == ratio.max()
              ? ""
              : Figures.ratio(ratio.min()) + " .. " + Figures.ratio(ratio.max()),
          Figures.decimal(result.bytes()));
    }
    return table;
  }

  private static Spread ratio(CellResult theirs, CellResult ours) {
    List<Double> ratios = new ArrayList<>();
    for (int fork = 0; fork < theirs.nanosOfForks().size(); fork++) {
      ratios.add(theirs.nanosOfForks().get(fork) / ours.nanosOfForks().get(fork));
    }
    return Spread.of(ratios);
  }
}
