package io.latchkey.bench.report;

import io.latchkey.bench.console.Figures;
import java.util.List;

/**
 * A bar for each contender, its name to the left or above, its value to the right. What is drawn on
 * top of a bar is the range of what was measured.
 */
final class BarChart {
  private static final double WIDTH = 400;
  private static final double VALUE_WIDTH = 70;
  private static final double NAME_WIDTH = 118;
  private static final int SHORT_NAME = 17;
  private static final int LONGEST_NAME = 58;
  private static final double BAR = 15;
  private static final double GAP = 9;
  private static final double LINE = 15;

  private final String description;
  private final List<Series> bars;
  private final boolean above;

  /**
   * Prepares a chart.
   *
   * @param description what it shows, for those who cannot see it
   * @param bars each with one point
   */
  BarChart(String description, List<Series> bars) {
    this.description = description;
    this.bars = List.copyOf(bars);
    above = bars.stream().anyMatch(bar -> bar.name().length() > SHORT_NAME);
  }

  Markup draw() {
    double row = BAR + GAP + (above ? LINE : 0);
    double height = bars.size() * row + GAP;
    double most = bars.stream().mapToDouble(bar -> bar.points().get(0).high()).max().orElse(1);
    Markup svg = new Markup();
    svg.open(
        "svg",
        "xmlns",
        "http://www.w3.org/2000/svg",
        "viewBox",
        "0 0 " + (int) WIDTH + " " + (int) Math.ceil(height),
        "role",
        "img",
        "aria-label",
        description);
    for (int i = 0; i < bars.size(); i++) {
      draw(svg, bars.get(i), GAP / 2 + i * row, most > 0 ? most : 1);
    }
    return svg.close("svg").line();
  }

  private void draw(Markup svg, Series bar, double top, double most) {
    Point point = bar.points().get(0);
    double left = above ? 2 : NAME_WIDTH;
    double scale = (WIDTH - VALUE_WIDTH - left) / most;
    double y = above ? top + LINE : top;
    double middle = y + BAR / 2;
    svg.element(
        "text",
        shortened(bar.name()),
        "x",
        above ? left : left - 6,
        "y",
        above ? top + LINE - 4 : middle + 4,
        "text-anchor",
        above ? "start" : "end");
    svg.empty(
        "rect",
        "class",
        bar.name().equals("latchkey") ? "bar ours" : "bar",
        "x",
        left,
        "y",
        y,
        "width",
        Math.max(0.5, point.value() * scale),
        "height",
        BAR);
    if (point.hasRange()) {
      double low = left + point.low() * scale;
      double high = left + point.high() * scale;
      for (String layer : List.of("halo", "range")) {
        svg.empty("line", "class", layer, "x1", low, "y1", middle, "x2", high, "y2", middle);
        svg.empty("line", "class", layer, "x1", low, "y1", middle - 4, "x2", low, "y2", middle + 4);
        svg.empty(
            "line", "class", layer, "x1", high, "y1", middle - 4, "x2", high, "y2", middle + 4);
      }
    }
    svg.element(
        "text",
        Figures.decimal(point.value()),
        "x",
        left + Math.max(point.value(), point.high()) * scale + 6,
        "y",
        middle + 4);
  }

  private String shortened(String name) {
    return name.length() > LONGEST_NAME ? name.substring(0, LONGEST_NAME - 3) + "..." : name;
  }
}
