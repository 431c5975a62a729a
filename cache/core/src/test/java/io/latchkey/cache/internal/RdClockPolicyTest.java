package io.latchkey.cache.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The policy by itself. */
class RdClockPolicyTest {
  /**
   * Hit ratios may differ by this much, in points: ghosts are packed differently, times are coarser
   * and patience grows further than in the reference, which together gain on recorded traces.
   */
  private static final double TOLERANCE = 1;

  private PolicySimulation cache(long capacity) {
    return new PolicySimulation(new RdClockPolicy(capacity));
  }

  private static void fill(PolicySimulation cache, int from, int to) {
    for (int key = from; key < to; key++) {
      cache.access(key);
    }
  }

  /** The hits of a separate reference implementation of the policy, on the same sequences. */
  @ParameterizedTest
  @CsvSource({
    "SKEWED, 100, 6230",
    "SKEWED, 400, 10452",
    "SKEWED, 1000, 14858",
    "LOOP, 100, 3770",
    "LOOP, 400, 14942",
    "LOOP, 1000, 32647",
    "LOOP_AND_SKEWED, 100, 7098",
    "LOOP_AND_SKEWED, 400, 13418",
    "LOOP_AND_SKEWED, 1000, 26913",
    "TWO_POOLS, 100, 19550",
    "TWO_POOLS, 400, 30165",
    "TWO_POOLS, 1000, 31109",
    "MOVING, 100, 9105",
    "MOVING, 400, 30569",
    "MOVING, 1000, 47066",
    "ZIGZAG, 100, 3169",
    "ZIGZAG, 400, 16412",
    "ZIGZAG, 1000, 45839",
    "SCANS, 100, 7857",
    "SCANS, 400, 13907",
    "SCANS, 1000, 20252"
  })
  @DisplayName("The hit ratio is the reference's, on patterns that the policy must tell apart")
  void likeTheReference(AccessPattern pattern, int capacity, long hits) {
    PolicySimulation cache = cache(capacity);
    for (int key : pattern.sequence()) {
      cache.access(key);
    }
    cache.check();
    double points = 100.0 * (cache.hits() - hits) / AccessPattern.LENGTH;
    assertThat(points).isBetween(-TOLERANCE, TOLERANCE);
  }

  @Test
  @DisplayName("E1: A policy holds as many entries as its bound, and gives away the others")
  void bound() {
    PolicySimulation cache = cache(100);
    fill(cache, 0, 100);
    assertThat(cache.policy.size()).isEqualTo(100);
    fill(cache, 100, 1000);
    cache.check();
    assertThat(cache.policy.size()).isEqualTo(100);
    assertThat(cache.policy.weight()).isEqualTo(100);
  }

  @Test
  @DisplayName("Without uses, main keeps what came while it had room, and the window passes by")
  void window() {
    PolicySimulation cache = cache(3);
    fill(cache, 0, 5);
    assertThat(cache.order()).containsExactly(4, 0, 1);
    fill(cache, 5, 9);
    assertThat(cache.order()).containsExactly(8, 0, 1);
  }

  @Test
  @DisplayName("Entries that are used survive a long row of entries that are not")
  void usedSurvive() {
    PolicySimulation cache = cache(100);
    for (int i = 0; i < 400; i++) {
      for (int hot = 0; hot < 20; hot++) {
        cache.access("hot " + hot);
      }
      fill(cache, 10 * i, 10 * i + 10);
    }
    for (int hot = 0; hot < 20; hot++) {
      assertThat(cache.holds("hot " + hot)).as("hot %d", hot).isTrue();
    }
    cache.check();
  }

  @Test
  @DisplayName("An entry that comes back soon after its eviction is taken for a useful one")
  void comesBack() {
    PolicySimulation cache = cache(100);
    fill(cache, 0, 300);
    for (int i = 0; i < 50; i++) {
      cache.access("returning");
      fill(cache, 1000 + 20 * i, 1020 + 20 * i);
    }
    assertThat(cache.holds("returning")).isTrue();
    cache.check();
  }

  @Test
  @DisplayName("An entry removed for another reason is not evicted later")
  void removed() {
    PolicySimulation cache = cache(100);
    fill(cache, 0, 100);
    for (int key = 0; key < 100; key += 3) {
      cache.remove(key);
      cache.check();
    }
    fill(cache, 100, 300);
    cache.check();
    assertThat(cache.policy.size()).isEqualTo(100);
    List<Object> all = new ArrayList<>(cache.contents.keySet());
    all.forEach(cache::remove);
    cache.check();
    assertThat(cache.policy.size()).isZero();
    assertThat(cache.policy.weight()).isZero();
    assertThat(cache.policy.victim()).isNull();
  }

  @Test
  @DisplayName("E1: A smaller bound makes entries leave at once, a larger one lets more in")
  void resize() {
    PolicySimulation cache = cache(100);
    fill(cache, 0, 200);
    cache.policy.resize(10);
    assertThat(cache.policy.over()).isTrue();
    cache.evict();
    cache.check();
    assertThat(cache.policy.size()).isEqualTo(10);
    cache.policy.resize(500);
    assertThat(cache.policy.over()).isFalse();
    fill(cache, 1000, 2000);
    cache.check();
    assertThat(cache.policy.size()).isEqualTo(500);
    cache.policy.resize(0);
    cache.evict();
    assertThat(cache.policy.size()).isZero();
  }

  @Test
  @DisplayName("E1: With a bound of zero nothing stays, with the largest everything does")
  void extremes() {
    PolicySimulation none = cache(0);
    fill(none, 0, 50);
    none.check();
    assertThat(none.contents).isEmpty();
    PolicySimulation all = cache(Long.MAX_VALUE);
    fill(all, 0, 5000);
    all.check();
    assertThat(all.policy.size()).isEqualTo(5000);
    PolicySimulation one = cache(1);
    fill(one, 0, 50);
    one.check();
    assertThat(one.policy.size()).isEqualTo(1);
  }

  @Test
  @DisplayName("E1: The bound is one of weight: a heavy entry drives out many light ones")
  void weights() {
    PolicySimulation cache = cache(100);
    fill(cache, 0, 100);
    cache.access("heavy", 60);
    cache.check();
    assertThat(cache.policy.weight()).isLessThanOrEqualTo(100);
    assertThat(cache.policy.size()).isBetween(1L, 41L);
    cache.access("whole", 100);
    cache.check();
    assertThat(cache.policy.weight()).isLessThanOrEqualTo(100);
    cache.access("nothing", 0);
    cache.check();
    assertThat(cache.holds("nothing")).as("it takes no room").isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 50, 333})
  @DisplayName("Random uses, weights, removals and bounds never leave the books wrong")
  void randomly(int capacity) {
    long seed = Long.getLong("latchkey.seed", System.nanoTime());
    System.out.println("RdClockPolicyTest: latchkey.seed=" + seed);
    Random random = new Random(seed);
    PolicySimulation cache = cache(capacity);
    for (int i = 0; i < 20_000; i++) {
      int key = (int) (2.5 * capacity * Math.pow(random.nextDouble(), 2));
      switch (random.nextInt(20)) {
        case 0 -> cache.remove(key);
        case 1 -> cache.access(key, random.nextInt(1 + capacity / 4));
        case 2 -> {
          if (random.nextInt(100) == 0) {
            cache.policy.resize(1 + random.nextInt(2 * capacity));
            cache.evict();
          }
        }
        default -> cache.access(key);
      }
      if (i % 100 == 0) {
        cache.check();
      }
    }
    cache.check();
  }
}
