package io.latchkey.storage;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.function.Function;

/** The codecs that {@link Codec} gives out. */
final class Codecs {
  static final Codec<String> UTF_8 = new Utf8();
  static final Codec<byte[]> BYTES = new Bytes();
  static final Codec<Long> INT_64 = new Int64();

  private Codecs() {}

  /**
   * The conversions of {@code String} are fast but replace what is malformed, so the strict and
   * slow ones have a look at the texts where that can have happened.
   */
  private static final class Utf8 implements Codec<String> {
    private static final char REPLACEMENT = '\uFFFD';

    @Override
    public byte[] encode(String value) {
      Objects.requireNonNull(value, "value");
      byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
      try {
        if (hasSurrogate(value)) {
          StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(value));
        }
      } catch (CharacterCodingException e) {
        throw new IllegalArgumentException(
            "text with a lone surrogate has no UTF-8 encoding (length " + value.length() + ")", e);
      }
      return bytes;
    }

    private static boolean hasSurrogate(String value) {
      for (int i = 0; i < value.length(); i++) {
        if (Character.isSurrogate(value.charAt(i))) {
          return true;
        }
      }
      return false;
    }

    @Override
    public String decode(byte[] bytes) {
      Objects.requireNonNull(bytes, "bytes");
      String text = new String(bytes, StandardCharsets.UTF_8);
      try {
        if (text.indexOf(REPLACEMENT) >= 0) {
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
        }
      } catch (CharacterCodingException e) {
        throw new IllegalArgumentException(
            bytes.length + " bytes are not UTF-8 text: were they stored with another codec?", e);
      }
      return text;
    }

    @Override
    public String toString() {
      return "utf8";
    }
  }

  private static final class Bytes implements Codec<byte[]> {
    @Override
    public byte[] encode(byte[] value) {
      return Objects.requireNonNull(value, "value").clone();
    }

    @Override
    public byte[] decode(byte[] bytes) {
      return Objects.requireNonNull(bytes, "bytes").clone();
    }

    @Override
    public String toString() {
      return "bytes";
    }
  }

  private static final class Int64 implements Codec<Long> {
    @Override
    public byte[] encode(Long value) {
      Objects.requireNonNull(value, "value");
      return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
    }

    @Override
    public Long decode(byte[] bytes) {
      Objects.requireNonNull(bytes, "bytes");
      if (bytes.length != Long.BYTES) {
        throw new IllegalArgumentException(
            "a 64-bit number has 8 bytes, not "
                + bytes.length
                + ": were they stored with another codec?");
      }
      return ByteBuffer.wrap(bytes).getLong();
    }

    @Override
    public String toString() {
      return "int64";
    }
  }

  /** A codec of two functions of the user. */
  record Pair<T>(Function<T, byte[]> encoder, Function<byte[], T> decoder) implements Codec<T> {
    @Override
    public byte[] encode(T value) {
      Objects.requireNonNull(value, "value");
      return Objects.requireNonNull(encoder.apply(value), "the encoder returned null");
    }

    @Override
    public T decode(byte[] bytes) {
      Objects.requireNonNull(bytes, "bytes");
      return Objects.requireNonNull(decoder.apply(bytes), "the decoder returned null");
    }
  }
}
