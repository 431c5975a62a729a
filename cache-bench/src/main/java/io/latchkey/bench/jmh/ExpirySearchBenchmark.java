package io.latchkey.bench.jmh;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Finds the end of the expired prefix of a queue that is ordered by time, as the cache's sweep
 * does: by binary search, and by looking at one entry after the other, which is the alternative
 * that was rejected. The queue is the same ring of references to entries, which were allocated in
 * order; the search is that of the cache's queue.
 *
 * <p>The time of the search moves about the cut, by up to a twentieth of the queue, so that
 * branches cannot be learnt by heart.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH calls the set-up before all else.
public class ExpirySearchBenchmark {
  private static final long LIFE = TimeUnit.SECONDS.toNanos(60);
  private static final long STEP = TimeUnit.MICROSECONDS.toNanos(10);
  private static final int TIMES = 1 << 10;
  private static final long SEED = 42;

  @Param("1000")
  public int length;

  @Param("50")
  public int cut;

  private Timed[] ring;
  private int mask;
  private int head;
  private long[] times;
  private int next;

  /** Fills a ring that is not full and does not begin at its start, and chooses the times. */
  @Setup(Level.Trial)
  public void fill() {
    ring = new Timed[Integer.highestOneBit(length) * 2];
    mask = ring.length - 1;
    head = ring.length - length / 3;
    for (int i = 0; i < length; i++) {
      ring[head + i & mask] = new Timed(i * STEP);
    }
    SplittableRandom random = new SplittableRandom(SEED);
    times = new long[TIMES];
    int away = Math.max(1, length / 20);
    for (int i = 0; i < TIMES; i++) {
      int expired = length * cut / 100 + random.nextInt(-away, away + 1);
      times[i] = (Math.min(length, Math.max(1, expired)) - 1) * STEP + LIFE;
    }
  }

  /** Fails if the two do not find the same. */
  @TearDown(Level.Trial)
  public void check() {
    for (long now : times) {
      if (binary(now) != linear(now) || binary(now) != (now - LIFE) / STEP + 1) {
        throw new IllegalStateException(
            "binary found " + binary(now) + ", linear " + linear(now) + " expired entries");
      }
    }
  }

  /** By halves. */
  @Benchmark
  public int binary() {
    return binary(now());
  }

  /** One by one. */
  @Benchmark
  public int linear() {
    return linear(now());
  }

  private long now() {
    int place = next;
    next = place + 1 & TIMES - 1;
    return times[place];
  }

  private int binary(long now) {
    if (!isOver(0, now)) {
      return 0;
    }
    int low = 1;
    int high = length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (isOver(middle, now)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private int linear(long now) {
    int expired = 0;
    while (expired < length && isOver(expired, now)) {
      expired++;
    }
    return expired;
  }

  private boolean isOver(int place, long now) {
    return now - ring[head + place & mask].time >= LIFE;
  }

  /** As large as an entry of a cache with expiry, 40 bytes. */
  @SuppressWarnings("UnusedVariable")
  private static final class Timed {
    private final long time;
    private long fill1;
    private long fill2;
    private int fill3;

    Timed(long time) {
      this.time = time;
    }
  }
}
