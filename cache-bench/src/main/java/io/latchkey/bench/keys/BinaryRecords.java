package io.latchkey.bench.keys;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;

/** Traces with records of a fixed number of bytes. */
final class BinaryRecords {
  private static final int BLOCK = 4096 * Integer.BYTES;

  private BinaryRecords() {}

  static void readInts(InputStream in, Trace.Builder trace) throws IOException {
    byte[] block = new byte[BLOCK];
    int length;
    do {
      length = in.readNBytes(block, 0, BLOCK);
      ByteBuffer records = ByteBuffer.wrap(block, 0, length);
      while (records.remaining() >= Integer.BYTES) {
        trace.add(records.getInt());
      }
      if (records.hasRemaining()) {
        throw new BadRecordException("only " + records.remaining() + " at the end of the file");
      }
    } while (length == BLOCK);
  }
}
