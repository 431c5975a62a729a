package io.latchkey.storage.mvstore;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.h2.mvstore.DataUtils;
import org.h2.mvstore.WriteBuffer;
import org.h2.mvstore.type.BasicDataType;

/**
 * Byte arrays in unsigned lexicographic order, with a checksum over all those of a page, because
 * MVStore itself checks only where a page lies, not what is in it: lengths and bytes, then CRC-32C.
 */
final class CheckedBytes extends BasicDataType<byte[]> {
  static final CheckedBytes INSTANCE = new CheckedBytes();

  /** What an array costs besides its elements, in bytes, for MVStore's estimates. */
  private static final int ARRAY_OVERHEAD = 24;

  private CheckedBytes() {}

  @Override
  public int getMemory(byte[] array) {
    return ARRAY_OVERHEAD + array.length;
  }

  @Override
  public int compare(byte[] one, byte[] two) {
    return Arrays.compareUnsigned(one, two);
  }

  @Override
  public byte[][] createStorage(int size) {
    return new byte[size][];
  }

  @Override
  public void write(WriteBuffer buffer, byte[] array) {
    write(buffer, new byte[][] {array}, 1);
  }

  @Override
  public void write(WriteBuffer buffer, Object storage, int count) {
    byte[][] arrays = cast(storage);
    int start = buffer.position();
    for (int i = 0; i < count; i++) {
      buffer.putVarInt(arrays[i].length);
      buffer.put(arrays[i]);
    }
    buffer.putInt(checksum(buffer.getBuffer(), start, buffer.position()));
  }

  @Override
  public byte[] read(ByteBuffer buffer) {
    byte[][] one = new byte[1][];
    read(buffer, one, 1);
    return one[0];
  }

  @Override
  public void read(ByteBuffer buffer, Object storage, int count) {
    byte[][] arrays = cast(storage);
    int start = buffer.position();
    for (int i = 0; i < count; i++) {
      int length = DataUtils.readVarInt(buffer);
      if (length < 0 || length > buffer.remaining()) {
        throw damaged();
      }
      byte[] array = new byte[length];
      buffer.get(array);
      arrays[i] = array;
    }
    int checksum = checksum(buffer, start, buffer.position());
    if (buffer.remaining() < Integer.BYTES || buffer.getInt() != checksum) {
      throw damaged();
    }
  }

  private static int checksum(ByteBuffer buffer, int from, int to) {
    CRC32C checksum = new CRC32C();
    ByteBuffer part = buffer.duplicate();
    part.clear().position(from).limit(to);
    checksum.update(part);
    return (int) checksum.getValue();
  }

  private static RuntimeException damaged() {
    return DataUtils.newMVStoreException(
        DataUtils.ERROR_FILE_CORRUPT, "the checksum of a page does not match its contents");
  }
}
