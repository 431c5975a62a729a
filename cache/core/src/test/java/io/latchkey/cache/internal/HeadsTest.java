package io.latchkey.cache.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class HeadsTest {
  private static final int REMEMBERED = 64;

  private final Heads heads = new Heads(5);

  @Test
  @DisplayName("M8: before the first whole, and in a gap, nothing becomes current")
  void vouches() {
    assertThat(heads.vouches(heads.epoch())).isFalse();
    heads.whole();
    int first = heads.epoch();
    assertThat(heads.vouches(first)).isTrue();
    heads.whole();
    assertThat(heads.epoch()).isEqualTo(first);
    heads.gap();
    heads.gap();
    assertThat(heads.vouches(first)).isFalse();
    assertThat(heads.vouches(heads.epoch())).isFalse();
    heads.whole();
    assertThat(heads.vouches(first)).isFalse();
    assertThat(heads.vouches(heads.epoch())).isTrue();
  }

  @Test
  @DisplayName("M8: an epoch ends at the head it had; after very many gaps, where it surely held")
  void caps() {
    heads.whole();
    long opened = heads.open();
    heads.head(9);
    heads.gap();
    assertThat(heads.cap(opened, 6)).isEqualTo(9);
    for (int gap = 1; gap < REMEMBERED; gap++) {
      heads.whole();
      heads.head(9 + gap);
      heads.gap();
      assertThat(heads.cap(opened, 6)).as("after %d more", gap).isEqualTo(9);
    }
    heads.whole();
    long last = heads.open();
    heads.head(1_000);
    heads.gap();
    assertThat(heads.cap(opened, 6)).isEqualTo(6);
    assertThat(heads.cap(last, 6)).isEqualTo(1_000);
  }
}
