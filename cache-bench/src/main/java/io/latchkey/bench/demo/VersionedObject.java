package io.latchkey.bench.demo;

import io.latchkey.storage.Codec;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/**
 * An object of the demonstration: it knows which one it is and how often it was written, so that a
 * reader can tell a wrong or an old one. Immutable.
 */
final class VersionedObject {
  private static final int MARK = 0x4c4b4f31;
  private static final int HEADER = Integer.BYTES + 2 * Long.BYTES;

  private final long id;
  private final long version;
  private final byte[] payload;

  private VersionedObject(long id, long version, byte[] payload) {
    this.id = id;
    this.version = version;
    this.payload = payload;
  }

  static VersionedObject of(long id, long version, int bytes) {
    byte[] payload = new byte[bytes];
    new SplittableRandom(id ^ version << 40).nextBytes(payload);
    return new VersionedObject(id, version, payload);
  }

  long id() {
    return id;
  }

  long version() {
    return version;
  }

  /** A mark, the id, the version, then the payload; refuses bytes without the mark. */
  static Codec<VersionedObject> codec() {
    return Codec.of(VersionedObject::encode, VersionedObject::decode);
  }

  private byte[] encode() {
    return ByteBuffer.allocate(HEADER + payload.length)
        .putInt(MARK)
        .putLong(id)
        .putLong(version)
        .put(payload)
        .array();
  }

  private static VersionedObject decode(byte[] bytes) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    if (bytes.length < HEADER || buffer.getInt() != MARK) {
      throw new IllegalArgumentException("these bytes were not written by the demo");
    }
    long id = buffer.getLong();
    long version = buffer.getLong();
    byte[] payload = new byte[buffer.remaining()];
    buffer.get(payload);
    return new VersionedObject(id, version, payload);
  }
}
