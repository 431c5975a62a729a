package io.latchkey.storage.http.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.latchkey.storage.http.FeedPosition;
import io.latchkey.storage.http.KeyText;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.Collection;

/** An event of the feed as it is sent, made once for all clients. */
final class FeedEvent {
  private static final byte[] CRLF = {'\r', '\n'};

  /** The keys that it names; 1 if it names none. What it counts for in the ring. */
  final int weight;

  private final ByteBuf chunk;
  private final int start;
  private final int length;

  private FeedEvent(int weight, String text) {
    byte[] payload = text.getBytes(UTF_8);
    byte[] size = (Integer.toHexString(payload.length) + "\r\n").getBytes(UTF_8);
    ByteBuffer bytes = ByteBuffer.allocateDirect(size.length + payload.length + CRLF.length);
    bytes.put(size).put(payload).put(CRLF).flip();
    this.weight = weight;
    this.chunk = Unpooled.unreleasableBuffer(Unpooled.wrappedBuffer(bytes));
    this.start = size.length;
    this.length = payload.length;
  }

  static FeedEvent changed(FeedPosition position, Collection<ObjectKey> keys) {
    StringBuilder text = begin("changed", position);
    for (ObjectKey key : keys) {
      text.append("data: ").append(KeyText.encode(key.bytes())).append('\n');
    }
    return new FeedEvent(Math.max(1, keys.size()), text.append('\n').toString());
  }

  static FeedEvent all(FeedPosition position) {
    return new FeedEvent(1, begin("all", position) + "data: " + position + "\n\n");
  }

  static FeedEvent whole(FeedPosition position) {
    return new FeedEvent(1, begin("whole", position) + "data: " + position + "\n\n");
  }

  static FeedEvent lost(String reason) {
    String line = reason.replaceAll("\\s+", " ");
    return new FeedEvent(1, "event: lost\ndata: " + line + "\n\n");
  }

  /** How soon a client should come back. */
  static FeedEvent retry(int millis) {
    return new FeedEvent(1, "retry: " + millis + "\n\n");
  }

  /** Something for a client to see that the connection is alive. */
  static FeedEvent comment() {
    return new FeedEvent(1, ":\n\n");
  }

  private static StringBuilder begin(String kind, FeedPosition position) {
    return new StringBuilder()
        .append("event: ")
        .append(kind)
        .append("\nid: ")
        .append(position)
        .append('\n');
  }

  /** The event as a view with indexes of its own, with or without the frame of a chunk. */
  ByteBuf bytes(boolean chunked) {
    return chunked ? chunk.duplicate() : chunk.slice(start, length);
  }
}
