package io.latchkey.bench.report;

import io.latchkey.bench.console.Spread;
import java.util.Arrays;
import java.util.Collection;

/**
 * A measured value and how far it strayed.
 *
 * @param x where it stands on the horizontal axis; 0 if there is none
 * @param value the value
 * @param low the least that was measured
 * @param high the most that was measured
 */
record Point(double x, double value, double low, double high) {
  Point {
    if (!Double.isFinite(value) || !Double.isFinite(low) || !Double.isFinite(high)) {
      throw new IllegalArgumentException("no finite number: " + value);
    }
  }

  static Point exact(double x, double value) {
    return new Point(x, value, value, value);
  }

  /** The median of some values, with their range. */
  static Point median(double x, Collection<Double> values) {
    Spread spread = Spread.of(values);
    return new Point(x, spread.median(), spread.min(), spread.max());
  }

  /** A value with the range of others. */
  static Point of(double x, double value, double[] range) {
    return new Point(
        x,
        value,
        Math.min(value, Arrays.stream(range).min().orElse(value)),
        Math.max(value, Arrays.stream(range).max().orElse(value)));
  }

  boolean hasRange() {
    return high > low;
  }
}
