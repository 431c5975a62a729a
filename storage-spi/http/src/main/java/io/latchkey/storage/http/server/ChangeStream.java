package io.latchkey.storage.http.server;

import io.latchkey.storage.http.FeedPosition;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One client's reading of the feed. It takes events from the ring as fast as the client takes them
 * from it, so that a slow client costs no more than what its socket holds; one that falls behind
 * the ring is told so. On the connection's event loop.
 */
final class ChangeStream implements Answer {
  private static final String FIELDS =
      "content-type: text/event-stream\r\ncache-control: no-store\r\n";

  private static final ByteBuf CHUNKED =
      Worker.constant(FIELDS + "transfer-encoding: chunked\r\n\r\n");

  /** For HTTP/1.0: the end of the connection is the end of the stream. */
  private static final ByteBuf PLAIN = Worker.constant(FIELDS + "\r\n");

  private static final ByteBuf END = Worker.constant("0\r\n\r\n");
  private static final FeedEvent RETRY = FeedEvent.retry(1000);
  private static final FeedEvent COMMENT = FeedEvent.comment();

  /** How many events are taken from the ring at once. */
  private static final int BATCH = 64;

  private final ChangeRing ring;
  private final @Nullable FeedPosition after;
  private final boolean chunked;
  private final long heartbeat;
  private final ServerCounters counters;
  private @Nullable ChannelHandlerContext context;
  private long next;
  private long lastWrite;
  private boolean open;

  /**
   * A reading that is about to begin.
   *
   * @param after the last event that the client knows, or null
   * @param chunked whether the client understands chunks
   * @param heartbeat after how many nanoseconds without an event a comment is sent
   */
  ChangeStream(
      ChangeRing ring,
      @Nullable FeedPosition after,
      boolean chunked,
      long heartbeat,
      ServerCounters counters) {
    this.ring = ring;
    this.after = after;
    this.chunked = chunked;
    this.heartbeat = heartbeat;
    this.counters = counters;
  }

  @Override
  public int status() {
    return 200;
  }

  @Override
  public void write(ChannelHandlerContext ctx, boolean headOnly) {
    ctx.write((chunked ? CHUNKED : PLAIN).duplicate(), ctx.voidPromise());
    if (headOnly) {
      return;
    }
    context = ctx;
    open = true;
    counters.streams.incrementAndGet();
    write(RETRY);
    begin(ring.start(after));
    wake();
  }

  private void begin(ChangeRing.Start start) {
    start.events().forEach(this::write);
    next = start.next();
  }

  private void write(FeedEvent event) {
    ChannelHandlerContext ctx = context;
    if (ctx != null) {
      ctx.write(event.bytes(chunked), ctx.voidPromise());
    }
  }

  /** Sends what is there and the client takes. */
  void wake() {
    ChannelHandlerContext ctx = context;
    if (ctx == null || !open) {
      return;
    }
    List<FeedEvent> events = new ArrayList<>();
    while (ctx.channel().isWritable()) {
      events.clear();
      if (!ring.read(next, BATCH, events)) {
        begin(ring.startAfterFall());
      } else if (events.isEmpty()) {
        break;
      } else {
        events.forEach(this::write);
        next += events.size();
      }
    }
    lastWrite = System.nanoTime();
    ctx.flush();
  }

  /** Shows the client now and then that the connection is alive. */
  void sweep(long now) {
    ChannelHandlerContext ctx = context;
    if (ctx != null && open && now - lastWrite > heartbeat && !hasPending(ctx)) {
      lastWrite = now;
      write(COMMENT);
      ctx.flush();
    }
  }

  private static boolean hasPending(ChannelHandlerContext ctx) {
    ChannelOutboundBuffer out = ctx.channel().unsafe().outboundBuffer();
    return out == null || out.totalPendingWriteBytes() > 0;
  }

  /** Ends the stream properly; the connection is closed by the caller. */
  void end() {
    ChannelHandlerContext ctx = context;
    if (ctx != null && open) {
      closed();
      if (chunked) {
        ctx.write(END.duplicate(), ctx.voidPromise());
      }
    }
  }

  /** The connection is gone. */
  void closed() {
    if (open) {
      open = false;
      counters.streams.decrementAndGet();
    }
  }
}
