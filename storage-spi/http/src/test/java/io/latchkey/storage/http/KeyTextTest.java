package io.latchkey.storage.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys as text. */
class KeyTextTest {
  @ParameterizedTest
  @CsvSource({
    "'',''",
    "user-1,user-1",
    "A.b_c~9,A.b_c~9",
    "a/b,a%2Fb",
    "a b,a%20b",
    "a+b,a%2Bb",
    "100%,100%25",
    "é,%C3%A9",
    "..,.."
  })
  @DisplayName("Unreserved characters stand for themselves, all other bytes are escaped")
  void encodes(String key, String text) {
    assertThat(KeyText.encode(key.getBytes(UTF_8))).isEqualTo(text);
    assertThat(new String(KeyText.decode(text), UTF_8)).isEqualTo(key);
  }

  @Test
  @DisplayName("Any bytes survive the way to text and back")
  void roundTrip() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 1_000; i++) {
      byte[] key = new byte[random.nextInt(40)];
      random.nextBytes(key);
      assertThat(KeyText.decode(KeyText.encode(key))).as("seed %s", seed).isEqualTo(key);
    }
  }

  @Test
  @DisplayName("Every escape is taken, in upper and lower case, and a plus is a plus")
  void lenient() {
    assertThat(KeyText.decode("%61%4a%4A+/")).isEqualTo("aJJ+/".getBytes(UTF_8));
    assertThat(KeyText.decode("/objects/%00?q", 9, 12)).isEqualTo(new byte[] {0});
  }

  @ParameterizedTest
  @ValueSource(strings = {"%", "%4", "a%", "%4g", "%+1", "%-1", "%%41", "%\uff11\uff11"})
  @DisplayName("An escape that is none is refused with its place")
  void badEscape(String text) {
    assertThatThrownBy(() -> KeyText.decode(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at index " + text.indexOf('%'))
        .hasMessageContaining("%25");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a b", "a\nb", "a\u007fb", "aéb", "a\u0000b"})
  @DisplayName("A character that has to be escaped is refused with its place")
  void badCharacter(String text) {
    assertThatThrownBy(() -> KeyText.decode(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("index 1");
  }
}
