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
 * Every get is a hit: all objects are cached, and the bound is twice their number, so that no cache
 * evicts any of them, however it splits its bound.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH calls the set-up before all else.
public class HitBenchmark {
  @Param("latchkey")
  public String implementation;

  @Param("4096")
  public int size;

  @Param("seq")
  public String keys;

  private EchoStorage storage;
  private CacheUnderTest<Long, Long> cache;
  private Long[] sequence;

  /** Caches all objects. */
  @Setup(Level.Trial)
  public void fill() {
    storage = new EchoStorage();
    storage.count(true);
    cache = Implementation.of(implementation).over(storage, 2L * size);
    for (Long key : Keys.box(size)) {
      cache.get(key);
    }
    sequence = Keys.box(size, KeyOrder.of(keys).indexes(size));
  }

  /** Fails if a get was no hit. */
  @TearDown(Level.Trial)
  public void check() {
    cache.close();
    if (storage.loads() != size) {
      throw new IllegalStateException(
          implementation + " missed " + (storage.loads() - size) + " times in a hit benchmark");
    }
  }

  /** One hit. */
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
    public void start(HitBenchmark benchmark, ThreadParams thread) {
      cycle = new Cycle(benchmark.sequence, thread);
    }
  }
}
