package io.latchkey.cache.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class CommitTailTest {
  private final CommitTail tail = new CommitTail(10);

  private List<Long> known(Object key) {
    long[] times = tail.of(key);
    return Arrays.stream(times, 1, times.length).boxed().toList();
  }

  @Test
  @DisplayName("M4: commits of a key are remembered in order, late and repeated ones too")
  void order() {
    tail.add(12, List.of("k"));
    tail.add(14, List.of("k", "l"));
    tail.add(13, List.of("k"));
    tail.add(13, List.of("k"));
    tail.add(10, List.of("k"));
    assertThat(known("k")).containsExactly(12L, 13L, 14L);
    assertThat(known("l")).containsExactly(14L);
    assertThat(known("m")).isEmpty();
    assertThat(tail.from()).isEqualTo(10);
  }

  @Test
  @DisplayName(
      "M4: of a key that changes all the time the last commits are remembered, and from when")
  void hotKey() {
    for (int revision = 11; revision <= 10 + CommitTail.TIMES; revision++) {
      tail.add(revision, List.of("k"));
    }
    assertThat(tail.of("k")[0]).isZero();
    assertThat(known("k")).hasSize(CommitTail.TIMES);
    tail.add(11 + CommitTail.TIMES, List.of("k"));
    assertThat(tail.of("k")[0]).isEqualTo(11);
    assertThat(known("k")).hasSize(CommitTail.TIMES).first().isEqualTo(12L);
    tail.add(11, List.of("k")); // late, and forgotten before
    assertThat(tail.of("k")[0]).isEqualTo(11);
    assertThat(known("k")).first().isEqualTo(12L);
  }

  @Test
  @DisplayName("M3: the oldest commits are forgotten whole, and from says so")
  void forgets() {
    List<Object> keys = new ArrayList<>();
    for (int i = 0; i < CommitTail.MENTIONS / 4; i++) {
      keys.add(i);
    }
    for (int revision = 11; revision <= 14; revision++) {
      tail.add(revision, keys);
    }
    assertThat(tail.from()).isEqualTo(10);
    assertThat(known(0)).containsExactly(11L, 12L, 13L, 14L);
    tail.add(15, List.of("k"));
    assertThat(tail.from()).isEqualTo(11);
    for (int revision = 16; revision <= 20; revision++) {
      tail.add(revision, keys);
    }
    assertThat(tail.from()).isGreaterThanOrEqualTo(15);
    assertThat(known("k")).isEmpty();
    assertThat(known(0)).contains(20L);
  }

  @Test
  @DisplayName("M3: commits without keys cost nothing, and one that is too large forgets all")
  void extremes() {
    for (int revision = 11; revision < 100_000; revision++) {
      tail.add(revision, List.of());
    }
    tail.add(100_000, List.of("k"));
    assertThat(tail.from()).isEqualTo(10);
    List<Object> keys = new ArrayList<>();
    for (int i = 0; i <= CommitTail.MENTIONS; i++) {
      keys.add(i);
    }
    tail.add(99_999, keys); // late
    assertThat(tail.from()).isEqualTo(100_000);
    assertThat(known("k")).isEmpty();
    tail.restart(7);
    tail.add(8, List.of("k"));
    assertThat(tail.from()).isEqualTo(7);
    assertThat(known("k")).containsExactly(8L);
  }
}
