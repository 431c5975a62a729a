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
 * Gets are hits and misses, as it comes: keys that come again, over {@link #OBJECTS_PER_ENTRY}
 * times as many objects as the cache may hold, or over those of a trace. How many are hits is the
 * policy's affair, so a cache with a better one is faster here.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH calls the set-up before all else.
public class MixedBenchmark {
  /** The largest bound that this benchmark takes. */
  static final int MAX_SIZE = 1 << 20;

  static final int OBJECTS_PER_ENTRY = 10;

  private static final int CHECKED = 1 << 17;

  private Object[] sequence;

  /** Goes once through the sequence. */
  @Setup(Level.Trial)
  public void fill(Subject subject, BenchmarkParams params) throws Exception {
    sequence = subject.sequence(subject.order().objects(OBJECTS_PER_ENTRY * subject.size));
    subject.openCaches(subject.shape().caches(params.getThreads()), subject.size);
    subject
        .caches()
        .forEach(
            cache -> {
              for (Object key : sequence) {
                cache.get(key);
              }
            });
  }

  /** Fails if all gets are hits, or all are misses. */
  @TearDown(Level.Trial)
  public void check(Subject subject) {
    int gets = Math.min(CHECKED, sequence.length);
    subject.storage().count(true);
    for (int i = 0; i < gets; i++) {
      subject.caches().get(0).get(sequence[i]);
    }
    if (subject.storage().loads() == 0 || subject.storage().loads() == gets) {
      throw subject.wrong(
          "missed " + subject.storage().loads() + " times in " + gets + " gets: nothing is mixed");
    }
  }

  /** One hit or miss. */
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
    public void start(Subject subject, MixedBenchmark benchmark, ThreadParams thread) {
      reader = new Reader(subject.cacheOf(thread), benchmark.sequence, thread);
    }
  }
}
