package io.latchkey.storage.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.Storages;
import io.latchkey.storage.testkit.StorageContract;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The contract over bytes on PostgreSQL. */
class PostgresBinaryContractTest extends StorageContract<String, byte[]> {
  private static final Codec<String> LATIN =
      Codec.of(
          text -> text.getBytes(StandardCharsets.ISO_8859_1),
          bytes -> new String(bytes, StandardCharsets.ISO_8859_1));

  @Override
  protected Storage<String, byte[]> open() throws Exception {
    return Storages.open(
        PostgresServer.shared().url() + "&create=true&table=" + PostgresServer.freshName(),
        LATIN,
        Codec.bytes());
  }

  @Override
  protected String key(int number) {
    return "\0" + number;
  }

  @Override
  protected byte[] value(int number) {
    return new byte[] {0, (byte) number, (byte) (number >> 8), -1};
  }

  @Override
  protected List<String> oddKeys() {
    return List.of("", "\0", "\0\0", "\u00FF", "\u00FF\u00FF", "k".repeat(2_000));
  }

  @Override
  protected List<byte[]> oddValues() {
    return List.of(new byte[0], new byte[] {0}, new byte[1 << 20]);
  }

  @Override
  protected void assertSame(byte @Nullable [] actual, byte[] expected) {
    assertThat(actual).isEqualTo(expected);
  }
}
