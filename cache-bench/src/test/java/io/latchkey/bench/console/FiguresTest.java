package io.latchkey.bench.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FiguresTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "5; 5 ns",
        "1500; 1.50 us",
        "23400000; 23.4 ms",
        "1900000000; 1.90 s",
        "89000000000; 89.0 s",
        "600000000000; 10 min",
        "7200000000000; 120 min",
      })
  @DisplayName("durations have the unit that suits them")
  void duration(long nanos, String text) {
    assertThat(Figures.duration(nanos)).isEqualTo(text);
  }

  @Test
  @DisplayName("numbers look the same in every locale")
  void locale() {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.GERMANY);
    try {
      assertThat(Figures.count(1_234_567L)).isEqualTo("1,234,567");
      assertThat(Figures.percent(0.875)).isEqualTo("87.5 %");
      assertThat(Figures.ratio(0.081)).isEqualTo("0.08x");
      assertThat(Figures.ratio(45.23)).isEqualTo("45.2x");
      assertThat(Figures.ratio(1310.4)).isEqualTo("1,310x");
      assertThat(Figures.decimal(Double.NaN)).isEqualTo("-");
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  @DisplayName("the median is the middle value, or between the two in the middle")
  void spread() {
    assertThat(Spread.of(List.of(3.0, 1.0, 2.0))).isEqualTo(new Spread(2, 1, 3));
    assertThat(Spread.of(List.of(4.0, 1.0, 2.0, 3.0))).isEqualTo(new Spread(2.5, 1, 4));
    assertThat(Spread.of(List.of(7.0))).isEqualTo(new Spread(7, 7, 7));
    assertThatThrownBy(() -> Spread.of(List.of())).isInstanceOf(IllegalArgumentException.class);
  }
}
