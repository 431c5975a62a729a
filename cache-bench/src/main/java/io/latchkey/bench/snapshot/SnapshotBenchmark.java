package io.latchkey.bench.snapshot;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
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

/** Reads at the newest revision, and commits. Keys come in a random order, the same for all. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH calls the set-up before all else.
public class SnapshotBenchmark {
  private static final long SEED = 42;

  private static Long[] shuffled(Long[] keys) {
    Long[] order = keys.clone();
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = order.length - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      Long key = order[i];
      order[i] = order[other];
      order[other] = key;
    }
    return order;
  }

  /** A cache in which every object is, so that every read is a hit. */
  @State(Scope.Benchmark)
  public static class Full {
    @Param("latchkey")
    public String cache;

    @Param("4096")
    public int size;

    private SnapshotReader reader;
    private NumberedStore store;
    private Long[] order;
    private int position;
    private long loads;

    /** Caches all objects. */
    @Setup(Level.Trial)
    public void fill() {
      store = new NumberedStore(size);
      reader = SnapshotReader.Kind.of(cache).open(store, 2L * size);
      order = shuffled(store.keys());
      for (Long key : order) {
        reader.get(key);
      }
      loads = store.loads();
    }

    /** Fails if a read was no hit. */
    @TearDown(Level.Trial)
    public void check() {
      if (store.loads() != loads) {
        throw new IllegalStateException(
            cache + " missed " + (store.loads() - loads) + " times in a hit benchmark");
      }
      reader.close();
    }
  }

  /** A cache that holds few of the objects, which are read in a round, so no read is a hit. */
  @State(Scope.Benchmark)
  public static class Small {
    @Param("latchkey")
    public String cache;

    @Param("4096")
    public int size;

    private SnapshotReader reader;
    private NumberedStore store;
    private Long[] order;
    private int position;

    /** Opens a cache for a part of the objects. */
    @Setup(Level.Trial)
    public void open() {
      store = new NumberedStore(64 * size);
      reader = SnapshotReader.Kind.of(cache).open(store, size);
      order = shuffled(store.keys());
    }

    /** Ends the cache. */
    @TearDown(Level.Trial)
    public void close() {
      reader.close();
    }
  }

  /** A full cache and commits; what they changed is loaded again between the measurements. */
  @State(Scope.Benchmark)
  public static class Committing {
    @Param("latchkey")
    public String cache;

    @Param("1000000")
    public int size;

    @Param("1")
    public int changed;

    @Param("1")
    public int commits;

    private SnapshotReader reader;
    private NumberedStore store;
    private Long[] order;
    private int position;
    private final List<List<Long>> next = new ArrayList<>();

    /** Caches all objects. */
    @Setup(Level.Trial)
    public void fill() {
      store = new NumberedStore(size);
      reader = SnapshotReader.Kind.of(cache).open(store, 64L * size); // for old revisions, too
      order = shuffled(store.keys());
      for (Long key : order) {
        reader.get(key);
      }
    }

    /** Loads again what was changed, and chooses what is changed next. */
    @Setup(Level.Invocation)
    public void prepare() {
      for (List<Long> keys : next) {
        for (Long key : keys) {
          reader.get(key);
        }
      }
      next.clear();
      for (int commit = 0; commit < commits; commit++) {
        List<Long> keys = new ArrayList<>(changed);
        for (int i = 0; i < changed; i++) {
          keys.add(order[position]);
          position = position + 1 == order.length ? 0 : position + 1;
        }
        next.add(keys);
      }
    }

    /** Fails if what was changed last could still be read from the cache, or anything else not. */
    @TearDown(Level.Trial)
    public void check() {
      long before = store.loads();
      List<Long> last = next.get(next.size() - 1);
      last.forEach(reader::get);
      if (store.loads() != before + last.size()) {
        throw new IllegalStateException(cache + " kept what a commit had changed");
      }
      reader.get(order[position]);
      if (changed < size && store.loads() != before + last.size()) {
        throw new IllegalStateException(cache + " lost what no commit had changed");
      }
      reader.close();
    }
  }

  /** One hit. */
  @Benchmark
  public @Nullable Object hit(Full state) {
    int position = state.position;
    state.position = position + 1 == state.order.length ? 0 : position + 1;
    return state.reader.get(state.order[position]);
  }

  /** One miss, with its load and an eviction. */
  @Benchmark
  public @Nullable Object nohit(Small state) {
    int position = state.position;
    state.position = position + 1 == state.order.length ? 0 : position + 1;
    return state.reader.get(state.order[position]);
  }

  /** Some commits, taken in by the cache. */
  @Benchmark
  @BenchmarkMode(Mode.SingleShotTime)
  public void commit(Committing state) {
    for (List<Long> keys : state.next) {
      state.reader.committed(state.store.next(keys), keys);
    }
  }
}
