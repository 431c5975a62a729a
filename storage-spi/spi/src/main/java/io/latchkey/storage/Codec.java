package io.latchkey.storage;

import java.util.Objects;
import java.util.function.Function;

/**
 * Turns values to bytes and back. {@code decode(encode(x))} equals {@code x}; for keys, equal keys
 * give equal bytes and different keys different bytes, and the order of the bytes (unsigned,
 * lexicographic) is the order in which a sorted storage keeps them. Values are never
 * Java-serialized.
 *
 * <p>Codecs are thread-safe: one codec is used by all threads of a storage. Arrays are handed over,
 * not shared: an encoder returns an array that it does not touch again, and a decoder may keep the
 * array that it is given. The codecs given here cost one pass over the bytes.
 *
 * @param <T> the type of the values
 */
public interface Codec<T> {
  /**
   * Turns a value to bytes.
   *
   * @param value the value
   * @return its bytes, in an array of their own; not null, possibly empty
   * @throws NullPointerException if the value is null
   * @throws IllegalArgumentException if the value has no encoding
   */
  byte[] encode(T value);

  /**
   * Turns bytes to a value.
   *
   * @param bytes what {@link #encode} returned; may be kept
   * @return the value, not null
   * @throws NullPointerException if the bytes are null
   * @throws IllegalArgumentException if the bytes are no encoding of a value; the message says why
   */
  T decode(byte[] bytes);

  /**
   * Text as UTF-8, strictly: malformed bytes and lone surrogates are refused with an {@link
   * IllegalArgumentException} instead of being replaced by question marks.
   *
   * @return the codec
   */
  static Codec<String> utf8() {
    return Codecs.UTF_8;
  }

  /**
   * Bytes as they are; both directions copy, so that a caller who changes an array changes nothing
   * stored. Arrays have no {@code equals} by content, which makes them fit for objects, not for
   * keys of a cache.
   *
   * @return the codec
   */
  static Codec<byte[]> bytes() {
    return Codecs.BYTES;
  }

  /**
   * A long as eight bytes, big-endian; other lengths are refused. Sorted by bytes, negative numbers
   * come after the others.
   *
   * @return the codec
   */
  static Codec<Long> int64() {
    return Codecs.INT_64;
  }

  /**
   * A codec of a pair of functions. They are called with what the codec is called with, null
   * excepted, and what they throw is thrown on.
   *
   * @param encode turns a value to bytes
   * @param decode turns bytes to a value
   * @param <T> the type of the values
   * @return the codec; its methods throw a NullPointerException that says so if a function returns
   *     null
   * @throws NullPointerException if a function is null
   */
  static <T> Codec<T> of(Function<T, byte[]> encode, Function<byte[], T> decode) {
    Objects.requireNonNull(encode, "encode");
    Objects.requireNonNull(decode, "decode");
    return new Codecs.Pair<>(encode, decode);
  }
}
