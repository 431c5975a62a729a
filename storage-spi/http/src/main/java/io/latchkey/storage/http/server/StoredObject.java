package io.latchkey.storage.http.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A cached object as the answer that carries it: header fields and body in one direct buffer, which
 * goes to the socket as it is.
 *
 * <p>It is made of the object's bytes, and sealed with its entity tag by the thread that loads or
 * stores it, before anybody else can see it; the cache publishes it. From then on it is immutable.
 * The buffer is never released by hand: an object that was evicted may still be on its way to slow
 * clients, so the garbage collector frees it.
 */
final class StoredObject implements Answer {
  /** What an object takes besides its bytes: header fields, buffer objects, entry of the cache. */
  static final int OVERHEAD = 320;

  private byte @Nullable [] unsealed;
  private ByteBuf response = Unpooled.EMPTY_BUFFER;
  private int bodyStart;
  private String etag = "";

  /** The array is kept until the seal, and must not change. */
  StoredObject(byte[] body) {
    this.unsealed = body;
  }

  /** The bytes that are to be stored; before the seal only. */
  byte[] unsealed() {
    byte[] body = unsealed;
    if (body == null) {
      throw new IllegalStateException("the object is sealed");
    }
    return body;
  }

  /** Seals with a tag of the content: {@code "h} and the SHA-256 of the bytes in hexadecimal. */
  StoredObject sealByContent() {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(unsealed());
      return seal("\"h" + HexFormat.of().formatHex(digest, 0, 16) + "\"");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }

  /** Seals with the number of the commit that wrote the object. */
  StoredObject sealBySerial(long serial) {
    return seal("\"" + serial + "\"");
  }

  private StoredObject seal(String tag) {
    byte[] body = unsealed();
    byte[] head =
        ("content-type: application/octet-stream\r\ncontent-length: "
                + body.length
                + "\r\netag: "
                + tag
                + "\r\n\r\n")
            .getBytes(ISO_8859_1);
    ByteBuffer direct = ByteBuffer.allocateDirect(Math.addExact(head.length, body.length));
    direct.put(head).put(body).flip();
    response = Unpooled.unreleasableBuffer(Unpooled.wrappedBuffer(direct));
    bodyStart = head.length;
    etag = tag;
    unsealed = null;
    return this;
  }

  /** The entity tag with its quotes. */
  String etag() {
    return etag;
  }

  /** The bytes of the object, as a view with indexes of its own. */
  ByteBuf body() {
    return response.slice(bodyStart, bodyLength());
  }

  int bodyLength() {
    byte[] body = unsealed;
    return body != null ? body.length : response.capacity() - bodyStart;
  }

  /** What the object counts for in the bound of the cache, in bytes. */
  int weight() {
    return (int) Math.min(Integer.MAX_VALUE, (long) OVERHEAD + bodyLength());
  }

  @Override
  public int status() {
    return 200;
  }

  @Override
  public void write(ChannelHandlerContext ctx, boolean headOnly) {
    // A view for each response: writing moves its reader index.
    ctx.write(headOnly ? response.slice(0, bodyStart) : response.duplicate(), ctx.voidPromise());
  }

  @Override
  public String toString() {
    return "object of " + bodyLength() + " bytes, " + etag;
  }
}
