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
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.ThreadParams;

/** Every get is a load from the storage, without a cache: the floor, and what a load costs. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH calls the set-up before all else.
public class StorageBenchmark {
  private Object[] sequence;

  /** Makes the keys. */
  @Setup(Level.Trial)
  public void open(Subject subject, BenchmarkParams params) throws Exception {
    sequence = subject.sequence(Math.max(1, subject.order().objects(subject.size)));
    subject.openCaches(subject.shape().caches(params.getThreads()), 0);
  }

  /** One load. */
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
    public void start(Subject subject, StorageBenchmark benchmark, ThreadParams thread) {
      reader = new Reader(subject.cacheOf(thread), benchmark.sequence, thread);
    }
  }
}
