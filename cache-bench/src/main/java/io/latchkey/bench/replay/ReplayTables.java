package io.latchkey.bench.replay;

import io.latchkey.bench.console.Figures;
import io.latchkey.bench.console.Screen;
import io.latchkey.bench.console.Table;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/** Shows results: hit ratios and times, a row for each size, a column for each policy. */
public final class ReplayTables {
  private ReplayTables() {}

  /** Prints both tables. */
  public static void print(List<ReplayResult> results, Screen screen) {
    screen.out().println("hit ratio in percent");
    screen.print(table(results, result -> percent(result.hitRatio())));
    screen.out().println();
    screen.out().println("nanoseconds for a read, loads of the misses included");
    screen.print(
        table(
            results.stream().filter(result -> !result.nanosPerRead().isEmpty()).toList(),
            result -> Figures.decimal(result.nanos())));
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, "%.2f", 100 * share);
  }

  private static Table table(List<ReplayResult> results, Function<ReplayResult, String> cell) {
    Map<Integer, List<ReplayResult>> rows = new LinkedHashMap<>();
    for (ReplayResult result : results) {
      rows.computeIfAbsent(result.size(), size -> new ArrayList<>()).add(result);
    }
    List<String> header = new ArrayList<>(List.of("size"));
    rows.values().iterator().next().forEach(result -> header.add(result.policy()));
    Table table = new Table(header.toArray(String[]::new));
    rows.forEach(
        (size, row) -> {
          List<String> cells = new ArrayList<>(List.of(Figures.count(size)));
          row.forEach(result -> cells.add(cell.apply(result)));
          table.row(cells.toArray(String[]::new));
        });
    return table;
  }
}
