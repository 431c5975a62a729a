package io.latchkey.bench.jmh;

import io.latchkey.bench.keys.KeyOrder;
import io.latchkey.bench.peers.CacheUnderTest;
import io.latchkey.bench.peers.Implementation;
import java.util.ArrayList;
import java.util.List;
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
import org.openjdk.jmh.infra.Blackhole;
import org.openjdk.jmh.infra.ThreadParams;

/**
 * Fills empty caches of one bound, each to its bound; the threads share each cache and its keys
 * between them. No cache is told its size beforehand but by its bound. An invocation fills several
 * caches one after the other, so that it is long enough to be timed, and counts as {@link
 * #operations} gets. The time is without the making of the empty caches; the bytes allocated are
 * with it.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH calls the set-up before all else.
public class StartupBenchmark {
  private static final int GETS = 1 << 16;
  private static final int MAX_CACHES = 256;

  @Param("latchkey")
  public String implementation;

  @Param("4096")
  public int size;

  @Param("seq")
  public String keys;

  private final EchoStorage storage = new EchoStorage();
  private final List<CacheUnderTest<Long, Long>> caches = new ArrayList<>();
  private Long[] sequence;

  /** How many gets each thread makes in one invocation. */
  static int operations(int size, int threads) {
    return caches(size) * (size / threads);
  }

  private static int caches(int size) {
    return Math.max(1, Math.min(MAX_CACHES, GETS / size));
  }

  /** Makes the keys. */
  @Setup(Level.Trial)
  public void keys() {
    sequence = Keys.box(size, KeyOrder.of(keys).indexes(size));
  }

  /** Makes the empty caches. */
  @Setup(Level.Iteration)
  public void open() {
    for (int i = 0; i < caches(size); i++) {
      caches.add(Implementation.of(implementation).over(storage, size));
    }
  }

  /** Fails if a cache is not as full as it should be. */
  @TearDown(Level.Iteration)
  public void check() {
    long cached = caches.get(0).settledSize();
    caches.forEach(CacheUnderTest::close);
    caches.clear();
    // Some split their bound by hash, and evict before it is reached.
    if (cached < size / 2) {
      throw new IllegalStateException(
          implementation + " holds " + cached + " objects when " + size + " were loaded");
    }
  }

  /** Fills all caches, with this thread's share of the keys. */
  @Benchmark
  public void fill(ThreadParams thread, Blackhole blackhole) {
    int threads = thread.getThreadCount();
    int end = size / threads * threads;
    for (CacheUnderTest<Long, Long> cache : caches) {
      for (int i = thread.getThreadIndex(); i < end; i += threads) {
        blackhole.consume(cache.get(sequence[i]));
      }
    }
  }
}
