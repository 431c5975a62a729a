package io.latchkey.bench.jmh;

import io.latchkey.bench.keys.KeyOrder;
import io.latchkey.bench.peers.CacheUnderTest;
import io.latchkey.bench.peers.Implementation;
import java.util.ArrayList;
import java.util.List;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.ThreadParams;

/** What a benchmark measures: the parameters that all share, the storage and the caches over it. */
@State(Scope.Benchmark)
@SuppressWarnings("NullAway.Init") // JMH calls the set-up before all else.
public class Subject {
  @Param("latchkey")
  public String implementation;

  @Param("4096")
  public int size;

  @Param("seq")
  public String keys;

  @Param("serial")
  public String shape;

  @Param("0")
  public int valueSize;

  @Param("0")
  public int latency;

  @Param(Source.NONE)
  public String storage;

  private KeyOrder order;
  private BenchStorage loads;
  private final List<CacheUnderTest<Object, Object>> caches = new ArrayList<>();

  /** Opens the storage. */
  @Setup(Level.Trial)
  public void open() {
    order = KeyOrder.of(keys);
    loads = new BenchStorage(source());
  }

  private Source source() {
    return new Source(valueSize, latency, storage);
  }

  /** Closes caches and storage. */
  @TearDown(Level.Trial)
  public void close() {
    closeCaches();
    loads.close();
  }

  BenchStorage storage() {
    return loads;
  }

  /** Whether each object that is asked for has to be stored first. */
  boolean isStored() {
    return source().isOpened();
  }

  KeyOrder order() {
    return order;
  }

  Shape shape() {
    return Shape.of(shape);
  }

  /** Key objects in the order that the parameters say, all of them with objects in the storage. */
  Object[] sequence(int objects) throws Exception {
    Object[] sequence = Keys.of(order, objects);
    loads.provide(sequence);
    return sequence;
  }

  /** Opens so many caches of this bound. */
  void openCaches(int count, long bound) {
    for (int i = 0; i < count; i++) {
      caches.add(Implementation.of(implementation).over(loads, bound));
    }
  }

  void closeCaches() {
    caches.forEach(CacheUnderTest::close);
    caches.clear();
  }

  List<CacheUnderTest<Object, Object>> caches() {
    return caches;
  }

  /** The cache that a thread uses, of one or of one for each thread. */
  CacheUnderTest<Object, Object> cacheOf(ThreadParams thread) {
    return caches.get(thread.getThreadIndex() % caches.size());
  }

  /** A complaint of a benchmark that did not measure what its name says. */
  IllegalStateException wrong(String what) {
    return new IllegalStateException(implementation + " " + what);
  }
}
