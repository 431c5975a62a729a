package io.latchkey.bench.jmh;

import io.latchkey.bench.keys.KeyOrder;
import io.latchkey.bench.peers.CacheUnderTest;
import io.latchkey.bench.peers.Implementation;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
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
import org.openjdk.jmh.infra.ThreadParams;

/**
 * Every get is a miss of a full cache: it loads, caches and evicts. The keys go round in a circle
 * that is far larger than the bound; a policy that keeps some of them all the same gets hits for
 * one of {@link #KEYS_PER_ENTRY} at most.
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
  private static final int CHECKED = 1 << 17;
  private static final double MISSES_AT_LEAST = 0.98;

  @Param("latchkey")
  public String implementation;

  @Param("4096")
  public int size;

  @Param("seq")
  public String keys;

  private EchoStorage storage;
  private CacheUnderTest<Long, Long> cache;
  private Long[] sequence;

  /** Fills the cache to its bound. */
  @Setup(Level.Trial)
  public void fill() {
    storage = new EchoStorage();
    cache = Implementation.of(implementation).over(storage, size);
    int count = Math.max(LEAST_KEYS, KEYS_PER_ENTRY * size);
    sequence = Keys.box(count, KeyOrder.of(keys).indexes(count));
    for (int i = count - size; i < count; i++) {
      cache.get(sequence[i]);
    }
  }

  /** Fails if gets are hits. */
  @TearDown(Level.Trial)
  public void check() {
    storage.count(true);
    for (int i = 0; i < CHECKED; i++) {
      cache.get(sequence[i]);
    }
    cache.close();
    if (storage.loads() < MISSES_AT_LEAST * CHECKED) {
      throw new IllegalStateException(
          implementation + " missed only " + storage.loads() + " times in " + CHECKED + " gets");
    }
  }

  /** One miss. */
  @Benchmark
  public @Nullable Object get(Reader reader) {
    return cache.get(reader.cycle.next());
  }

  /** The place of one thread in the sequence. */
  @State(Scope.Thread)
  public static class Reader {
    private Cycle cycle;

    /** Starts each thread at a place of its own. */
    @Setup(Level.Trial)
    public void start(NohitBenchmark benchmark, ThreadParams thread) {
      cycle = new Cycle(benchmark.sequence, thread);
    }
  }
}
