package io.latchkey.bench.jmh;

import io.latchkey.storage.Storage;
import java.util.concurrent.atomic.LongAdder;

/** Answers each key with itself, at once and without allocation; counts when told to. */
final class EchoStorage implements Storage<Long, Long> {
  private final LongAdder loads = new LongAdder();
  // Set by the thread that sets the benchmark up, which JMH orders before those that measure.
  private boolean counting;

  void count(boolean on) {
    counting = on;
  }

  long loads() {
    return loads.sum();
  }

  @Override
  public Long load(Long key) {
    if (counting) {
      loads.increment();
    }
    return key;
  }
}
