package io.latchkey.cache.internal;

import io.latchkey.cache.CacheStats;
import java.util.concurrent.atomic.LongAdder;

/**
 * What a cache counts. Load counts are always kept; hits, misses and times only on request, so that
 * a hit without them writes nothing shared.
 */
final class Counters {
  final boolean recording;
  final LongAdder hits = new LongAdder();
  final LongAdder misses = new LongAdder();
  final LongAdder loadSuccesses = new LongAdder();
  final LongAdder loadFailures = new LongAdder();
  final LongAdder loadsAbandoned = new LongAdder();
  final LongAdder prefetchesDropped = new LongAdder();
  final LongAdder refreshesPostponed = new LongAdder();
  final LongAdder loadNanos = new LongAdder();
  final LongAdder waitNanos = new LongAdder();

  Counters(boolean recording) {
    this.recording = recording;
  }

  void hit() {
    if (recording) {
      hits.increment();
    }
  }

  void miss() {
    if (recording) {
      misses.increment();
    }
  }

  /** The time to measure from, or 0 when no times are recorded. */
  long start() {
    return recording ? System.nanoTime() : 0;
  }

  void loaded(long start) {
    loadSuccesses.increment();
    loadTime(start);
  }

  void failed(long start) {
    loadFailures.increment();
    loadTime(start);
  }

  void abandoned(long start) {
    loadsAbandoned.increment();
    loadTime(start);
  }

  private void loadTime(long start) {
    if (recording) {
      loadNanos.add(System.nanoTime() - start);
    }
  }

  /** All counts as they are now, with those that the policy keeps. */
  CacheStats stats(Admission admission) {
    return new CacheStats(
        hits.sum(),
        misses.sum(),
        loadSuccesses.sum(),
        loadFailures.sum(),
        loadsAbandoned.sum(),
        loadNanos.sum(),
        waitNanos.sum(),
        admission.evictions(),
        admission.evictedWeight(),
        prefetchesDropped.sum(),
        refreshesPostponed.sum());
  }

  void waited(long start) {
    if (recording) {
      waitNanos.add(System.nanoTime() - start);
    }
  }
}
