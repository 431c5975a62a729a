package io.latchkey.bench.jmh;

import java.util.Arrays;
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
 * What a pool does under its lock to clean its stack of idle workers: it finds those that are idle
 * for too long, who are a prefix, copies them out, and moves the others down. The prefix is found
 * by binary search, as the pool does, and by looking at one worker after the other, which is the
 * alternative that was rejected. The others are moved into a second array, so that each run finds
 * the stack as it was.
 *
 * <p>Workers were allocated in order and are as large as those of the pool. The time moves about
 * the cut, by up to a twentieth of the stack, so that branches cannot be learnt by heart.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH calls the set-up before all else.
public class IdleSweepBenchmark {
  private static final long IDLE = TimeUnit.SECONDS.toNanos(10);
  private static final long STEP = TimeUnit.MICROSECONDS.toNanos(10);
  private static final int TIMES = 1 << 10;
  private static final long SEED = 42;

  @Param("1000")
  public int length;

  @Param("50")
  public int cut;

  private Worker[] stack;
  private Worker[] left;
  private long[] times;
  private int next;

  /** Fills the stack and chooses the times. */
  @Setup(Level.Trial)
  public void fill() {
    stack = new Worker[length];
    left = new Worker[length];
    for (int i = 0; i < length; i++) {
      stack[i] = new Worker(i * STEP);
    }
    SplittableRandom random = new SplittableRandom(SEED);
    times = new long[TIMES];
    int away = Math.max(1, length / 20);
    for (int i = 0; i < TIMES; i++) {
      int expired = length * cut / 100 + random.nextInt(-away, away + 1);
      times[i] = (Math.min(length, Math.max(1, expired)) - 1) * STEP + IDLE;
    }
  }

  /** Fails if the two do not find the same. */
  @TearDown(Level.Trial)
  public void check() {
    for (long now : times) {
      if (search(now) != look(now) || search(now) != (now - IDLE) / STEP + 1) {
        throw new IllegalStateException(
            "binary found " + search(now) + ", linear " + look(now) + " workers");
      }
    }
  }

  /** By halves. */
  @Benchmark
  public Object binary() {
    return takeOut(search(now()));
  }

  /** One by one. */
  @Benchmark
  public Object linear() {
    return takeOut(look(now()));
  }

  private long now() {
    int place = next;
    next = place + 1 & TIMES - 1;
    return times[place];
  }

  private Worker[] takeOut(int expired) {
    Worker[] out = Arrays.copyOf(stack, expired);
    System.arraycopy(stack, expired, left, 0, length - expired);
    return out;
  }

  private int search(long now) {
    int low = 0;
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

  private int look(long now) {
    int expired = 0;
    while (expired < length && isOver(expired, now)) {
      expired++;
    }
    return expired;
  }

  private boolean isOver(int place, long now) {
    return now - stack[place].idleSince >= IDLE;
  }

  /** As large as a worker of the pool, 56 bytes. */
  @SuppressWarnings("UnusedVariable")
  private static final class Worker {
    private final long idleSince;
    private long fill1;
    private long fill2;
    private long fill3;
    private long fill4;
    private int fill5;

    Worker(long idleSince) {
      this.idleSince = idleSince;
    }
  }
}
