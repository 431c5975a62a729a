package io.latchkey.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class AxisTest {
  @Test
  @DisplayName("amounts begin at 0 and end at a round number")
  void amounts() {
    Axis axis = Axis.ofAmounts(5, 42);
    assertThat(axis.logarithmic()).isFalse();
    assertThat(axis.ticks()).containsExactly(0.0, 10.0, 20.0, 30.0, 40.0, 50.0);
    assertThat(axis.place(25)).isCloseTo(0.5, within(1e-9));
  }

  @Test
  @DisplayName("amounts that are far apart are drawn by their logarithms, whole decades")
  void decades() {
    Axis axis = Axis.ofAmounts(5, 9000);
    assertThat(axis.logarithmic()).isTrue();
    assertThat(axis.ticks()).containsExactly(1.0, 10.0, 100.0, 1000.0, 10_000.0);
    assertThat(axis.place(100)).isCloseTo(0.5, within(1e-9));
  }

  @Test
  @DisplayName("a span need not begin at 0")
  void span() {
    assertThat(Axis.even(91.2, 93.8).ticks()).containsExactly(91.0, 92.0, 93.0, 94.0);
  }

  @Test
  @DisplayName("values that are all alike, or all 0, still get an axis")
  void alike() {
    assertThat(Axis.ofAmounts(0, 0).place(0)).isZero();
    Axis axis = Axis.even(50, 50);
    assertThat(axis.max()).isGreaterThan(axis.min());
    assertThat(axis.place(50)).isBetween(0.0, 1.0);
  }

  @Test
  @DisplayName("sizes are marked one by one, with equal ratios at equal distances")
  void sizes() {
    Axis axis = Axis.ofSizes(List.of(16.0, 64.0, 256.0));
    assertThat(axis.ticks()).containsExactly(16.0, 64.0, 256.0);
    assertThat(axis.place(64)).isCloseTo(0.5, within(1e-9));
    assertThat(Axis.ofSizes(List.of(16.0)).place(16)).isCloseTo(0.5, within(1e-9));
    assertThat(Axis.ofSizes(List.of(0.0, 16.0)).place(8)).isCloseTo(0.5, within(1e-9));
  }
}
