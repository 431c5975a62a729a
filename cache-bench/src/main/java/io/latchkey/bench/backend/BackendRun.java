package io.latchkey.bench.backend;

import io.latchkey.bench.console.BadInputException;
import io.latchkey.bench.console.FailedRunException;
import io.latchkey.bench.console.Progress;
import io.latchkey.cache.Cache;
import io.latchkey.storage.Storage;
import io.latchkey.storage.WritableStorage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads objects one by one and in bulk, from the storage itself and through the cache, by one
 * thread. Each of the four ways has a quarter of the keys, in random order, so that its first
 * reading of an object is the first of all: cold. Then it reads the same objects again: warm.
 *
 * <p>Changes nothing in the storage unless {@link #fill} is called, which replaces nothing.
 *
 * @param <K> the type of the keys
 */
public final class BackendRun<K> {
  private static final int WAYS = 4;
  private static final int WARM_UP_READS = 20_000;
  private static final byte[] NOTHING = {};

  private final Storage<K, byte[]> storage;
  private final List<K> keys;
  private final int batch;
  private final int warmPasses;
  private final long bound;
  private final long seed;
  private final Duration settling;

  /**
   * Prepares a run.
   *
   * @param storage what is measured; the caller closes it
   * @param keys whose objects are read, at least four
   * @param batch objects of a bulk
   * @param warmPasses how often each object is read again
   * @param bound objects that the cache may hold
   * @param seed decides the order
   * @param settling how long each way reads on between the cold and the warm readings, and is not
   *     measured: the JVM compiles the code anew, for this storage
   */
  public BackendRun(
      Storage<K, byte[]> storage,
      List<K> keys,
      int batch,
      int warmPasses,
      long bound,
      long seed,
      Duration settling) {
    this.storage = storage;
    this.keys = new ArrayList<>(keys);
    this.batch = batch;
    this.warmPasses = warmPasses;
    this.bound = bound;
    this.seed = seed;
    this.settling = settling;
  }

  /** Objects read by {@link #run}. */
  public long reads() {
    return (long) keys.size() * (1 + warmPasses);
  }

  /**
   * Stores random bytes for each key that has no object.
   *
   * @return how many were stored
   * @throws BadInputException if the storage cannot be written
   */
  public int fill(int bytes, Progress progress) {
    if (!(storage instanceof WritableStorage<K, byte[]> writable)) {
      throw new BadInputException("--fill: " + storage.name() + " cannot be written");
    }
    Random random = new Random(seed);
    int stored = 0;
    for (int i = 0; i < keys.size(); i++) {
      K key = keys.get(i);
      try {
        if (storage.load(key) == null) {
          byte[] value = new byte[bytes];
          random.nextBytes(value);
          writable.store(key, value);
          stored++;
        }
      } catch (Exception e) {
        throw new FailedRunException("filling " + storage.name(), e);
      }
      progress.stepTo(i + 1L);
    }
    return stored;
  }

  /**
   * Measures all ways.
   *
   * @throws BadInputException if none of the objects is there
   * @throws FailedRunException if the storage fails
   */
  public List<ReadResult> run(Progress progress) {
    warmUp();
    long[] read = {0};
    List<ReadResult> results =
        allWays(
            storage,
            warmPasses == 0 ? Duration.ZERO : settling,
            more -> progress.stepTo(read[0] += more));
    if (results.stream().allMatch(result -> result.found() == 0)) {
      throw new BadInputException(
          "none of the "
              + keys.size()
              + " keys has an object in '"
              + storage.name()
              + "': name others by --keys or --key-file, look at --key-codec, or add --fill");
    }
    return results;
  }

  /** Has the JVM compile the code of this class and of the cache, over a storage of its own. */
  private void warmUp() {
    for (int round = 0; round < WARM_UP_READS / keys.size() + 1; round++) {
      allWays(key -> NOTHING, Duration.ZERO, more -> {});
    }
  }

  private List<ReadResult> allWays(Storage<K, byte[]> source, Duration settle, LongConsumer done) {
    List<List<K>> quarters = quarters();
    List<ReadResult> results = new ArrayList<>();
    try (Cache<K, byte[]> cache = Cache.over(source).maximumSize(bound).build()) {
      results.addAll(
          measure("storage", 1, quarters.get(0), k -> count(source.load(first(k))), settle, done));
      results.addAll(
          measure("storage", batch, quarters.get(1), k -> source.loadAll(k).size(), settle, done));
      results.addAll(
          measure("cache", 1, quarters.get(2), k -> count(cache.get(first(k))), settle, done));
      results.addAll(
          measure("cache", batch, quarters.get(3), k -> cache.getAll(k).size(), settle, done));
    }
    return results;
  }

  private static int count(byte @Nullable [] object) {
    return object == null ? 0 : 1;
  }

  private List<List<K>> quarters() {
    List<K> shuffled = new ArrayList<>(keys);
    Collections.shuffle(shuffled, new Random(seed));
    List<List<K>> quarters = new ArrayList<>();
    for (int way = 0; way < WAYS; way++) {
      int from = (int) ((long) shuffled.size() * way / WAYS);
      int to = (int) ((long) shuffled.size() * (way + 1) / WAYS);
      quarters.add(shuffled.subList(from, to));
    }
    return quarters;
  }

  private static <K> K first(Set<K> keys) {
    return keys.iterator().next();
  }

  private List<ReadResult> measure(
      String through,
      int size,
      List<K> quarter,
      Reader<K> reader,
      Duration settle,
      LongConsumer done) {
    ReadResult cold = new ReadResult(through, size, false);
    ReadResult warm = new ReadResult(through, size, true);
    List<Set<K>> calls = calls(quarter, size);
    pass(calls, reader, cold, done);
    long start = System.nanoTime();
    ReadResult forgotten = new ReadResult(through, size, true);
    while (System.nanoTime() - start < settle.toNanos()) {
      pass(calls, reader, forgotten, all -> {});
    }
    for (int i = 0; i < warmPasses; i++) {
      pass(calls, reader, warm, done);
    }
    return List.of(cold, warm);
  }

  private void pass(List<Set<K>> calls, Reader<K> reader, ReadResult result, LongConsumer done) {
    for (Set<K> call : calls) {
      measure(call, reader, result);
      done.accept(call.size());
    }
  }

  private void measure(Set<K> call, Reader<K> reader, ReadResult result) {
    try {
      long start = System.nanoTime();
      int found = reader.read(call);
      result.record(System.nanoTime() - start, call.size(), found);
    } catch (Exception e) {
      throw new FailedRunException("reading from " + storage.name(), e);
    }
  }

  private static <K> List<Set<K>> calls(List<K> quarter, int size) {
    List<Set<K>> calls = new ArrayList<>();
    for (int from = 0; from < quarter.size(); from += size) {
      calls.add(new LinkedHashSet<>(quarter.subList(from, Math.min(from + size, quarter.size()))));
    }
    return calls;
  }

  /** Reads some objects and tells how many there were. */
  private interface Reader<K> {
    int read(Set<K> keys) throws Exception;
  }
}
