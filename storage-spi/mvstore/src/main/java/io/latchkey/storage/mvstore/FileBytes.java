package io.latchkey.storage.mvstore;

import java.io.IOException;

/**
 * The bytes of one open file. Positions and lengths are in bytes. Reads may run beside each other
 * and beside one write. No call looks at the interrupt flag of its thread.
 */
interface FileBytes extends AutoCloseable {
  /** Fills the whole target from the position on; fails if the file ends before. */
  void read(long position, byte[] target) throws IOException;

  /** Writes from the position on, beyond the end of the file if need be. */
  void write(long position, byte[] source, int offset, int length) throws IOException;

  long size() throws IOException;

  void truncate(long size) throws IOException;

  /** Returns when the disk has what was written. */
  void force() throws IOException;

  @Override
  void close();
}
