package io.latchkey.bench.report;

import io.latchkey.bench.console.Figures;
import java.util.List;
import java.util.Locale;

/**
 * A line for each contender over sizes or numbers of threads. Lines differ in dash and mark, and so
 * can be told apart without colours.
 */
final class LineChart {
  private static final double WIDTH = 400;
  private static final double LEFT = 56;
  private static final double RIGHT = 388;
  private static final double TOP = 12;
  private static final double BOTTOM = 232;
  private static final double LABEL_WIDTH = 40;
  private static final double LEGEND_TOP = BOTTOM + 52;
  private static final double LEGEND_ROW = 18;
  private static final double KEY_WIDTH = 30;
  private static final int SHORT_NAME = 15;
  private static final int LONGEST_NAME = 50;

  private static final List<String> DASHES =
      List.of("none", "7 3", "2 2.5", "10 3 2 3", "4 4", "12 4", "6 2 2 2 2 2", "1 4");

  private final String description;
  private final String across;
  private final List<Series> lines;
  private final Axis x;
  private final Axis y;

  /**
   * Prepares a chart.
   *
   * @param description what it shows, for those who cannot see it
   * @param across what stands on the horizontal axis
   * @param lines each with one point or more
   * @param vertical the axis of the values
   */
  LineChart(String description, String across, List<Series> lines, Axis vertical) {
    this.description = description;
    this.across = across;
    this.lines = List.copyOf(lines);
    y = vertical;
    x =
        Axis.ofSizes(
            lines.stream()
                .flatMap(line -> line.points().stream())
                .map(Point::x)
                .distinct()
                .sorted()
                .toList());
  }

  /** The axis for all values of the lines, as amounts. */
  static Axis amounts(List<Series> lines) {
    return Axis.ofAmounts(
        lines.stream()
            .flatMap(line -> line.points().stream())
            .mapToDouble(Point::low)
            .min()
            .orElse(0),
        lines.stream()
            .flatMap(line -> line.points().stream())
            .mapToDouble(Point::high)
            .max()
            .orElse(1));
  }

  Markup draw() {
    int columns = lines.stream().anyMatch(line -> line.name().length() > SHORT_NAME) ? 1 : 3;
    int rows = (lines.size() + columns - 1) / columns;
    Markup svg = new Markup();
    svg.open(
        "svg",
        "xmlns",
        "http://www.w3.org/2000/svg",
        "viewBox",
        "0 0 " + (int) WIDTH + " " + (int) (LEGEND_TOP + rows * LEGEND_ROW),
        "role",
        "img",
        "aria-label",
        description);
    drawAxes(svg);
    for (int i = 0; i < lines.size(); i++) {
      draw(svg, i);
    }
    double column = (WIDTH - 8) / columns;
    for (int i = 0; i < lines.size(); i++) {
      int row = i / columns;
      drawKey(svg, i, 4 + i % columns * column, LEGEND_TOP + row * LEGEND_ROW);
    }
    return svg.close("svg").line();
  }

  private void drawAxes(Markup svg) {
    for (double tick : y.ticks()) {
      double at = down(tick);
      svg.empty("line", "class", "grid", "x1", LEFT, "y1", at, "x2", RIGHT, "y2", at);
      svg.element("text", amount(tick), "x", LEFT - 6, "y", at + 4, "text-anchor", "end");
    }
    svg.empty("line", "class", "axis", "x1", LEFT, "y1", BOTTOM, "x2", RIGHT, "y2", BOTTOM);
    double free = Double.NEGATIVE_INFINITY;
    for (double tick : x.ticks()) {
      double at = right(tick);
      svg.empty("line", "class", "axis", "x1", at, "y1", BOTTOM, "x2", at, "y2", BOTTOM + 4);
      if (at >= free) {
        svg.element(
            "text",
            size(tick),
            "x",
            Math.min(at, WIDTH - 16),
            "y",
            BOTTOM + 17,
            "text-anchor",
            "middle");
        free = at + LABEL_WIDTH;
      }
    }
    svg.element("text", across, "x", (LEFT + RIGHT) / 2, "y", BOTTOM + 34, "text-anchor", "middle");
  }

  private void draw(Markup svg, int index) {
    List<Point> points = lines.get(index).points();
    StringBuilder path = new StringBuilder();
    for (Point point : points) {
      path.append(path.isEmpty() ? "M" : " L")
          .append(String.format(Locale.ROOT, "%.1f %.1f", right(point.x()), down(point.value())));
    }
    svg.open("g", "class", "line s" + index % DASHES.size());
    svg.empty("path", "d", path, "stroke-dasharray", DASHES.get(index % DASHES.size()));
    for (Point point : points) {
      double at = right(point.x());
      if (point.hasRange()) {
        svg.empty("line", "x1", at, "y1", down(point.low()), "x2", at, "y2", down(point.high()));
      }
      drawMark(svg, index, at, down(point.value()));
    }
    svg.close("g");
  }

  private void drawKey(Markup svg, int index, double left, double middle) {
    svg.open("g", "class", "line s" + index % DASHES.size());
    svg.empty(
        "path",
        "d",
        String.format(Locale.ROOT, "M%.1f %.1f L%.1f %.1f", left, middle, left + KEY_WIDTH, middle),
        "stroke-dasharray",
        DASHES.get(index % DASHES.size()));
    drawMark(svg, index, left + KEY_WIDTH / 2, middle);
    svg.close("g");
    String name = lines.get(index).name();
    svg.element(
        "text",
        name.length() > LONGEST_NAME ? name.substring(0, LONGEST_NAME - 3) + "..." : name,
        "x",
        left + KEY_WIDTH + 5,
        "y",
        middle + 4);
  }

  private static void drawMark(Markup svg, int index, double x, double y) {
    String mark =
        switch (index % DASHES.size()) {
          case 1 -> "M%1$.1f %2$.1f m-4 -4 h8 v8 h-8 z";
          case 2 -> "M%1$.1f %2$.1f m0 -5 l5 9 h-10 z";
          case 3 -> "M%1$.1f %2$.1f m0 -5 l5 5 l-5 5 l-5 -5 z";
          case 4 -> "M%1$.1f %2$.1f m-4 -4 l8 8 m0 -8 l-8 8";
          case 5 -> "M%1$.1f %2$.1f m0 5 l5 -9 h-10 z";
          case 6 -> "M%1$.1f %2$.1f m-5 0 h10 m-5 -5 v10";
          case 7 -> "M%1$.1f %2$.1f m-2 -5 h4 v10 h-4 z";
          default -> "M%1$.1f %2$.1f m-4 0 a4 4 0 1 0 8 0 a4 4 0 1 0 -8 0 z";
        };
    svg.empty("path", "class", "mark", "d", String.format(Locale.ROOT, mark, x, y));
  }

  private double right(double value) {
    return LEFT + 8 + x.place(value) * (RIGHT - LEFT - 16);
  }

  private double down(double value) {
    return BOTTOM - y.place(value) * (BOTTOM - TOP);
  }

  private static String amount(double value) {
    return Math.abs(value) >= 1e6
        ? size(value)
        : value == Math.rint(value)
            ? Figures.count((long) value)
            : String.format(Locale.ROOT, Math.abs(value) < 0.1 ? "%.3g" : "%.1f", value);
  }

  /** Short enough to stand under an axis. */
  private static String size(double value) {
    if (value >= 1e9 && value % 1e8 == 0) {
      return trimmed(value / 1e9) + "G";
    }
    if (value >= 1e6) {
      return trimmed(value / 1e6) + "M";
    }
    return Figures.count((long) value);
  }

  private static String trimmed(double value) {
    return value == Math.rint(value)
        ? String.valueOf((long) value)
        : String.format(Locale.ROOT, "%.1f", value);
  }
}
