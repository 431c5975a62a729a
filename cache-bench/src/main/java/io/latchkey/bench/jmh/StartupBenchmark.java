package io.latchkey.bench.jmh;

import io.latchkey.bench.peers.CacheUnderTest;
import java.util.List;
import java.util.concurrent.TimeUnit;
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
import org.openjdk.jmh.infra.Blackhole;
import org.openjdk.jmh.infra.ThreadParams;

/**
 * Fills empty caches of one bound, each to its bound; the threads share each cache and its keys
 * between them, or each has caches of its own. No cache is told its size beforehand but by its
 * bound. An invocation fills several caches one after the other, so that it is long enough to be
 * timed, and counts as {@link #operations} gets. The time is without the making of the empty
 * caches; the bytes allocated are with it.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH calls the set-up before all else.
public class StartupBenchmark {
  private static final int GETS = 1 << 16;
  private static final int MAX_CACHES = 256;

  private Object[] sequence;

  /** How many gets each thread makes in one invocation. */
  static int operations(int size, Shape shape, int threads) {
    return caches(size) * (shape == Shape.PROC ? size : size / threads);
  }

  /** How many caches are filled in one invocation, by each thread if each has its own. */
  private static int caches(int size) {
    return Math.max(1, Math.min(MAX_CACHES, GETS / size));
  }

  /** Makes the keys. */
  @Setup(Level.Trial)
  public void keys(Subject subject) throws Exception {
    sequence = subject.sequence(subject.size);
  }

  /** Makes the empty caches. */
  @Setup(Level.Iteration)
  public void open(Subject subject, BenchmarkParams params) {
    int sets = subject.shape().caches(params.getThreads());
    subject.openCaches(sets * caches(subject.size), subject.size);
  }

  /** Fails if a cache is not as full as it should be. */
  @TearDown(Level.Iteration)
  public void check(Subject subject) {
    long cached = subject.caches().get(0).settledSize();
    subject.closeCaches();
    // Some split their bound by hash, and evict before it is reached.
    if (cached < subject.size / 2) {
      throw subject.wrong("holds " + cached + " objects when " + subject.size + " were loaded");
    }
  }

  /** Fills all caches, with this thread's share of the keys, or this thread's caches. */
  @Benchmark
  public void fill(Subject subject, ThreadParams thread, Blackhole blackhole) {
    int count = caches(subject.size);
    if (subject.shape() == Shape.PROC) {
      int first = thread.getThreadIndex() * count;
      fill(subject.caches().subList(first, first + count), 0, 1, blackhole);
    } else {
      fill(subject.caches(), thread.getThreadIndex(), thread.getThreadCount(), blackhole);
    }
  }

  private void fill(
      List<CacheUnderTest<Object, Object>> caches, int start, int step, Blackhole blackhole) {
    int end = sequence.length / step * step;
    for (CacheUnderTest<Object, Object> cache : caches) {
      for (int i = start; i < end; i += step) {
        blackhole.consume(cache.get(sequence[i]));
      }
    }
  }
}
