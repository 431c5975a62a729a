package io.latchkey.storage.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Positions of the feed as text. */
class FeedPositionTest {
  @Test
  @DisplayName("A position survives the way to text and back")
  void roundTrip() {
    FeedPosition position = new FeedPosition(Long.MAX_VALUE, 17);
    assertThat(position).hasToString("9223372036854775807-17");
    assertThat(FeedPosition.parse(position.toString())).isEqualTo(position);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "-", "1", "1-", "-1", "1--2", "1-+2", "+1-2", "a-b", "9223372036854775808-1"})
  @DisplayName("What is no position is refused with the form")
  void malformed(String text) {
    assertThatThrownBy(() -> FeedPosition.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + text + "'")
        .hasMessageContaining("EPOCH-SEQUENCE");
  }
}
