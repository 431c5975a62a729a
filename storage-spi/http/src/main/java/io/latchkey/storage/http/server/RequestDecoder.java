package io.latchkey.storage.http.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpRequestDecoder;
import java.util.List;

/**
 * Netty's decoder, which stops when the connection has enough to do, and refuses what others might
 * understand otherwise: a length beside an encoding, and any encoding but plain chunks.
 */
final class RequestDecoder extends HttpRequestDecoder {
  private final Connection connection;
  private boolean inHead;
  private boolean inputClosed;
  private boolean discarding;
  private boolean stopped;

  RequestDecoder(Connection connection, Limits limits) {
    super(
        new HttpDecoderConfig()
            .setMaxInitialLineLength(limits.lineBytes())
            .setMaxHeaderSize(limits.headerBytes())
            .setMaxChunkSize(64 * 1024)
            .setStrictLineParsing(true)
            .setUseRfc9112TransferEncoding(true));
    this.connection = connection;
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf buffer, List<Object> out)
      throws Exception {
    if (discarding) {
      buffer.skipBytes(buffer.readableBytes());
      return;
    }
    // After the end of the input nothing more can come, and what is left would not be kept.
    if (connection.isFull() && !inputClosed) {
      stopped = true;
      return;
    }
    stopped = false;
    super.decode(ctx, buffer, out);
    if (!out.isEmpty()) {
      inHead = false;
    }
  }

  @Override
  protected HttpMessage createMessage(String[] initialLine) throws Exception {
    inHead = true;
    return super.createMessage(initialLine);
  }

  /** Called when all header fields have been read, before it is decided how long the body is. */
  @Override
  protected boolean isContentAlwaysEmpty(HttpMessage message) {
    List<String> encodings = message.headers().getAll(HttpHeaderNames.TRANSFER_ENCODING);
    if (!encodings.isEmpty()) {
      if (message.headers().contains(HttpHeaderNames.CONTENT_LENGTH)) {
        throw new IllegalArgumentException(
            "Content-Length and Transfer-Encoding exclude each other: send one of them");
      }
      if (encodings.size() > 1 || !encodings.get(0).equalsIgnoreCase("chunked")) {
        throw new IllegalArgumentException("Transfer-Encoding can be chunked only: send that");
      }
    }
    return super.isContentAlwaysEmpty(message);
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
    if (event instanceof ChannelInputShutdownEvent) {
      inputClosed = true;
    }
    super.userEventTriggered(ctx, event);
  }

  /** Whether a part of a request has arrived. */
  boolean hasPart() {
    return inHead || actualReadableBytes() > 0;
  }

  /** Whether more input has arrived than was decoded. */
  boolean hasMore() {
    return actualReadableBytes() > 0;
  }

  /** Whether input is left because the connection was full. */
  boolean hasStopped() {
    return stopped;
  }

  /** Throws away what is there and what comes. */
  void discard() {
    discarding = true;
    stopped = false;
  }

  /** Goes on with what was left when the connection was full. */
  void resume(ChannelHandlerContext ctx) throws Exception {
    channelRead(ctx, Unpooled.EMPTY_BUFFER);
  }
}
