package io.latchkey.bench.demo;

import io.latchkey.bench.keys.Permutation;
import io.latchkey.bench.keys.Zipf;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * Reads drawn by Zipf's law, without end. Drawn before they are timed; popular objects are strewn
 * over the store.
 */
final class ZipfWorkload implements Workload {
  private static final int DRAWN = 1 << 19;
  private static final int DRAWN_UPDATES = 1 << 14;
  private static final int ROUND_STEP = DRAWN / 7;

  private final int objects;
  private final double skew;
  private final long seed;
  private final int[][] reads;
  private final int[] updates;

  ZipfWorkload(int objects, double skew, int threads, long seed) {
    this.objects = objects;
    this.skew = skew;
    this.seed = seed;
    Zipf zipf = new Zipf(objects, skew);
    int[] objectOfRank = Permutation.of(objects, seed);
    SplittableRandom random = new SplittableRandom(seed);
    reads = new int[threads][];
    for (int thread = 0; thread < threads; thread++) {
      reads[thread] = draw(zipf, objectOfRank, random.split(), DRAWN);
    }
    updates = draw(zipf, objectOfRank, random.split(), DRAWN_UPDATES);
  }

  private static int[] draw(Zipf zipf, int[] objectOfRank, SplittableRandom random, int count) {
    int[] drawn = new int[count];
    for (int i = 0; i < count; i++) {
      drawn[i] = objectOfRank[zipf.next(random)];
    }
    return drawn;
  }

  @Override
  public int objects() {
    return objects;
  }

  @Override
  public boolean finite() {
    return false;
  }

  @Override
  public long length() {
    return Long.MAX_VALUE;
  }

  @Override
  public Pass pass(int round) {
    return thread -> new Loop(reads[thread], round * ROUND_STEP);
  }

  @Override
  public Reads updates(int round) {
    return new Loop(updates, round * ROUND_STEP);
  }

  @Override
  public String describe() {
    return String.format(Locale.ROOT, "drawn by Zipf's law, skew %s, seed %d", skew, seed);
  }

  /** Goes round and round; the length is a power of two. */
  private static final class Loop implements Reads {
    private final int[] objects;
    private int position;

    Loop(int[] objects, int start) {
      this.objects = objects;
      this.position = start;
    }

    @Override
    public int next() {
      return objects[position++ & objects.length - 1];
    }
  }
}
