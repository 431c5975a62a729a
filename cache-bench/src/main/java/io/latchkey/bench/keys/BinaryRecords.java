package io.latchkey.bench.keys;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/** Traces with records of a fixed number of bytes. */
final class BinaryRecords {
  private static final int BLOCK = 1 << 15;

  private BinaryRecords() {}

  static void readInts(InputStream in, Trace.Builder trace) throws IOException {
    read(in, Integer.BYTES, bytes -> trace.add((long) bytes.getInt()));
  }

  static void readLongs(InputStream in, Trace.Builder trace) throws IOException {
    read(in, Long.BYTES, bytes -> trace.add(bytes.getLong()));
  }

  private static void read(InputStream in, int size, Consumer<ByteBuffer> record)
      throws IOException {
    byte[] block = new byte[BLOCK];
    int length;
    do {
      length = in.readNBytes(block, 0, BLOCK);
      ByteBuffer records = ByteBuffer.wrap(block, 0, length);
      while (records.remaining() >= size) {
        record.accept(records);
      }
      if (records.hasRemaining()) {
        throw new BadRecordException("only " + records.remaining() + " at the end of the file");
      }
    } while (length == BLOCK);
  }
}
