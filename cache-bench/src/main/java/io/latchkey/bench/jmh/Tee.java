package io.latchkey.bench.jmh;

import java.io.IOException;
import java.io.OutputStream;

/** Writes to two streams; closes neither. */
final class Tee extends OutputStream {
  private final OutputStream first;
  private final OutputStream second;

  Tee(OutputStream first, OutputStream second) {
    this.first = first;
    this.second = second;
  }

  @Override
  public void write(int b) throws IOException {
    first.write(b);
    second.write(b);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    first.write(bytes, offset, length);
    second.write(bytes, offset, length);
  }

  @Override
  public void flush() throws IOException {
    first.flush();
    second.flush();
  }
}
