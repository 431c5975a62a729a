package io.latchkey.bench.jmh;

import io.latchkey.storage.Storage;
import io.latchkey.storage.WritableStorage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * What the benchmarks load from: answers with the key itself, with new bytes, or with what an
 * opened storage has; at once or after a while. Counts when told to.
 */
final class BenchStorage implements Storage<Object, Object> {
  /** Below it a parked thread would oversleep by much, so it spins. */
  private static final int SPIN_MICROS = 200;

  private final Source source;
  private final long latencyNanos;
  private final @Nullable Storage<Long, byte[]> opened;
  private final LongAdder loads = new LongAdder();
  // Set by the thread that sets the benchmark up, which JMH orders before those that measure.
  private boolean counting;

  BenchStorage(Source source) {
    this.source = source;
    latencyNanos = TimeUnit.MICROSECONDS.toNanos(source.latencyMicros());
    opened = source.isOpened() ? Source.open(source.url()) : null;
  }

  /** Stores an object for each key that has none; does nothing without an opened storage. */
  void provide(Object[] keys) throws Exception {
    if (opened == null) {
      return;
    }
    for (Object each : keys) {
      Long key = (Long) each;
      if (opened.load(key) != null) {
        continue;
      }
      if (!(opened instanceof WritableStorage<Long, byte[]> writable)) {
        throw new IllegalStateException(
            opened.name() + " has no object " + key + " and cannot be written");
      }
      writable.store(key, new byte[source.valueSize()]);
    }
  }

  void count(boolean on) {
    counting = on;
  }

  long loads() {
    return loads.sum();
  }

  @Override
  public @Nullable Object load(Object key) throws Exception {
    if (counting) {
      loads.increment();
    }
    if (latencyNanos > 0) {
      delay();
    }
    if (opened != null) {
      return opened.load((Long) key);
    }
    return source.valueSize() == 0 ? key : new byte[source.valueSize()];
  }

  private void delay() {
    long end = System.nanoTime() + latencyNanos;
    for (long left = latencyNanos; left > 0; left = end - System.nanoTime()) {
      if (source.latencyMicros() <= SPIN_MICROS) {
        Thread.onSpinWait();
      } else {
        LockSupport.parkNanos(left);
      }
    }
  }

  @Override
  public void close() {
    if (opened != null) {
      opened.close();
    }
  }
}
