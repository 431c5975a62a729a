package io.latchkey.cache.internal;

import java.util.Random;
import java.util.function.IntUnaryOperator;

/** Sequences of keys of known kinds, always the same. */
enum AccessPattern {
  /** Few keys are asked for often, most seldom. */
  SKEWED(1) {
    @Override
    IntUnaryOperator keys(Random random) {
      return i -> skewed(random, 20_000, 2.5);
    }
  },
  /** The same keys again and again. */
  LOOP(2) {
    @Override
    IntUnaryOperator keys(Random random) {
      return i -> i % 1500;
    }
  },
  /** A loop, and skewed keys in between. */
  LOOP_AND_SKEWED(3) {
    @Override
    IntUnaryOperator keys(Random random) {
      return i -> i % 2 == 0 ? i / 2 % 1200 : 10_000 + skewed(random, 5_000, 3);
    }
  },
  /** Pages of an index, each followed by a record. */
  TWO_POOLS(4) {
    @Override
    IntUnaryOperator keys(Random random) {
      return i -> i % 2 == 0 ? random.nextInt(150) : 1000 + random.nextInt(20_000);
    }
  },
  /** A set of keys that is exchanged now and then. */
  MOVING(5) {
    @Override
    IntUnaryOperator keys(Random random) {
      return i -> i / 4000 * 1000 + skewed(random, 700, 1.3);
    }
  },
  /** Up and down. */
  ZIGZAG(6) {
    @Override
    IntUnaryOperator keys(Random random) {
      return i -> Math.abs(i % 2400 - 1200);
    }
  },
  /** Skewed keys, and now and then a long row of keys that are never asked for again. */
  SCANS(7) {
    @Override
    IntUnaryOperator keys(Random random) {
      return i -> i / 1000 % 3 == 2 ? 100_000 + i : skewed(random, 4_000, 2.5);
    }
  };

  static final int LENGTH = 60_000;

  private final long seed;

  AccessPattern(long seed) {
    this.seed = seed;
  }

  /** The key at each place; to be asked in order. */
  abstract IntUnaryOperator keys(Random random);

  private static int skewed(Random random, int bound, double power) {
    return (int) (bound * Math.pow(random.nextDouble(), power));
  }

  /** The keys of the whole sequence. */
  int[] sequence() {
    IntUnaryOperator keys = keys(new Random(seed));
    int[] sequence = new int[LENGTH];
    for (int i = 0; i < LENGTH; i++) {
      sequence[i] = keys.applyAsInt(i);
    }
    return sequence;
  }
}
