package io.latchkey.cache.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What one hold of the policy's lock threw out. */
class LeaversTest {
  private final Leavers leavers = new Leavers();

  private void add(int from, int to) {
    for (int i = from; i < to; i++) {
      leavers.add(new Entry(i, i, "object", Entry.READY), i % 2 == 0 ? "object " + i : null);
    }
  }

  private void expect(int count, int expired) {
    assertThat(leavers.count()).isEqualTo(count);
    for (int i = 0; i < count; i++) {
      assertThat(leavers.entry(i).key).isEqualTo(i);
      assertThat(leavers.outcome(i)).isEqualTo(i % 2 == 0 ? "object " + i : null);
      assertThat(leavers.expired(i)).as("entry %d", i).isEqualTo(i < expired);
    }
    assertThatThrownBy(() -> leavers.entry(count)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  @DisplayName("Entries come back in order with what they had, the expired ones first")
  void order() {
    add(0, 5);
    leavers.endExpired();
    add(5, 20);
    expect(20, 5);
  }

  @Test
  @DisplayName("It takes any number, and is kept for another time unless it has become large")
  void reset() {
    add(0, 500);
    expect(500, 0);
    leavers.endExpired();
    assertThat(leavers.reset()).isTrue();
    expect(0, 0);
    add(0, 1000);
    expect(1000, 0);
    assertThat(leavers.reset()).isFalse();
  }
}
