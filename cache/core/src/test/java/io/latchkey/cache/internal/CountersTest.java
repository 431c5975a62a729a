package io.latchkey.cache.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What is counted, and when. */
class CountersTest {
  /** A start this long ago makes a measured time this long at least. */
  private static final long HOUR = 3_600_000_000_000L;

  private static void everything(Counters counters, long start) {
    counters.hit();
    counters.hit();
    counters.miss();
    counters.loaded(start);
    counters.loaded(start);
    counters.loaded(start);
    counters.failed(start);
    counters.failed(start);
    counters.abandoned(start);
    counters.waited(start);
  }

  @Test
  @DisplayName("F17: With statistics everything is counted, load and wait times apart")
  void recording() {
    Counters counters = new Counters(true);
    long before = System.nanoTime();
    assertThat(counters.start()).isBetween(before, System.nanoTime());
    everything(counters, System.nanoTime() - HOUR);
    assertThat(counters.hits.sum()).isEqualTo(2);
    assertThat(counters.misses.sum()).isEqualTo(1);
    assertThat(counters.loadSuccesses.sum()).isEqualTo(3);
    assertThat(counters.loadFailures.sum()).isEqualTo(2);
    assertThat(counters.loadsAbandoned.sum()).isEqualTo(1);
    assertThat(counters.loadNanos.sum()).isBetween(6 * HOUR, 7 * HOUR);
    assertThat(counters.waitNanos.sum()).isBetween(HOUR, 2 * HOUR);
  }

  @Test
  @DisplayName("F17: Without statistics only loads are counted, and no time is measured")
  void notRecording() {
    Counters counters = new Counters(false);
    assertThat(counters.start()).isZero();
    everything(counters, 0);
    assertThat(counters.hits.sum()).isZero();
    assertThat(counters.misses.sum()).isZero();
    assertThat(counters.loadSuccesses.sum()).isEqualTo(3);
    assertThat(counters.loadFailures.sum()).isEqualTo(2);
    assertThat(counters.loadsAbandoned.sum()).isEqualTo(1);
    assertThat(counters.loadNanos.sum()).isZero();
    assertThat(counters.waitNanos.sum()).isZero();
  }
}
