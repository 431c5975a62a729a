package io.latchkey.cache.testing;

import io.latchkey.cache.Cache;
import io.latchkey.cache.CacheBuilder;
import io.latchkey.cache.CacheStats;
import io.latchkey.cache.internal.ConsistencyCheck;
import io.latchkey.storage.testkit.GatedStorage;
import io.latchkey.storage.testkit.GatedWritableStorage;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Holds what a test set up and, when the test is over, sees that nothing is stuck: opens the gates,
 * waits for every caller, checks the load counts against the storage and the caches for
 * consistency, and closes them.
 */
public final class Stage implements AfterEachCallback {
  private record Gated(Cache<?, ?> cache, GatedLoads<?, ?> loads) {}

  private final Callers callers = new Callers();
  private final List<Cache<?, ?>> caches = new ArrayList<>();
  private final List<GatedLoads<?, ?>> gates = new ArrayList<>();
  private final List<Gated> gated = new ArrayList<>();
  private final List<Runnable> releases = new ArrayList<>();

  /** The callers of this test. */
  public Callers callers() {
    return callers;
  }

  /** A gated storage that is released when the test ends. */
  public <K, V> GatedLoads<K, V> loads(GatedLoads.Interrupts interrupts) {
    GatedLoads<K, V> loads = new GatedLoads<>(interrupts);
    gates.add(loads);
    return loads;
  }

  /** A gated storage whose loads throw when interrupted. */
  public <K, V> GatedLoads<K, V> loads() {
    return loads(GatedLoads.Interrupts.THROW);
  }

  /** A gated storage of the testkit that lets everything go when the test ends. */
  public <S extends GatedStorage<?, ?>> S gated(S storage) {
    releases.add(
        () -> {
          storage.open();
          if (storage instanceof GatedWritableStorage<?, ?> writable) {
            writable.openWrites();
          }
          storage.failHeld(new IllegalStateException("the test is over"));
        });
    return storage;
  }

  /** A roadblock, not armed yet, that opens when the test ends. */
  public Roadblock roadblock() {
    Roadblock block = new Roadblock();
    releases.add(block::open);
    return block;
  }

  /** Does this in a thread of its own and waits for its end, while others are held. */
  public void meanwhile(Runnable action) {
    callers.run(action).value();
  }

  /** Builds a cache that is closed when the test ends. */
  public <K, V> Cache<K, V> build(CacheBuilder<K, V> builder) {
    Cache<K, V> cache = builder.build();
    caches.add(cache);
    return cache;
  }

  /** Builds a cache over gated loads; its load counts are checked against them at the end. */
  public <K, V> Cache<K, V> build(CacheBuilder<K, V> builder, GatedLoads<K, V> loads) {
    Cache<K, V> cache = build(builder);
    gated.add(new Gated(cache, loads));
    return cache;
  }

  /** A plain cache over gated loads. */
  public <K, V> Cache<K, V> over(GatedLoads<K, V> loads) {
    return build(Cache.over(loads).recordStats(), loads);
  }

  @Override
  public void afterEach(ExtensionContext context) {
    try {
      gates.forEach(GatedLoads::release);
      releases.forEach(Runnable::run);
      callers.forEach(Caller::outcome);
      for (Gated pair : gated) {
        Patience.until(
            () -> "each of " + pair.loads.calls() + " loads counted once in " + pair.cache.stats(),
            () -> counted(pair.cache.stats()) == pair.loads.calls());
      }
      caches.forEach(Stage::settle);
    } finally {
      caches.forEach(Cache::close);
    }
  }

  /**
   * Waits until what still runs on executors has ended, and nothing in the cache contradicts it.
   */
  private static void settle(Cache<?, ?> cache) {
    List<List<String>> faults = new ArrayList<>();
    Patience.until(
        () -> cache + " is consistent, but it has " + faults.get(0),
        () -> {
          faults.clear();
          faults.add(ConsistencyCheck.faults(cache));
          return faults.get(0).isEmpty();
        });
  }

  private static long counted(CacheStats stats) {
    return stats.loadSuccessCount() + stats.loadFailureCount() + stats.loadAbandonedCount();
  }
}
