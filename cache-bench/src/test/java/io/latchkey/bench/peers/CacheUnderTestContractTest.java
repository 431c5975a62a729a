package io.latchkey.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.storage.WritableStorage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** What every measured cache must do, so that their figures can be compared. */
class CacheUnderTestContractTest {
  private static final long BOUND = 100;

  private final Store store = new Store();

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "DIRECT")
  @DisplayName("the first get loads, the next one hits")
  void loadsOnce(Implementation implementation) {
    try (CacheUnderTest<Long, String> cache = implementation.over(store, BOUND)) {
      assertThat(cache.get(1L)).isEqualTo("loaded 1");
      assertThat(cache.get(1L)).isEqualTo("loaded 1");
      assertThat(store.loads).hasValue(1);
      assertThat(cache.settledSize()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("a put is stored, and read by the next get")
  void writesThrough(Implementation implementation) {
    try (CacheUnderTest<Long, String> cache = implementation.over(store, BOUND)) {
      cache.get(1L);
      cache.put(1L, "put 1");
      cache.put(2L, "put 2");
      assertThat(store.stored).containsEntry(1L, "put 1").containsEntry(2L, "put 2");
      int loads = store.loads.get();
      assertThat(cache.get(1L)).isEqualTo("put 1");
      assertThat(cache.get(2L)).isEqualTo("put 2");
      assertThat(store.loads).hasValue(implementation == Implementation.DIRECT ? loads + 2 : loads);
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("what was invalidated is loaded again")
  void invalidates(Implementation implementation) {
    try (CacheUnderTest<Long, String> cache = implementation.over(store, BOUND)) {
      cache.get(1L);
      store.stored.put(1L, "changed");
      cache.invalidate(1L);
      assertThat(cache.get(1L)).isEqualTo("changed");
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("the bound holds for loads and puts")
  void bounded(Implementation implementation) {
    try (CacheUnderTest<Long, String> cache = implementation.over(store, BOUND)) {
      for (long key = 0; key < 20 * BOUND; key++) {
        cache.get(key);
        cache.put(20 * BOUND + key, "put");
        cache.put(20 * BOUND + key, "put again");
      }
      assertThat(cache.settledSize()).isLessThanOrEqualTo(BOUND);
      if (implementation != Implementation.DIRECT) {
        assertThat(cache.settledSize()).isGreaterThan(BOUND / 2);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "DIRECT")
  @DisplayName("all who ask during a load get its outcome")
  void singleFlight(Implementation implementation) throws Exception {
    int callers = 8;
    ExecutorService threads = Executors.newFixedThreadPool(callers);
    try (CacheUnderTest<Long, String> cache = implementation.over(store, BOUND)) {
      CyclicBarrier together = new CyclicBarrier(callers + 1);
      store.gate = new CountDownLatch(1);
      List<Future<String>> answers = new ArrayList<>();
      for (int i = 0; i < callers; i++) {
        answers.add(
            threads.submit(
                () -> {
                  together.await();
                  return cache.get(1L);
                }));
      }
      together.await();
      store.loading.await();
      store.gate.countDown();
      for (Future<String> answer : answers) {
        assertThat(answer.get()).isEqualTo("loaded 1");
      }
      assertThat(store.loads).hasValue(1);
    } finally {
      threads.shutdownNow();
    }
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "DIRECT")
  @DisplayName("a load under way does not bring back what a put replaced")
  void putDuringLoad(Implementation implementation) throws Exception {
    ExecutorService threads = Executors.newSingleThreadExecutor();
    try (CacheUnderTest<Long, String> cache = implementation.over(store, BOUND)) {
      store.gate = new CountDownLatch(1);
      Future<String> load = threads.submit(() -> cache.get(1L));
      store.loading.await();
      Thread put = new Thread(() -> cache.put(1L, "put"));
      put.start();
      awaitEndOrWait(put);
      store.gate.countDown();
      put.join();
      assertThat(cache.get(1L)).isEqualTo("put");
      load.get();
      assertThat(cache.get(1L)).isEqualTo("put");
    } finally {
      threads.shutdownNow();
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("a failed load is thrown unchecked, and not kept")
  void failedLoad(Implementation implementation) {
    try (CacheUnderTest<Long, String> cache = implementation.over(store, BOUND)) {
      store.broken = true;
      assertThatThrownBy(() -> cache.get(1L))
          .isInstanceOf(RuntimeException.class)
          .hasStackTraceContaining("the disk is gone");
      store.broken = false;
      assertThat(cache.get(1L)).isEqualTo("loaded 1");
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("a failed store is thrown unchecked, and its value is not served")
  void failedStore(Implementation implementation) {
    try (CacheUnderTest<Long, String> cache = implementation.over(store, BOUND)) {
      cache.get(1L);
      store.broken = true;
      assertThatThrownBy(() -> cache.put(1L, "put"))
          .isInstanceOf(RuntimeException.class)
          .hasStackTraceContaining("the disk is gone");
      store.broken = false;
      assertThat(cache.get(1L)).isEqualTo("loaded 1");
    }
  }

  /** Some put beside the load, others wait for it. */
  private static void awaitEndOrWait(Thread thread) {
    while (thread.isAlive()
        && thread.getState() != Thread.State.BLOCKED
        && thread.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
  }

  private static final class Store implements WritableStorage<Long, String> {
    final ConcurrentHashMap<Long, String> stored = new ConcurrentHashMap<>();
    final AtomicInteger loads = new AtomicInteger();
    final CountDownLatch loading = new CountDownLatch(1);
    volatile CountDownLatch gate = new CountDownLatch(0);
    volatile boolean broken;

    @Override
    public String load(Long key) throws Exception {
      loads.incrementAndGet();
      String value = stored.getOrDefault(key, "loaded " + key);
      loading.countDown();
      gate.await();
      check();
      return value;
    }

    @Override
    public void store(Long key, String value) throws Exception {
      check();
      stored.put(key, value);
    }

    @Override
    public void delete(Long key) throws Exception {
      check();
      stored.remove(key);
    }

    private void check() throws Exception {
      if (broken) {
        throw new Exception("the disk is gone");
      }
    }
  }
}
