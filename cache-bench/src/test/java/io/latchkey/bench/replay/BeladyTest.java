package io.latchkey.bench.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BeladyTest {
  @Test
  @DisplayName("a reference string worked out by hand, with 2 places")
  void byHand() {
    // 1 and 2 are kept, 3 is not; 1, 2 hit; then 2 is given up for 3, which hits
    int[] keys = {1, 2, 3, 1, 2, 3, 3, 1};
    assertThat(new Belady(TraceFixture.of(keys)).hits(2)).isEqualTo(4);
  }

  @Test
  @DisplayName("of a loop as many hit at each turn as there are places")
  void loop() {
    int[] keys = new int[1000];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = i % 10;
    }
    // Each turn keeps the same 4 of 10: 99 turns after the first.
    assertThat(new Belady(TraceFixture.of(keys)).hits(4)).isEqualTo(4 * 99);
    assertThat(new Belady(TraceFixture.of(keys)).hits(10)).isEqualTo(990);
  }

  @ParameterizedTest(name = "seed {0}, {1} places")
  @CsvSource({"1, 1", "2, 2", "3, 3", "4, 2", "5, 4", "6, 1", "7, 3", "8, 5"})
  @DisplayName("no choice of what to keep has more hits: all choices tried")
  void exhaustive(long seed, int capacity) {
    int[] keys = TraceFixture.random(seed, 40, 8);
    assertThat(new Belady(TraceFixture.of(keys)).hits(capacity))
        .isEqualTo(bestOfAllChoices(keys, capacity));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 5, 40, 300, 1000})
  @DisplayName("a long trace, against the farthest next use looked up in the trace itself")
  void byLooking(int capacity) {
    int[] keys = TraceFixture.random(capacity, 6000, 500);
    assertThat(new Belady(TraceFixture.of(keys)).hits(capacity))
        .isEqualTo(hitsByLooking(keys, capacity));
  }

  /** The most hits for each set of cached keys, a bit for each key. */
  private static int bestOfAllChoices(int[] keys, int capacity) {
    Map<Integer, Integer> best = new HashMap<>(Map.of(0, 0));
    for (int key : keys) {
      Map<Integer, Integer> next = new HashMap<>();
      best.forEach(
          (cached, hits) -> {
            if ((cached & 1 << key) != 0) {
              next.merge(cached, hits + 1, Math::max);
              return;
            }
            next.merge(cached, hits, Math::max);
            if (Integer.bitCount(cached) < capacity) {
              next.merge(cached | 1 << key, hits, Math::max);
            }
            for (int victim = 0; victim < 8; victim++) {
              if ((cached & 1 << victim) != 0) {
                next.merge(cached & ~(1 << victim) | 1 << key, hits, Math::max);
              }
            }
          });
      best = next;
    }
    return best.values().stream().max(Integer::compare).orElseThrow();
  }

  private static int hitsByLooking(int[] keys, int capacity) {
    Map<Integer, Integer> nextUse = new HashMap<>();
    int hits = 0;
    for (int read = 0; read < keys.length; read++) {
      if (nextUse.remove(keys[read]) != null) {
        hits++;
      }
      nextUse.put(keys[read], nextUse(keys, read));
      if (nextUse.size() > capacity) {
        nextUse.remove(
            nextUse.entrySet().stream().max(Map.Entry.comparingByValue()).orElseThrow().getKey());
      }
    }
    return hits;
  }

  private static int nextUse(int[] keys, int read) {
    for (int next = read + 1; next < keys.length; next++) {
      if (keys[next] == keys[read]) {
        return next;
      }
    }
    return Integer.MAX_VALUE;
  }
}
