package io.latchkey.bench.report;

import io.latchkey.bench.console.Figures;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** Charts of JMH results: bars by mode, lines over sizes and over numbers of threads. */
final class JmhCharts {
  private final List<JmhRecord> records;

  JmhCharts(List<JmhRecord> records) {
    this.records = List.copyOf(records);
  }

  void draw(Section section) {
    drawLines(section);
    bars(section);
    table(section);
  }

  void drawLines(Section section) {
    lines(
        section,
        "Over sizes",
        "objects",
        JmhRecord::size,
        r -> r.mode() + ", " + r.threadsText() + r.othersText() + ", " + r.unit());
    lines(
        section,
        "Over threads",
        "threads",
        JmhRecord::threads,
        r ->
            r.mode()
                + (r.shape().isEmpty() ? "" : ", " + r.family())
                + r.sizeText()
                + r.othersText()
                + ", "
                + r.unit());
  }

  private void bars(Section section) {
    section.heading("By mode");
    section.note(
        "What is drawn on a bar or a point is the range of the forks, or of the iterations if there"
            + " was one fork only. Each chart has a scale of its own.");
    grouped(records, r -> r.threadsText() + r.sizeText() + r.othersText())
        .forEach(
            (where, there) -> {
              section.beginFigures();
              grouped(there, r -> r.implementation().isEmpty() ? r.unit() : r.mode())
                  .forEach(
                      (mode, cell) -> {
                        String caption =
                            (cell.get(0).implementation().isEmpty() ? "" : mode + ", ")
                                + where
                                + ", "
                                + cell.get(0).unit();
                        section.figure(
                            caption,
                            new BarChart(
                                    caption,
                                    cell.stream()
                                        .map(r -> new Series(r.contender(), List.of(r.point(0))))
                                        .toList())
                                .draw());
                      });
              section.endFigures();
            });
  }

  /** A chart for each group that has more than one place on the axis. */
  private void lines(
      Section section,
      String heading,
      String across,
      ToDoubleFunction<JmhRecord> x,
      Function<JmhRecord, String> group) {
    boolean any = false;
    for (Map.Entry<String, List<JmhRecord>> chart : grouped(records, group).entrySet()) {
      List<JmhRecord> there =
          chart.getValue().stream().filter(r -> x.applyAsDouble(r) >= 0).toList();
      if (there.stream().mapToDouble(x).distinct().count() < 2) {
        continue;
      }
      if (!any) {
        section.heading(heading);
        section.beginFigures();
        any = true;
      }
      List<Series> series = new ArrayList<>();
      grouped(there, JmhRecord::contender)
          .forEach(
              (name, ofOne) ->
                  series.add(
                      new Series(
                          name,
                          ofOne.stream()
                              .sorted(Comparator.comparingDouble(x))
                              .map(r -> r.point(x.applyAsDouble(r)))
                              .toList())));
      String caption = chart.getKey();
      section.figure(
          caption,
          new LineChart(caption + " over " + across, across, series, LineChart.amounts(series))
              .draw());
    }
    if (any) {
      section.endFigures();
    }
  }

  private void table(Section section) {
    section.heading("Table");
    Grid grid = new Grid("benchmark", "implementation", "score", "min", "max", "unit", "bytes/op");
    for (JmhRecord r : records) {
      Point point = r.point(0);
      grid.row(
          r.mode() + ", " + r.threadsText() + r.sizeText() + r.othersText(),
          r.implementation().isEmpty() ? "-" : r.implementation(),
          Figures.decimal(point.value()),
          Figures.decimal(point.low()),
          Figures.decimal(point.high()),
          r.unit(),
          Figures.decimal(r.bytes()));
    }
    section.table(grid);
  }

  private static Map<String, List<JmhRecord>> grouped(
      List<JmhRecord> records, Function<JmhRecord, String> key) {
    Map<String, List<JmhRecord>> groups = new LinkedHashMap<>();
    records.forEach(r -> groups.computeIfAbsent(key.apply(r), k -> new ArrayList<>()).add(r));
    return groups;
  }
}
