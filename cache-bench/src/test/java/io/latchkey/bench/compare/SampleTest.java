package io.latchkey.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SampleTest {
  private static Sample sample(double... values) {
    return new Sample(values);
  }

  private static Row row(double before, double after) {
    return Row.of("x", sample(before), sample(after));
  }

  @Test
  @DisplayName("the median of odd and even numbers of values, and of one")
  void median() {
    assertThat(sample(3, 1, 2).median()).isEqualTo(2);
    assertThat(sample(4, 1, 3, 2).median()).isEqualTo(2.5);
    assertThat(sample(7).median()).isEqualTo(7);
  }

  @Test
  @DisplayName("the spread is that of the farthest value, as a share of the median")
  void spread() {
    assertThat(sample(100, 98, 110).spread()).isCloseTo(0.10, within(1e-12));
    assertThat(sample(100, 80, 110).spread()).isCloseTo(0.20, within(1e-12));
    assertThat(sample(5).spread()).isZero();
    assertThat(sample(0, 0).spread()).isZero();
  }

  @Test
  @DisplayName("a sample without values is refused")
  void empty() {
    assertThatThrownBy(SampleTest::sample).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  @DisplayName("what JMH itself allocates counts as nothing")
  void noise() {
    assertThat(sample(0.001, 0.4, 24).withoutNoise()).isEqualTo(sample(0, 0, 24));
  }

  @Test
  @DisplayName("the change of medians; none from 0 to 0, none that can be told from 0 to more")
  void delta() {
    assertThat(row(200, 100).delta()).isEqualTo(-0.5);
    assertThat(row(100, 150).delta()).isEqualTo(0.5);
    assertThat(row(0, 0).delta()).isZero();
    assertThat(row(0, 5).delta()).isNaN();
    assertThat(row(5, 0).delta()).isEqualTo(-1);
  }

  @Test
  @DisplayName("geometric means are over rows without a zero")
  void geometricMeans() {
    Rows rows = new Rows("ns/op", List.of(row(1, 2), row(100, 50), row(0, 5)));
    assertThat(rows.positive()).hasSize(2);
    assertThat(rows.meanBefore()).isCloseTo(10, within(1e-12));
    assertThat(rows.meanAfter()).isCloseTo(10, within(1e-12));
    assertThat(new Rows("B/op", List.of(row(0, 0))).meanBefore()).isNaN();
  }
}
