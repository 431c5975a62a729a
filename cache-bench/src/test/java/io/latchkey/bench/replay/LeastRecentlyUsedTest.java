package io.latchkey.bench.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LeastRecentlyUsedTest {
  @Test
  @DisplayName("a reference string worked out by hand, with 3 places")
  void byHand() {
    // 7 0 1 | 2 for 7 | 0 hits | 3 for 1 | 0 hits | 4 for 2 | 2 for 3 | 3 for 0 | 0 for 4 | 3, 2
    // hit
    int[] keys = {7, 0, 1, 2, 0, 3, 0, 4, 2, 3, 0, 3, 2};
    assertThat(LeastRecentlyUsed.hits(TraceFixture.of(keys), 3)).isEqualTo(4);
  }

  @Test
  @DisplayName("a loop of one more than fits never hits, one that fits always does")
  void loop() {
    int[] keys = new int[50];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = i % 5;
    }
    assertThat(LeastRecentlyUsed.hits(TraceFixture.of(keys), 4)).isZero();
    assertThat(LeastRecentlyUsed.hits(TraceFixture.of(keys), 5)).isEqualTo(45);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7, 30, 200})
  @DisplayName("the hits are the reads with fewer different keys since the last read of the same")
  void byReuseDistance(int capacity) {
    int[] keys = TraceFixture.random(capacity, 2000, 100);
    int hits = 0;
    List<Integer> latestFirst = new ArrayList<>();
    for (int key : keys) {
      int distance = latestFirst.indexOf(key);
      if (distance >= 0) {
        hits += distance < capacity ? 1 : 0;
        latestFirst.remove(distance);
      }
      latestFirst.add(0, key);
    }
    assertThat(LeastRecentlyUsed.hits(TraceFixture.of(keys), capacity)).isEqualTo(hits);
  }
}
