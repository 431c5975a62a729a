package io.latchkey.bench.report;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.latchkey.bench.console.Figures;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Charts and tables of what this tool measures without JMH. */
final class ToolCharts {
  private ToolCharts() {}

  /** Hit ratios and times over sizes. */
  static void replay(JsonObject file, Section section) {
    String trace = file.get("trace").getAsString() + " (" + file.get("format").getAsString() + ")";
    section.fact("trace", trace);
    section.fact("reads", Figures.count(file.get("reads").getAsLong()));
    section.fact("objects", Figures.count(file.get("objects").getAsLong()));
    List<JsonObject> results = results(file);
    List<Series> ratios = series(results, "policy", ToolCharts::hitRatio);
    List<JsonObject> timed =
        results.stream().filter(r -> !r.getAsJsonArray("nanosPerRead").isEmpty()).toList();
    List<Series> times =
        series(timed, "policy", r -> Point.median(size(r), numbers(r, "nanosPerRead")));
    section.beginFigures();
    section.figure(
        "hit ratio in percent, " + trace,
        new LineChart("Hit ratios over sizes", "objects that fit", ratios, spanned(ratios)).draw());
    if (!times.isEmpty()) {
      section.figure(
          "nanoseconds for a read, loads included; the range of the runs",
          new LineChart("Times over sizes", "objects that fit", times, LineChart.amounts(times))
              .draw());
    }
    section.endFigures();
    section.heading("Hit ratio in percent");
    section.table(bySize(ratios, value -> String.format(Locale.ROOT, "%.2f", value)));
    if (!times.isEmpty()) {
      section.heading("Nanoseconds for a read");
      section.table(bySize(times, Figures::decimal));
    }
  }

  private static Point hitRatio(JsonObject result) {
    double reads = result.get("reads").getAsDouble();
    List<Double> percent =
        numbers(result, "hits").stream().map(hits -> 100 * hits / reads).toList();
    double mean = percent.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
    return Point.of(
        size(result), mean, percent.stream().mapToDouble(Double::doubleValue).toArray());
  }

  private static double size(JsonObject result) {
    return result.get("size").getAsDouble();
  }

  /** Curves of ratios lie close together: the axis spans them instead of beginning at 0. */
  private static Axis spanned(List<Series> lines) {
    double[] values =
        lines.stream()
            .flatMap(line -> line.points().stream())
            .mapToDouble(Point::value)
            .sorted()
            .toArray();
    return Axis.even(values[0], values[values.length - 1]);
  }

  private static Grid bySize(List<Series> lines, Function<Double, String> text) {
    TreeSet<Double> sizes = new TreeSet<>();
    lines.forEach(line -> line.points().forEach(point -> sizes.add(point.x())));
    List<String> header = new ArrayList<>(List.of("size"));
    lines.forEach(line -> header.add(line.name()));
    Grid grid = new Grid(header);
    for (double size : sizes) {
      List<String> row = new ArrayList<>(List.of(Figures.count((long) size)));
      for (Series line : lines) {
        row.add(
            line.points().stream()
                .filter(point -> point.x() == size)
                .findFirst()
                .map(point -> text.apply(point.value()))
                .orElse("-"));
      }
      grid.row(row);
    }
    return grid;
  }

  /** Retained bytes for an entry. */
  static void memory(JsonObject file, Section section) {
    section.fact("entries", Figures.count(file.get("entries").getAsLong()));
    Map<String, List<Series>> byExpiry = new LinkedHashMap<>();
    Grid grid =
        new Grid("implementation", "expiry", "entries", "bytes/entry", "by heap", "objects/entry");
    for (JsonObject result : results(file)) {
      String name = result.get("implementation").getAsString();
      String expiry = result.get("expiry").getAsString();
      double entries = result.get("entries").getAsDouble();
      double bytes = result.get("bytesPerEntry").getAsDouble();
      byExpiry
          .computeIfAbsent(expiry, e -> new ArrayList<>())
          .add(new Series(name, List.of(Point.exact(0, bytes))));
      grid.row(
          name,
          expiry,
          Figures.count((long) entries),
          Figures.decimal(bytes),
          Figures.decimal(result.get("heapBytesPerEntry").getAsDouble()),
          Figures.decimal(result.get("objects").getAsDouble() / entries));
    }
    section.beginFigures();
    byExpiry.forEach(
        (expiry, bars) -> {
          String caption = "bytes for an entry, expiry " + expiry;
          section.figure(caption, new BarChart(caption, bars).draw());
        });
    section.endFigures();
    section.table(grid);
  }

  /** The stampede, over numbers of callers. */
  static void flight(JsonObject file, Section section) {
    List<JsonObject> results = results(file);
    section.beginFigures();
    Map<String, String> charts = new LinkedHashMap<>();
    charts.put("leaderNanos", "nanoseconds until the caller that loads returns");
    charts.put("lastNanos", "nanoseconds until the last caller returns");
    charts.put("bytesPerWaiter", "bytes that a waiting caller allocates");
    charts.forEach(
        (member, caption) -> {
          List<JsonObject> measured =
              results.stream().filter(r -> !r.getAsJsonArray(member).isEmpty()).toList();
          if (!measured.isEmpty()) {
            List<Series> lines =
                series(
                    measured,
                    "implementation",
                    r -> Point.median(r.get("callers").getAsDouble(), numbers(r, member)));
            section.figure(
                caption + "; the range of the forks",
                new LineChart(caption, "callers", lines, LineChart.amounts(lines)).draw());
          }
        });
    section.endFigures();
    Grid grid =
        new Grid("implementation", "callers", "loads", "leader", "last caller", "bytes/waiter");
    for (JsonObject result : results) {
      grid.row(
          result.get("implementation").getAsString(),
          Figures.count(result.get("callers").getAsLong()),
          Figures.count(result.get("loads").getAsLong()),
          duration(numbers(result, "leaderNanos")),
          duration(numbers(result, "lastNanos")),
          numbers(result, "bytesPerWaiter").isEmpty()
              ? "-"
              : Figures.decimal(Point.median(0, numbers(result, "bytesPerWaiter")).value()));
    }
    section.table(grid);
  }

  private static String duration(List<Double> nanos) {
    return nanos.isEmpty() ? "-" : Figures.duration(Math.round(Point.median(0, nanos).value()));
  }

  /** Load latencies of a storage. */
  static void backend(JsonObject file, Section section) {
    section.fact("storage", file.get("storage").getAsString());
    section.fact("keys", Figures.count(file.get("keys").getAsLong()));
    List<String> percentiles = List.of("p50", "p90", "p99", "p99.9", "max");
    Map<String, List<Series>> charts = new LinkedHashMap<>();
    List<String> header = new ArrayList<>(List.of("read from", "calls"));
    header.addAll(percentiles);
    header.add("per object");
    Grid grid = new Grid(header);
    for (JsonObject result : results(file)) {
      int batch = result.get("batch").getAsInt();
      String way =
          result.get("through").getAsString()
              + (batch == 1 ? ", one by one, " : ", bulks of " + batch + ", ")
              + (result.get("warm").getAsBoolean() ? "warm" : "cold");
      JsonObject nanos = result.getAsJsonObject("nanosPerCall");
      double perObject = result.get("nanosPerObject").getAsDouble();
      List<String> row =
          new ArrayList<>(List.of(way, Figures.count(result.get("calls").getAsLong())));
      percentiles.forEach(p -> row.add(Figures.duration(nanos.get(p).getAsLong())));
      row.add(Figures.duration(Math.round(perObject)));
      grid.row(row);
      bar(charts, "microseconds for an object, mean", way, perObject / 1e3);
      for (String percentile : List.of("p50", "p99")) {
        bar(
            charts,
            "microseconds for a call, " + percentile,
            way,
            nanos.get(percentile).getAsDouble() / 1e3);
      }
    }
    section.beginFigures();
    charts.forEach((caption, bars) -> section.figure(caption, new BarChart(caption, bars).draw()));
    section.endFigures();
    section.table(grid);
  }

  /** What a slow load delays, by the work that is done beside it. */
  static void neighbour(JsonObject file, Section section) {
    long load = file.get("loadMillis").getAsLong();
    section.fact("slow load", load + " ms");
    Map<String, List<Series>> charts = new LinkedHashMap<>();
    Grid grid = new Grid("work", "implementation", "median", "min", "max", "waited");
    for (JsonObject result : results(file)) {
      String name = result.get("implementation").getAsString();
      String work = result.get("work").getAsString();
      List<Double> nanos = numbers(result, "nanos");
      Point point = Point.median(0, nanos);
      charts
          .computeIfAbsent(
              "milliseconds for " + work + ", beside a load of " + load + " ms",
              c -> new ArrayList<>())
          .add(
              new Series(
                  name,
                  List.of(
                      new Point(0, point.value() / 1e6, point.low() / 1e6, point.high() / 1e6))));
      grid.row(
          work,
          name,
          Figures.duration(Math.round(point.value())),
          Figures.duration(Math.round(point.low())),
          Figures.duration(Math.round(point.high())),
          result.get("waited").getAsInt() + " of " + nanos.size());
    }
    section.beginFigures();
    charts.forEach((caption, bars) -> section.figure(caption, new BarChart(caption, bars).draw()));
    section.endFigures();
    section.table(grid);
  }

  /** Any other results as they stand in the file; of several values the median. */
  static void plain(JsonObject file, Section section) {
    List<JsonObject> results = results(file);
    Set<String> columns = new LinkedHashSet<>();
    results.forEach(result -> columns.addAll(result.keySet()));
    Grid grid = new Grid(List.copyOf(columns));
    for (JsonObject result : results) {
      grid.row(columns.stream().map(column -> text(result.get(column))).toList());
    }
    section.table(grid);
  }

  private static String text(@Nullable JsonElement value) {
    if (value == null || value.isJsonNull()) {
      return "-";
    }
    if (value.isJsonArray()) {
      List<Double> numbers = new ArrayList<>();
      value.getAsJsonArray().forEach(number -> numbers.add(number.getAsDouble()));
      return numbers.isEmpty() ? "-" : Figures.decimal(Point.median(0, numbers).value());
    }
    JsonPrimitive primitive = value.getAsJsonPrimitive();
    double number = primitive.isNumber() ? primitive.getAsDouble() : Double.NaN;
    return Double.isNaN(number)
        ? primitive.getAsString()
        : number == Math.rint(number) ? Figures.count((long) number) : Figures.decimal(number);
  }

  private static void bar(
      Map<String, List<Series>> charts, String caption, String name, double value) {
    charts
        .computeIfAbsent(caption, c -> new ArrayList<>())
        .add(new Series(name, List.of(Point.exact(0, value))));
  }

  private static List<JsonObject> results(JsonObject file) {
    List<JsonObject> results = new ArrayList<>();
    JsonArray all = file.getAsJsonArray("results");
    for (JsonElement each : all) {
      results.add(each.getAsJsonObject());
    }
    if (results.isEmpty()) {
      throw new IllegalStateException("no results");
    }
    return results;
  }

  private static List<Double> numbers(JsonObject result, String member) {
    List<Double> numbers = new ArrayList<>();
    result.getAsJsonArray(member).forEach(number -> numbers.add(number.getAsDouble()));
    return numbers;
  }

  private static List<Series> series(
      List<JsonObject> results, String name, Function<JsonObject, Point> point) {
    Map<String, List<Point>> lines = new LinkedHashMap<>();
    for (JsonObject result : results) {
      lines
          .computeIfAbsent(result.get(name).getAsString(), n -> new ArrayList<>())
          .add(point.apply(result));
    }
    List<Series> series = new ArrayList<>();
    lines.forEach((line, points) -> series.add(new Series(line, points)));
    return series;
  }
}
