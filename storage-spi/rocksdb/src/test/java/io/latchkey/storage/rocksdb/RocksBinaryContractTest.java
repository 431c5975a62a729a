package io.latchkey.storage.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.storage.Codec;
import io.latchkey.storage.RevisionStorage;
import io.latchkey.storage.testkit.RevisionContract;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;

/** Binary keys and objects, and every page read from the file. */
class RocksBinaryContractTest extends RevisionContract<ByteBuffer, byte[]> {
  private static final Codec<ByteBuffer> BINARY = Codec.of(ByteBuffer::array, ByteBuffer::wrap);

  @TempDir private Path directory;
  private int opened;

  @Override
  protected RevisionStorage<ByteBuffer, byte[]> open() throws Exception {
    return RocksStorage.open(
        directory.resolve("binary" + opened++),
        BINARY,
        Codec.bytes(),
        RocksOptions.defaults().withCacheMegabytes(1));
  }

  @Override
  protected ByteBuffer key(int number) {
    return ByteBuffer.allocate(3).put(0, (byte) number).putShort(1, (short) (number >> 8));
  }

  @Override
  protected byte[] value(int number) {
    return new byte[] {(byte) number, (byte) (number >> 8), 0, -1};
  }

  @Override
  protected List<ByteBuffer> oddKeys() {
    return List.of(
        ByteBuffer.allocate(0),
        ByteBuffer.wrap(new byte[] {0}),
        ByteBuffer.wrap(new byte[] {-1}),
        ByteBuffer.wrap(new byte[] {-1, -1}),
        ByteBuffer.wrap(new byte[] {127}),
        ByteBuffer.allocate(20_000));
  }

  @Override
  protected List<byte[]> oddValues() {
    return List.of(new byte[0], new byte[] {0}, new byte[1 << 20]);
  }

  @Override
  protected void assertSame(byte @Nullable [] actual, byte[] expected) {
    assertThat(actual).isEqualTo(expected);
  }

  @Override
  protected boolean tellsOnTheWritingThread() {
    return true;
  }
}
