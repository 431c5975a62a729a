package io.latchkey.storage.http.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.latchkey.storage.http.Frames;
import io.latchkey.storage.http.KeyText;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** Several objects as frames; the objects go out of the cache's own buffers. */
final class BulkAnswer implements Answer {
  private final List<ByteBuf> parts = new ArrayList<>();
  private final byte[] head;

  BulkAnswer(Map<ObjectKey, StoredObject> found) {
    long length = 0;
    for (Map.Entry<ObjectKey, StoredObject> entry : found.entrySet()) {
      byte[] key = entry.getKey().bytes();
      StoredObject object = entry.getValue();
      ByteBuf before = Unpooled.buffer(2 * Frames.LENGTH_BYTES + key.length);
      before.writeInt(key.length).writeBytes(key).writeInt(object.bodyLength());
      parts.add(Unpooled.unreleasableBuffer(before));
      parts.add(object.body());
      length += before.readableBytes() + object.bodyLength();
    }
    head =
        ("content-type: " + Frames.MEDIA_TYPE + "\r\ncontent-length: " + length + "\r\n\r\n")
            .getBytes(ISO_8859_1);
  }

  /** The same as a JSON object of base64; what is absent is null. */
  static FixedAnswer json(Collection<ObjectKey> asked, Map<ObjectKey, StoredObject> found) {
    StringBuilder json = new StringBuilder("{");
    for (ObjectKey key : asked) {
      json.append(json.length() == 1 ? "\"" : ",\"").append(KeyText.encode(key.bytes()));
      StoredObject object = found.get(key);
      if (object == null) {
        json.append("\":null");
      } else {
        byte[] body = new byte[object.bodyLength()];
        object.body().readBytes(body);
        json.append("\":\"").append(Base64.getEncoder().encodeToString(body)).append('"');
      }
    }
    return FixedAnswer.bytes(
        200, "application/json", json.append("}\n").toString().getBytes(UTF_8));
  }

  @Override
  public int status() {
    return 200;
  }

  @Override
  public void write(ChannelHandlerContext ctx, boolean headOnly) {
    ctx.write(Unpooled.wrappedBuffer(head), ctx.voidPromise());
    if (!headOnly) {
      parts.forEach(part -> ctx.write(part.duplicate(), ctx.voidPromise()));
    }
  }
}
