package io.latchkey.storage.http.server;

import io.latchkey.storage.http.KeyText;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The bytes of a key, equal by content. */
final class ObjectKey {
  private final byte[] bytes;
  private final int hash;

  /** The array is kept and must not change. */
  ObjectKey(byte[] bytes) {
    this.bytes = bytes;
    this.hash = Arrays.hashCode(bytes);
  }

  /** The bytes themselves, not to be changed. */
  byte[] bytes() {
    return bytes;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ObjectKey that && hash == that.hash && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public String toString() {
    return KeyText.encode(bytes);
  }
}
