package io.latchkey.bench.keys;

import io.latchkey.bench.console.BadInputException;
import java.util.SplittableRandom;

/**
 * The order in which a benchmark asks for keys: {@code seq}, {@code uniform} or {@code zipf:SKEW}.
 */
public final class KeyOrder {
  private static final String ZIPF = "zipf";
  private static final double USUAL_SKEW = 0.99;
  private static final long SEED = 42;
  private static final int DRAWN = 1 << 18;

  private final String id;
  private final double skew;

  private KeyOrder(String id, double skew) {
    this.id = id;
    this.skew = skew;
  }

  /** Reads an order as it is written on the command line. */
  public static KeyOrder of(String id) {
    if (id.equals("seq") || id.equals("uniform")) {
      return new KeyOrder(id, 0);
    }
    if (id.equals(ZIPF)) {
      return new KeyOrder(ZIPF + ":" + USUAL_SKEW, USUAL_SKEW);
    }
    if (id.startsWith(ZIPF + ":")) {
      return new KeyOrder(id, skew(id));
    }
    throw new BadInputException("unknown keys '" + id + "': use seq, uniform, zipf or zipf:SKEW");
  }

  private static double skew(String id) {
    try {
      double skew = Double.parseDouble(id.substring(ZIPF.length() + 1));
      if (skew >= 0 && skew <= 10) {
        return skew;
      }
    } catch (NumberFormatException e) {
      // Told below, as a number out of range is.
    }
    throw new BadInputException("keys '" + id + "' need a skew from 0 to 10, as in zipf:0.99");
  }

  /** As written on the command line, with the skew. */
  public String id() {
    return id;
  }

  /** Whether each key comes once before any comes again. */
  public boolean eachOnce() {
    return !id.startsWith(ZIPF);
  }

  /** Indexes from 0 to size less one in this order; to be repeated when it is used up. */
  public int[] indexes(int size) {
    if (id.equals("uniform")) {
      return Permutation.of(size, SEED);
    }
    int[] indexes = new int[eachOnce() ? size : Math.max(size, DRAWN)];
    if (eachOnce()) {
      for (int i = 0; i < size; i++) {
        indexes[i] = i;
      }
      return indexes;
    }
    Zipf zipf = new Zipf(size, skew);
    int[] indexOfRank = Permutation.of(size, SEED);
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < indexes.length; i++) {
      indexes[i] = indexOfRank[zipf.next(random)];
    }
    return indexes;
  }

  @Override
  public String toString() {
    return id;
  }
}
