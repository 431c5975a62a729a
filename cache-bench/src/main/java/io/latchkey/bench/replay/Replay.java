package io.latchkey.bench.replay;

import io.latchkey.bench.console.FailedRunException;
import io.latchkey.bench.console.Progress;
import io.latchkey.bench.keys.Trace;
import io.latchkey.bench.peers.CacheUnderTest;
import io.latchkey.bench.peers.Implementation;
import io.latchkey.storage.Storage;
import java.util.ArrayList;
import java.util.List;

/**
 * Replays a trace by one thread: each read is a {@code get} of a cache over a storage that answers
 * at once. What the storage was not asked for is a hit.
 */
public final class Replay {
  /** Least recently used, simulated. */
  public static final String LRU = "lru";

  /** Belady's optimum, simulated. */
  public static final String OPTIMUM = "optimum";

  /** What is simulated, exactly. */
  static final List<String> EXACT = List.of(LRU, OPTIMUM);

  private final ReplaySettings settings;

  private int passes;

  /** Prepares a replay. */
  public Replay(ReplaySettings settings) {
    this.settings = settings;
  }

  /** Replays everything; results come size by size, caches first. */
  public List<ReplayResult> run(Progress progress) {
    List<ReplayResult> results = new ArrayList<>();
    Belady belady = new Belady(settings.trace());
    for (int size : settings.sizes()) {
      results.addAll(ofCaches(size, progress));
      results.add(exact(LRU, size, LeastRecentlyUsed.hits(settings.trace(), size), progress));
      results.add(exact(OPTIMUM, size, belady.hits(size), progress));
    }
    return results;
  }

  private ReplayResult exact(String policy, int size, long hits, Progress progress) {
    progress.stepTo(++passes);
    return new ReplayResult(policy, size, settings.trace().length(), List.of(hits), List.of());
  }

  /** The caches take turns, so that drift of the machine hits all alike. */
  private List<ReplayResult> ofCaches(int size, Progress progress) {
    List<Implementation> implementations = settings.implementations();
    List<List<Long>> hits = new ArrayList<>();
    List<List<Double>> nanos = new ArrayList<>();
    for (int i = 0; i < implementations.size(); i++) {
      hits.add(new ArrayList<>());
      nanos.add(new ArrayList<>());
    }
    for (int run = 0; run < settings.runs(); run++) {
      for (int i = 0; i < implementations.size(); i++) {
        Pass pass = pass(implementations.get(i), size);
        hits.get(i).add(settings.trace().length() - pass.loads());
        nanos.get(i).add((double) pass.nanos() / settings.trace().length());
        progress.stepTo(++passes);
      }
    }
    List<ReplayResult> results = new ArrayList<>();
    for (int i = 0; i < implementations.size(); i++) {
      results.add(
          new ReplayResult(
              implementations.get(i).id(),
              size,
              settings.trace().length(),
              hits.get(i),
              nanos.get(i)));
    }
    return results;
  }

  private Pass pass(Implementation implementation, int size) {
    Counting storage = new Counting();
    Trace trace = settings.trace();
    try (CacheUnderTest<Object, Object> cache = implementation.inOneThread(storage, size)) {
      long start = System.nanoTime();
      for (int read = 0; read < trace.length(); read++) {
        Object key = trace.object(trace.key(read));
        if (!key.equals(cache.get(key))) {
          throw new FailedRunException(
              implementation.id() + " gave a wrong object for read " + read);
        }
      }
      return new Pass(storage.loads, System.nanoTime() - start);
    }
  }

  private record Pass(long loads, long nanos) {}

  /** Answers with the key itself. Called by the thread that reads. */
  private static final class Counting implements Storage<Object, Object> {
    long loads;

    @Override
    public Object load(Object key) {
      loads++;
      return key;
    }
  }
}
