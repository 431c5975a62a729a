package io.latchkey.bench.report;

import java.util.ArrayList;
import java.util.List;

/**
 * Maps values to places from 0 to 1, evenly or by their logarithms.
 *
 * @param min the value at place 0
 * @param max the value at place 1
 * @param logarithmic whether equal ratios are equal distances
 * @param ticks values to be marked
 */
record Axis(double min, double max, boolean logarithmic, List<Double> ticks) {
  private static final int MOST_TICKS = 6;

  /** Values further apart than that cannot be told from 0 on an even axis. */
  private static final double WIDE = 40;

  Axis {
    ticks = List.copyOf(ticks);
  }

  /** An axis for amounts: from 0, or logarithmic if they are far apart. */
  static Axis ofAmounts(double least, double most) {
    return least > 0 && most / least > WIDE ? decades(least, most) : even(0, most);
  }

  /** An even axis that need not begin at 0. */
  static Axis even(double least, double most) {
    double range = most > least ? most - least : Math.max(Math.abs(most), 1);
    double step = step(range);
    double from = Math.floor(least / step + 1e-9) * step;
    double to = Math.max(from + step, Math.ceil(most / step - 1e-9) * step);
    List<Double> ticks = new ArrayList<>();
    for (int i = 0; from + i * step <= to + step / 2; i++) {
      ticks.add(from + i * step);
    }
    return new Axis(from, to, false, ticks);
  }

  private static double step(double range) {
    double power = Math.pow(10, Math.floor(Math.log10(range / (MOST_TICKS - 1))));
    for (double factor : new double[] {1, 2, 5}) {
      if (range / (power * factor) <= MOST_TICKS - 1) {
        return power * factor;
      }
    }
    return power * 10;
  }

  private static Axis decades(double least, double most) {
    int from = (int) Math.floor(Math.log10(least) + 1e-9);
    int to = (int) Math.ceil(Math.log10(most) - 1e-9);
    int every = (to - from) / MOST_TICKS + 1;
    List<Double> ticks = new ArrayList<>();
    for (int power = from; power <= to; power += every) {
      ticks.add(Math.pow(10, power));
    }
    return new Axis(Math.pow(10, from), Math.pow(10, to), true, ticks);
  }

  /** An axis that marks each of some sizes, which are doubled or so from one to the next. */
  static Axis ofSizes(List<Double> sizes) {
    double least = sizes.get(0);
    double most = sizes.get(sizes.size() - 1);
    if (least <= 0) {
      return new Axis(least, most > least ? most : least + 1, false, sizes);
    }
    return most > least
        ? new Axis(least, most, true, sizes)
        : new Axis(least / 2, least * 2, true, sizes);
  }

  double place(double value) {
    if (!logarithmic) {
      return (value - min) / (max - min);
    }
    return Math.log(Math.max(value, min) / min) / Math.log(max / min);
  }
}
