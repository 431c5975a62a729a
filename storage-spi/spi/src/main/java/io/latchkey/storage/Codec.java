package io.latchkey.storage;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;

/** Turns values to bytes and back. */
public interface Codec<T> {
  byte[] encode(T value);

  T decode(byte[] bytes);

  /** Text as UTF-8. */
  static Codec<String> utf8() {
    return of(
        text -> text.getBytes(StandardCharsets.UTF_8),
        bytes -> new String(bytes, StandardCharsets.UTF_8));
  }

  /** Bytes as they are. */
  static Codec<byte[]> bytes() {
    return of(byte[]::clone, byte[]::clone);
  }

  /** A long as eight bytes, big-endian. */
  static Codec<Long> int64() {
    return of(
        value -> ByteBuffer.allocate(Long.BYTES).putLong(value).array(),
        bytes -> ByteBuffer.wrap(bytes).getLong());
  }

  /** A codec of a pair of functions. */
  static <T> Codec<T> of(Function<T, byte[]> encode, Function<byte[], T> decode) {
    return new Codec<>() {
      @Override
      public byte[] encode(T value) {
        return encode.apply(value);
      }

      @Override
      public T decode(byte[] bytes) {
        return decode.apply(bytes);
      }
    };
  }
}
