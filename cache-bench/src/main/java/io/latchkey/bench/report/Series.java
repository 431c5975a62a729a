package io.latchkey.bench.report;

import java.util.List;

/**
 * The values of one contender.
 *
 * @param name who it is
 * @param points one for bars; for lines in ascending order
 */
record Series(String name, List<Point> points) {
  Series {
    points = List.copyOf(points);
  }
}
