package io.latchkey.storage.http;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Several keys, or keys and objects in turn, in one body: a sequence of fields, each of them a
 * length of four bytes, big-endian, and as many bytes.
 *
 * <p>Stateless. Both directions copy each field once.
 */
public final class Frames {
  /** The media type of such bodies. */
  public static final String MEDIA_TYPE = "application/x-latchkey-frames";

  /** The bytes before each field. */
  public static final int LENGTH_BYTES = Integer.BYTES;

  private Frames() {}

  /**
   * Writes fields one after the other.
   *
   * @param fields the fields
   * @return the body, empty if there are none
   * @throws NullPointerException if the collection or a field is null
   * @throws IllegalArgumentException if they are more than two gigabytes together
   */
  public static byte[] encode(Collection<byte[]> fields) {
    long size = 0;
    for (byte[] field : fields) {
      size += LENGTH_BYTES + field.length;
    }
    if (size > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException(
          size + " bytes are too many for one body: ask for fewer objects at once");
    }
    ByteBuffer body = ByteBuffer.allocate((int) size);
    for (byte[] field : fields) {
      body.putInt(field.length).put(field);
    }
    return body.array();
  }

  /**
   * Reads the fields of a whole body. No more memory is taken than the body itself has, whatever
   * lengths it claims.
   *
   * @param body the bytes from its position to its limit; the position is then at the limit
   * @return the fields, each in an array of its own
   * @throws NullPointerException if the body is null
   * @throws IllegalArgumentException if a length is negative or more than what is left; the message
   *     says where
   */
  public static List<byte[]> decode(ByteBuffer body) {
    int start = body.position();
    List<byte[]> fields = new ArrayList<>();
    while (body.hasRemaining()) {
      int at = body.position() - start;
      if (body.remaining() < LENGTH_BYTES) {
        throw new IllegalArgumentException(
            "the frame at byte " + at + " is cut off: send four bytes of length, then the field");
      }
      int length = body.getInt();
      if (length < 0 || length > body.remaining()) {
        throw new IllegalArgumentException(
            "the frame at byte "
                + at
                + " claims "
                + Integer.toUnsignedString(length)
                + " bytes, and "
                + body.remaining()
                + " follow: send the length as four bytes, big-endian, and then the whole field");
      }
      byte[] field = new byte[length];
      body.get(field);
      fields.add(field);
    }
    return fields;
  }
}
