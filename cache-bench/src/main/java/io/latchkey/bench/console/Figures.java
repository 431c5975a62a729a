package io.latchkey.bench.console;

import java.util.Locale;

/** How numbers are written: the same in every locale, as wide as their reader needs. */
public final class Figures {
  private Figures() {}

  /** A whole number with thousands separated: {@code 200,000}. */
  public static String count(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  /** A share of one in percent: {@code 87.5 %}. */
  public static String percent(double share) {
    return format("%.1f %%", 100 * share);
  }

  /**
   * A ratio with three figures or so: {@code 0.08x}, {@code 2.31x}, {@code 45.2x}, {@code 310x}.
   */
  public static String ratio(double ratio) {
    return decimal(ratio) + "x";
  }

  /** A measured value with three figures or so. */
  public static String decimal(double value) {
    if (!Double.isFinite(value)) {
      return "-";
    }
    double size = Math.abs(value);
    return format(size < 10 ? "%.2f" : size < 100 ? "%.1f" : "%,.0f", value);
  }

  /** A duration in the unit that suits it: {@code 850 us}, {@code 23.4 ms}, {@code 1.90 s}. */
  public static String duration(long nanos) {
    double value = Math.abs((double) nanos);
    if (value < 1e3) {
      return nanos + " ns";
    }
    if (value < 1e6) {
      return decimal(nanos / 1e3) + " us";
    }
    if (value < 1e9) {
      return decimal(nanos / 1e6) + " ms";
    }
    long seconds = Math.round(nanos / 1e9);
    return seconds < 120 ? decimal(nanos / 1e9) + " s" : count(Math.round(seconds / 60.0)) + " min";
  }

  private static String format(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }
}
