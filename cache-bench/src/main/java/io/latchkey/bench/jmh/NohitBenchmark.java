package io.latchkey.bench.jmh;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.ThreadParams;

/**
 * Every get is a miss of a full cache: it loads, caches and evicts. The keys go round in a circle
 * that is far larger than the bound; a policy that keeps some of them all the same gets hits for
 * one in dozens at most.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH calls the set-up before all else.
public class NohitBenchmark {
  /** The largest bound that this benchmark takes. */
  static final int MAX_SIZE = 1 << 16;

  private static final int KEYS_PER_ENTRY = 64;
  private static final int LEAST_KEYS = 1 << 20;

  /** Of an opened storage less is asked, since all has to be stored first. */
  private static final int LEAST_STORED = 1 << 12;

  private static final int CHECKED = 1 << 17;
  private static final double MISSES_AT_LEAST = 0.98;

  private Object[] sequence;

  /** Fills the caches to their bound. */
  @Setup(Level.Trial)
  public void fill(Subject subject, BenchmarkParams params) throws Exception {
    int least = subject.isStored() ? LEAST_STORED : LEAST_KEYS;
    sequence = subject.sequence(Math.max(least, KEYS_PER_ENTRY * subject.size));
    subject.openCaches(subject.shape().caches(params.getThreads()), subject.size);
    subject
        .caches()
        .forEach(
            cache -> {
              for (int i = sequence.length - subject.size; i < sequence.length; i++) {
                cache.get(sequence[i]);
              }
            });
  }

  /** Fails if gets are hits. */
  @TearDown(Level.Trial)
  public void check(Subject subject) {
    int gets = Math.min(CHECKED, sequence.length);
    subject.storage().count(true);
    for (int i = 0; i < gets; i++) {
      subject.caches().get(0).get(sequence[i]);
    }
    if (subject.storage().loads() < MISSES_AT_LEAST * gets) {
      throw subject.wrong(
          "missed only " + subject.storage().loads() + " times in " + gets + " gets");
    }
  }

  /** One miss. */
  @Benchmark
  public @Nullable Object get(Place place) {
    return place.reader.next();
  }

  /** The place of one thread in the sequence. */
  @State(Scope.Thread)
  public static class Place {
    private Reader reader;

    /** Starts each thread at a place of its own. */
    @Setup(Level.Trial)
    public void start(Subject subject, NohitBenchmark benchmark, ThreadParams thread) {
      reader = new Reader(subject.cacheOf(thread), benchmark.sequence, thread);
    }
  }
}
