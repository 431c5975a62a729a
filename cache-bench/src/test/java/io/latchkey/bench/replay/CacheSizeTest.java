package io.latchkey.bench.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.bench.console.BadInputException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CacheSizeTest {
  @ParameterizedTest
  @CsvSource({"7, 7", "1%, 8", "5%, 38", "2.5%, 19", "100%, 751", "0.001%, 1", "5000, 5000"})
  @DisplayName("shares of 751 objects are rounded, and at least one")
  void ofObjects(String size, int expected) {
    assertThat(CacheSize.of(size).of(751)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-1", "0%", "-5%", "101%", "NaN%", "many", "%", "", "9999999999"})
  @DisplayName("what is no size is refused by name")
  void refused(String size) {
    assertThatThrownBy(() -> CacheSize.of(size))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining("--size must be a number of objects from 1")
        .hasMessageContaining("not '" + size + "'");
  }
}
