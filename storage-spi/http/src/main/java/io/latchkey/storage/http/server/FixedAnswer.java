package io.latchkey.storage.http.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import java.nio.ByteBuffer;

/** An answer with a text or bytes for a body, made once or for one request. */
final class FixedAnswer implements Answer {
  private static final String NONE = "";

  private final int status;
  private final ByteBuf response;
  private final int bodyStart;

  private FixedAnswer(int status, String fields, byte[] body, boolean direct) {
    byte[] head = (fields + "\r\n").getBytes(ISO_8859_1);
    this.status = status;
    this.bodyStart = head.length;
    ByteBuffer bytes =
        direct
            ? ByteBuffer.allocateDirect(head.length + body.length)
            : ByteBuffer.allocate(head.length + body.length);
    bytes.put(head).put(body).flip();
    this.response = Unpooled.unreleasableBuffer(Unpooled.wrappedBuffer(bytes));
  }

  /** An answer that is kept and given many times. */
  static FixedAnswer constant(int status, String fields, String line) {
    byte[] body = line(line);
    return new FixedAnswer(status, fields + entity("text/plain; charset=utf-8", body), body, true);
  }

  /** A line of text, with more header fields, each ended by CRLF. */
  static FixedAnswer text(int status, String fields, String line) {
    byte[] body = line(line);
    return new FixedAnswer(status, fields + entity("text/plain; charset=utf-8", body), body, false);
  }

  /** A line of text. */
  static FixedAnswer text(int status, String line) {
    return text(status, NONE, line);
  }

  /** Bytes of a media type. */
  static FixedAnswer bytes(int status, String mediaType, byte[] body) {
    return new FixedAnswer(status, entity(mediaType, body), body, false);
  }

  /** An answer that has no body by its status, 204 or 304. */
  static FixedAnswer bodiless(int status, String fields) {
    return new FixedAnswer(status, fields, new byte[0], false);
  }

  private static byte[] line(String line) {
    StringBuilder text = new StringBuilder(line.length() + 1);
    line.chars().forEach(c -> text.append((char) (c == '\n' || c == '\r' ? ' ' : c)));
    return text.append('\n').toString().getBytes(UTF_8);
  }

  private static String entity(String mediaType, byte[] body) {
    return "content-type: " + mediaType + "\r\ncontent-length: " + body.length + "\r\n";
  }

  @Override
  public int status() {
    return status;
  }

  @Override
  public void write(ChannelHandlerContext ctx, boolean headOnly) {
    ctx.write(headOnly ? response.slice(0, bodyStart) : response.duplicate(), ctx.voidPromise());
  }

  @Override
  public String toString() {
    return status + " " + response.toString(bodyStart, response.capacity() - bodyStart, UTF_8);
  }
}
