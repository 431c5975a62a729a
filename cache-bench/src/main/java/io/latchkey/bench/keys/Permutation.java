package io.latchkey.bench.keys;

import java.util.SplittableRandom;

/** Numbers in random order. */
public final class Permutation {
  private Permutation() {}

  /** The numbers from 0 to size less one, each once, in an order that the seed decides. */
  public static int[] of(int size, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int[] order = new int[size];
    for (int i = 0; i < size; i++) {
      int j = random.nextInt(i + 1);
      order[i] = order[j];
      order[j] = i;
    }
    return order;
  }
}
