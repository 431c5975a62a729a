package io.latchkey.bench.demo;

import io.latchkey.storage.WritableStorage;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Counts the loads of one cache, and makes them slow when told to. Leaves the store open. */
final class MeteredStorage implements WritableStorage<Long, VersionedObject> {
  private final WritableStorage<Long, VersionedObject> store;
  private final LongAdder loads = new LongAdder();
  private volatile long extraNanos;
  private volatile long lastLoadEnd;

  MeteredStorage(WritableStorage<Long, VersionedObject> store) {
    this.store = store;
  }

  long loads() {
    return loads.sum();
  }

  /** Each load takes so much longer from now on, as if the store were far away. */
  void slowDown(long nanos) {
    extraNanos = nanos;
  }

  /** When the last slowed load ended, by {@link System#nanoTime}. */
  long lastLoadEnd() {
    return lastLoadEnd;
  }

  @Override
  public @Nullable VersionedObject load(Long key) throws Exception {
    loads.increment();
    VersionedObject object = store.load(key);
    long extra = extraNanos;
    if (extra > 0) {
      pause(extra);
      lastLoadEnd = System.nanoTime();
    }
    return object;
  }

  private static void pause(long nanos) {
    long end = System.nanoTime() + nanos;
    for (long left = nanos; left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  @Override
  public void store(Long key, VersionedObject value) throws Exception {
    store.store(key, value);
  }

  @Override
  public void delete(Long key) throws Exception {
    store.delete(key);
  }

  @Override
  public String name() {
    return store.name();
  }
}
