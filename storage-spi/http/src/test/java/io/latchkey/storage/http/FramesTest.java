package io.latchkey.storage.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Several fields in one body. */
class FramesTest {
  @Test
  @DisplayName("A field is four bytes of length, big-endian, and its bytes")
  void layout() {
    assertThat(Frames.encode(List.of("ab".getBytes(UTF_8), new byte[0])))
        .containsExactly(0, 0, 0, 2, 'a', 'b', 0, 0, 0, 0);
    assertThat(Frames.encode(List.of())).isEmpty();
    assertThat(Frames.decode(ByteBuffer.allocate(0))).isEmpty();
  }

  @Test
  @DisplayName("Any fields survive the way to a body and back, from any part of a buffer")
  void roundTrip() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    List<byte[]> fields = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      byte[] field = new byte[random.nextInt(300)];
      random.nextBytes(field);
      fields.add(field);
    }
    byte[] body = Frames.encode(fields);
    ByteBuffer larger = ByteBuffer.allocateDirect(body.length + 7);
    larger.position(3).put(body).flip().position(3);
    List<byte[]> decoded = Frames.decode(larger);
    assertThat(decoded).as("seed %s", seed).hasSameSizeAs(fields);
    for (int i = 0; i < fields.size(); i++) {
      assertThat(decoded.get(i)).as("seed %s, field %s", seed, i).isEqualTo(fields.get(i));
    }
    assertThat(larger.remaining()).isZero();
  }

  @Test
  @DisplayName("A length without its field, or a part of a length, is refused with its place")
  void cutOff() {
    byte[] huge = {0, 0, 0, 1, 'a', 0x7f, -1, -1, -1};
    assertThatThrownBy(() -> Frames.decode(ByteBuffer.wrap(huge)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at byte 5 claims 2147483647 bytes, and 0 follow");
    byte[] negative = {-1, -1, -1, -1, 'a'};
    assertThatThrownBy(() -> Frames.decode(ByteBuffer.wrap(negative)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at byte 0 claims 4294967295 bytes, and 1 follow");
    byte[] part = {0, 0, 0, 0, 0, 0, 0};
    assertThatThrownBy(() -> Frames.decode(ByteBuffer.wrap(part)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at byte 4 is cut off");
  }
}
