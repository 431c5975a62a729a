package io.latchkey.bench.compare;

import org.apache.commons.statistics.inference.MannWhitneyUTest;

/** Whether two samples differ by more than chance. */
final class Significance {
  private Significance() {}

  /**
   * The p-value of the two-sided Mann-Whitney U test: exact where no values are tied and there are
   * few, by the normal approximation with correction for continuity otherwise. Samples in which all
   * values are alike do not differ: 1.
   *
   * @throws IllegalArgumentException if a sample is empty
   */
  static double pValue(double[] x, double[] y) {
    double p = MannWhitneyUTest.withDefaults().test(x, y).getPValue();
    return Double.isNaN(p) ? 1 : p;
  }
}
