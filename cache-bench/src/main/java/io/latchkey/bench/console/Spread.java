package io.latchkey.bench.console;

import java.util.Arrays;
import java.util.Collection;

/**
 * The middle and the ends of some values.
 *
 * @param median the middle one, or the mean of the two in the middle
 * @param min the smallest
 * @param max the largest
 */
public record Spread(double median, double min, double max) {
  /**
   * Of one value or more.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static Spread of(Collection<Double> values) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).toArray();
    if (sorted.length == 0) {
      throw new IllegalArgumentException("values must not be empty");
    }
    Arrays.sort(sorted);
    int last = sorted.length - 1;
    return new Spread((sorted[last / 2] + sorted[sorted.length / 2]) / 2, sorted[0], sorted[last]);
  }
}
