package io.latchkey.bench.keys;

import java.util.SplittableRandom;

/**
 * Zipf's law: rank r, counted from 0, is drawn with a probability in proportion to 1/(r+1)^skew.
 * Skew 0 is uniform. Immutable.
 *
 * <p>Drawn by the alias method (Walker's, with Vose's set-up): one random number and two array
 * reads for each key, exact for any skew.
 */
public final class Zipf {
  private final double[] keep;
  private final int[] alias;

  /**
   * Prepares a distribution over so many ranks.
   *
   * @throws IllegalArgumentException if there is no rank, or the skew is negative or no number
   */
  public Zipf(int ranks, double skew) {
    if (ranks < 1) {
      throw new IllegalArgumentException("ranks must be 1 or more, not " + ranks);
    }
    if (!(skew >= 0 && skew < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException("skew must be 0 or more, not " + skew);
    }
    keep = new double[ranks];
    alias = new int[ranks];
    double total = 0;
    for (int rank = 0; rank < ranks; rank++) {
      keep[rank] = Math.pow(rank + 1, -skew);
      total += keep[rank];
    }
    for (int rank = 0; rank < ranks; rank++) {
      keep[rank] *= ranks / total;
      alias[rank] = rank;
    }
    fillUp();
  }

  /**
   * Makes columns of height one: each rank that has less than one is filled up by one rank that has
   * more, until none is left.
   */
  private void fillUp() {
    int ranks = keep.length;
    int[] light = new int[ranks];
    int[] heavy = new int[ranks];
    int lights = 0;
    int heavies = 0;
    for (int rank = 0; rank < ranks; rank++) {
      if (keep[rank] < 1) {
        light[lights++] = rank;
      } else {
        heavy[heavies++] = rank;
      }
    }
    while (lights > 0 && heavies > 0) {
      int filled = light[--lights];
      int giver = heavy[heavies - 1];
      alias[filled] = giver;
      keep[giver] -= 1 - keep[filled];
      if (keep[giver] < 1) {
        heavies--;
        light[lights++] = giver;
      }
    }
    // What is left differs from one by rounding only.
    while (lights > 0) {
      keep[light[--lights]] = 1;
    }
    while (heavies > 0) {
      keep[heavy[--heavies]] = 1;
    }
  }

  /** Draws a rank. */
  public int next(SplittableRandom random) {
    int column = random.nextInt(keep.length);
    return random.nextDouble() < keep[column] ? column : alias[column];
  }
}
