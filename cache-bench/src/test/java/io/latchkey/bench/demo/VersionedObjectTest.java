package io.latchkey.bench.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.storage.Codec;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VersionedObjectTest {
  private final Codec<VersionedObject> codec = VersionedObject.codec();

  @Test
  @DisplayName("decodes to what was encoded, byte for byte")
  void roundTrip() {
    byte[] bytes = codec.encode(VersionedObject.of(7, 9, 100));
    VersionedObject decoded = codec.decode(bytes);
    assertThat(decoded.id()).isEqualTo(7);
    assertThat(decoded.version()).isEqualTo(9);
    assertThat(codec.encode(decoded)).isEqualTo(bytes).hasSizeGreaterThan(100);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 3, 19, 20, 50})
  @DisplayName("refuses bytes of others")
  void refuses(int length) {
    assertThatThrownBy(() -> codec.decode(new byte[length]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not written by the demo");
  }
}
