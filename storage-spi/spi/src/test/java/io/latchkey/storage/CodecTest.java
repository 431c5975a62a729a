package io.latchkey.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CodecTest {
  @ParameterizedTest
  @ValueSource(strings = {"", "a", "\0", "grün", "\uD83D\uDD11", "\uFFFD", "line\nline"})
  void textComesBack(String text) {
    assertThat(Codec.utf8().decode(Codec.utf8().encode(text))).isEqualTo(text);
  }

  @Test
  void textIsEncodedWithoutPadding() {
    assertThat(Codec.utf8().encode("ä")).containsExactly(0xc3, 0xa4);
    assertThat(Codec.utf8().encode("a".repeat(1000))).hasSize(1000);
  }

  @Test
  void malformedTextIsRefusedInsteadOfReplaced() {
    assertThatThrownBy(() -> Codec.utf8().decode(new byte[] {'a', (byte) 0xff}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("2 bytes are not UTF-8");
    assertThatThrownBy(() -> Codec.utf8().encode("a\uD83D"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("lone surrogate");
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, -1, Long.MIN_VALUE, Long.MAX_VALUE})
  void numbersComeBack(long number) {
    assertThat(Codec.int64().encode(number)).hasSize(8);
    assertThat(Codec.int64().decode(Codec.int64().encode(number))).isEqualTo(number);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 7, 9})
  void numbersOfAnotherLengthAreRefused(int length) {
    assertThatThrownBy(() -> Codec.int64().decode(new byte[length]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("8 bytes, not " + length);
  }

  @Test
  void bytesAreCopiedBothWays() {
    byte[] given = {1, 2};
    byte[] encoded = Codec.bytes().encode(given);
    byte[] decoded = Codec.bytes().decode(encoded);
    given[0] = 9;
    encoded[1] = 9;
    assertThat(encoded).containsExactly(1, 9);
    assertThat(decoded).containsExactly(1, 2);
  }

  @Test
  void aPairOfFunctionsIsACodec() {
    Codec<Short> codec =
        Codec.of(
            value -> ByteBuffer.allocate(2).putShort(value).array(),
            bytes -> ByteBuffer.wrap(bytes).getShort());
    assertThat(codec.decode(codec.encode((short) -5))).isEqualTo((short) -5);
  }

  @Test
  void nullsAreNamed() {
    for (Codec<?> codec : new Codec<?>[] {Codec.utf8(), Codec.bytes(), Codec.int64()}) {
      assertThatNullPointerException().isThrownBy(() -> codec.encode(null)).withMessage("value");
      assertThatNullPointerException().isThrownBy(() -> codec.decode(null)).withMessage("bytes");
    }
    Codec<String> odd = Codec.of(value -> null, bytes -> null);
    assertThatNullPointerException().isThrownBy(() -> odd.encode(null)).withMessage("value");
    assertThatNullPointerException()
        .isThrownBy(() -> odd.encode("a"))
        .withMessage("the encoder returned null");
    assertThatNullPointerException()
        .isThrownBy(() -> odd.decode(new byte[0]))
        .withMessage("the decoder returned null");
    assertThatNullPointerException()
        .isThrownBy(() -> Codec.of(null, bytes -> ""))
        .withMessage("encode");
    assertThatNullPointerException()
        .isThrownBy(() -> Codec.of(value -> new byte[0], null))
        .withMessage("decode");
  }
}
