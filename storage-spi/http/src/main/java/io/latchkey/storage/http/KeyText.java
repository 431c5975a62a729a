package io.latchkey.storage.http;

import java.util.Arrays;

/**
 * The bytes of a key as text for paths and lines: letters, digits and {@code - . _ ~} stand for
 * themselves, every other byte is written as {@code %XX}. Decoding takes {@code %XX} in upper and
 * lower case for any byte, and a character that need not have been escaped as it stands; {@code +}
 * is a plus.
 *
 * <p>Stateless. Both directions cost one pass over the key.
 */
public final class KeyText {
  private static final char[] HEX = "0123456789ABCDEF".toCharArray();

  private KeyText() {}

  /**
   * Writes a key.
   *
   * @param key the bytes of the key
   * @return the text, empty for the empty key
   * @throws NullPointerException if the key is null
   */
  public static String encode(byte[] key) {
    StringBuilder text = new StringBuilder(key.length + 8);
    for (byte b : key) {
      char c = (char) (b & 0xff);
      if (isPlain(c)) {
        text.append(c);
      } else {
        text.append('%').append(HEX[c >> 4]).append(HEX[c & 15]);
      }
    }
    return text.toString();
  }

  /**
   * Reads a key.
   *
   * @param text where the key stands
   * @param start the index of its first character
   * @param end the index after its last character
   * @return the bytes of the key
   * @throws NullPointerException if the text is null
   * @throws IndexOutOfBoundsException if the indexes are not within the text
   * @throws IllegalArgumentException if a {@code %} is not followed by two hexadecimal digits, or
   *     there is a character that has to be escaped: a control character, a space, or one that is
   *     not ASCII; the message says where, and names the mend
   */
  public static byte[] decode(CharSequence text, int start, int end) {
    byte[] key = new byte[end - start];
    int length = 0;
    for (int i = start; i < end; i++) {
      char c = text.charAt(i);
      if (c == '%') {
        int high = i + 2 < end ? hex(text.charAt(i + 1)) : -1;
        int low = i + 2 < end ? hex(text.charAt(i + 2)) : -1;
        if (high < 0 || low < 0) {
          throw new IllegalArgumentException(
              "the % at index "
                  + (i - start)
                  + " of the key is not followed by two hexadecimal digits: write % itself as %25");
        }
        key[length++] = (byte) (high << 4 | low);
        i += 2;
      } else if (c > ' ' && c < 0x7f) {
        key[length++] = (byte) c;
      } else {
        throw new IllegalArgumentException(
            "the character at index "
                + (i - start)
                + " of the key has to be escaped: write %XX for each of its bytes");
      }
    }
    return length == key.length ? key : Arrays.copyOf(key, length);
  }

  /**
   * Reads a key that is the whole of a text.
   *
   * @param text the key
   * @return the bytes of the key
   * @throws NullPointerException if the text is null
   * @throws IllegalArgumentException as {@link #decode(CharSequence, int, int)}
   */
  public static byte[] decode(CharSequence text) {
    return decode(text, 0, text.length());
  }

  private static boolean isPlain(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '-'
        || c == '.'
        || c == '_'
        || c == '~';
  }

  private static int hex(char c) {
    return c < 128 ? Character.digit(c, 16) : -1;
  }
}
