package io.latchkey.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The p-values were computed by SciPy, exact ones also by counting all orders. */
class SignificanceTest {
  private static final double CLOSE = 1e-12;

  static Stream<Arguments> samples() {
    return Stream.of(
        Arguments.of("1 2 3 4 5", "6 7 8 9 10", 2.0 / 252),
        Arguments.of("1 2 3 4", "5 6 7 8", 2.0 / 70),
        Arguments.of("1 2 3", "4 5 6", 0.1),
        Arguments.of("19 22 16 29 24", "20 11 17 12", 0.1111111111111111),
        Arguments.of("1.1 2.2 3.3 4.4 5.5 6.6 7.7", "2 3 4 5 6 7 8", 0.7103729603729605),
        Arguments.of("1", "2", 1.0));
  }

  static Stream<Arguments> ties() {
    return Stream.of(
        Arguments.of("1 2 2 3 4", "2 3 5 6 7", 0.11161176829829222),
        Arguments.of("10 10 10 11", "11 12 12 12", 0.032473320326069664),
        Arguments.of("1 1 2", "1 1 2", 1.0));
  }

  private static double[] values(String text) {
    return Arrays.stream(text.split(" ")).mapToDouble(Double::parseDouble).toArray();
  }

  @ParameterizedTest
  @MethodSource("samples")
  @DisplayName("without ties the p-value is exact, and the same both ways round")
  void exact(String x, String y, double expected) {
    assertThat(Significance.pValue(values(x), values(y))).isCloseTo(expected, within(CLOSE));
    assertThat(Significance.pValue(values(y), values(x))).isCloseTo(expected, within(CLOSE));
  }

  @ParameterizedTest
  @MethodSource("ties")
  @DisplayName("with ties it is that of the normal approximation")
  void tied(String x, String y, double expected) {
    assertThat(Significance.pValue(values(x), values(y))).isCloseTo(expected, within(CLOSE));
    assertThat(Significance.pValue(values(y), values(x))).isCloseTo(expected, within(CLOSE));
  }

  @Test
  @DisplayName("identical samples do not differ, whether their values are alike or not")
  void identical() {
    assertThat(Significance.pValue(values("5 5 5"), values("5 5 5"))).isEqualTo(1);
    assertThat(Significance.pValue(values("5"), values("5"))).isEqualTo(1);
    assertThat(Significance.pValue(values("1 2 3 4"), values("1 2 3 4"))).isEqualTo(1);
  }
}
