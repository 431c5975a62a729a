package io.latchkey.bench.compare;

import io.latchkey.bench.console.Figures;
import io.latchkey.bench.console.Screen;
import io.latchkey.bench.console.Table;
import java.util.Locale;
import java.util.Map;

/** Shows a comparison as Go's benchstat does. */
public final class CompareTables {
  private static final Map<String, Double> NANOS =
      Map.of("ns/op", 1.0, "us/op", 1e3, "ms/op", 1e6, "s/op", 1e9);

  private final Screen screen;
  private final double alpha;

  /**
   * Prepares tables.
   *
   * @param alpha sides with a p-value below it are said to differ
   */
  public CompareTables(Screen screen, double alpha) {
    this.screen = screen;
    this.alpha = alpha;
  }

  /** Prints a table for each unit. */
  public void print(Comparison comparison) {
    boolean first = true;
    for (Rows part : comparison.parts()) {
      if (!first) {
        screen.out().println();
      }
      first = false;
      screen.print(table(part));
    }
  }

  private Table table(Rows part) {
    String what = title(part.unit());
    Table table = new Table("name", "old " + what, "", "new " + what, "", "delta", "");
    for (Row row : part.rows()) {
      table.row(
          row.name(),
          figure(row.before().median(), part.unit()),
          spread(row.before()),
          figure(row.after().median(), part.unit()),
          spread(row.after()),
          row.differs(alpha) ? delta(row.delta()) : "~",
          String.format(
              Locale.ROOT,
              "(p=%.3f n=%d+%d)",
              row.pValue(),
              row.before().size(),
              row.after().size()));
    }
    int taken = part.positive().size();
    if (taken > 0) {
      table.row(
          "geomean",
          figure(part.meanBefore(), part.unit()),
          "",
          figure(part.meanAfter(), part.unit()),
          "",
          delta(part.meanAfter() / part.meanBefore() - 1),
          taken < part.rows().size() ? "(" + taken + " of " + part.rows().size() + ")" : "");
    }
    return table;
  }

  private static String title(String unit) {
    return unit.equals("B/op") ? "alloc/op" : NANOS.containsKey(unit) ? "time/op" : unit;
  }

  private static String figure(double value, String unit) {
    Double nanos = NANOS.get(unit);
    if (nanos == null) {
      return Figures.decimal(value) + (unit.equals("B/op") ? "B" : "");
    }
    double ns = value * nanos;
    return ns < 1e3
        ? Figures.decimal(ns) + "ns"
        : ns < 1e6
            ? Figures.decimal(ns / 1e3) + "us"
            : ns < 1e9 ? Figures.decimal(ns / 1e6) + "ms" : Figures.decimal(ns / 1e9) + "s";
  }

  private static String spread(Sample sample) {
    return String.format(Locale.ROOT, "± %.0f%%", 100 * sample.spread());
  }

  private static String delta(double delta) {
    return Double.isNaN(delta) ? "from 0" : String.format(Locale.ROOT, "%+.2f%%", 100 * delta);
  }
}
