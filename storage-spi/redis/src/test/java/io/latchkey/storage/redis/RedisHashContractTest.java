package io.latchkey.storage.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.testkit.StorageContract;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One hash for all objects, of binary keys. Its feed tells "all", and has tests of its own. */
class RedisHashContractTest extends StorageContract<ByteBuffer, byte[]> {
  private static final Codec<ByteBuffer> BINARY = Codec.of(ByteBuffer::array, ByteBuffer::wrap);

  private String hash = "";

  private Storage<ByteBuffer, byte[]> openLast() throws Exception {
    return RedisStorage.open(
        SharedServer.get().url(),
        BINARY,
        Codec.bytes(),
        RedisOptions.defaults().withHash(hash).withFeed(RedisOptions.Feed.NONE));
  }

  @Override
  protected Storage<ByteBuffer, byte[]> open() throws Exception {
    hash = SharedServer.freshName();
    return openLast();
  }

  @Override
  protected @Nullable Storage<ByteBuffer, byte[]> reopen() throws Exception {
    return openLast();
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
        ByteBuffer.wrap(new byte[] {13, 10}),
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
}
