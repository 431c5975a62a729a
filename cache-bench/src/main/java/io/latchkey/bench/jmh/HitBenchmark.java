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
 * Every get is a hit: all objects are cached, and the bound is twice their number, so that no cache
 * evicts any of them, however it splits its bound.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH calls the set-up before all else.
public class HitBenchmark {
  private Object[] sequence;
  private long objects;

  /** Caches all objects. */
  @Setup(Level.Trial)
  public void fill(Subject subject, BenchmarkParams params) throws Exception {
    int count = subject.order().objects(subject.size);
    sequence = subject.sequence(count);
    subject.openCaches(subject.shape().caches(params.getThreads()), 2L * count);
    subject.storage().count(true);
    subject
        .caches()
        .forEach(
            cache -> {
              for (Object key : sequence) {
                cache.get(key);
              }
            });
    objects = subject.storage().loads();
  }

  /** Fails if a get was no hit. */
  @TearDown(Level.Trial)
  public void check(Subject subject) {
    long missed = subject.storage().loads() - objects;
    if (missed != 0) {
      throw subject.wrong("missed " + missed + " times in a hit benchmark");
    }
  }

  /** One hit. */
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
    public void start(Subject subject, HitBenchmark benchmark, ThreadParams thread) {
      reader = new Reader(subject.cacheOf(thread), benchmark.sequence, thread);
    }
  }
}
