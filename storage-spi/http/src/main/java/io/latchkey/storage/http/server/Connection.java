package io.latchkey.storage.http.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * One client's connection: takes its requests in, and sends the responses in the order of the
 * requests. All of it runs on the connection's event loop; {@link #complete} gets there from any
 * thread.
 *
 * <p><b>Order.</b> A request that can be answered at once, with no other before it, is answered at
 * once. Otherwise it goes to the end of the queue, with its answer or without; what is at the head
 * of the queue and has its answer is sent. While responses are written in the course of a read they
 * are flushed together at the end of the read, else at the end of the tasks that are due.
 *
 * <p><b>Bounds.</b> The connection is full when the queue is, or when the client has not taken what
 * was sent to it: then nothing is decoded and nothing read. A client is cut off that sends no
 * complete request in time, or takes nothing of what is sent to it.
 *
 * <p><b>States.</b>
 *
 * <ul>
 *   <li>OPEN: requests are taken.
 *   <li>LAST: the last request has been taken; input is thrown away; ends when the queue is empty.
 *   <li>STREAM: the feed is sent; input is thrown away; ends with the connection.
 *   <li>LINGER: all is sent and the output is closed; input is thrown away until the client closes
 *       or the time is up, because a socket that is closed with unread input drops what was sent.
 *   <li>CLOSED.
 * </ul>
 */
final class Connection extends ChannelInboundHandlerAdapter {
  private enum State {
    OPEN,
    LAST,
    STREAM,
    LINGER,
    CLOSED
  }

  private static final ByteBuf CLOSE = Worker.constant("connection: close\r\n");
  private static final ByteBuf KEEP_ALIVE = Worker.constant("connection: keep-alive\r\n");
  private static final ByteBuf CONTINUE = Worker.constant("HTTP/1.1 100 Continue\r\n\r\n");

  private final Requests requests;
  private final Limits limits;
  private final Worker worker;
  private final RequestDecoder decoder;
  private final ArrayDeque<Exchange> queue = new ArrayDeque<>();
  private @Nullable ChannelHandlerContext context;
  private State state = State.OPEN;

  /** The index in the worker's list. */
  private int place = -1;

  private @Nullable Upload upload;
  private @Nullable ChangeStream stream;

  private final @Nullable FixedAnswer refusal;
  private boolean reading;
  private boolean resumeDue;

  /** Whether a response was sent since the worker looked last. */
  private boolean active;

  private boolean flushDue;
  private boolean paused;
  private boolean inputClosed;
  private boolean draining;

  /** When the request began that has arrived in part; 0 if there is none. */
  private long partSince;

  /** Since when nothing is going on, or the state is LINGER. */
  private long idleSince = System.nanoTime();

  /** Since when the client takes nothing; 0 if there is nothing to take. */
  private long stalledSince;

  private long stalledMark;

  /**
   * Makes the connection's side of a channel that is about to be used.
   *
   * @param refusal what to answer, without any request being taken, or null
   */
  Connection(Requests requests, Worker worker, @Nullable FixedAnswer refusal) {
    this.refusal = refusal;
    this.requests = requests;
    this.limits = requests.limits();
    this.worker = worker;
    this.decoder = new RequestDecoder(this, limits);
  }

  /** Goes into the pipeline before this. */
  RequestDecoder decoder() {
    return decoder;
  }

  void place(int index) {
    place = index;
  }

  private ChannelHandlerContext ctx() {
    ChannelHandlerContext ctx = context;
    if (ctx == null) {
      throw new IllegalStateException("the connection is not open yet");
    }
    return ctx;
  }

  private Channel channel() {
    return ctx().channel();
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    worker.add(this);
    if (refusal != null) {
      refuse(refusal);
    }
    ctx.fireChannelActive();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    close();
    ctx.fireChannelInactive();
  }

  /** Sends one answer instead of taking requests. */
  private void refuse(FixedAnswer answer) {
    refuse(new Exchange(this, false, false, true), answer);
  }

  /** Whether no more requests are to be decoded for now. */
  boolean isFull() {
    return upload == null
        && state == State.OPEN
        && (queue.size() >= limits.pipelined() || !channel().isWritable());
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    reading = true;
    try {
      if (state != State.OPEN) {
        return;
      }
      if (message instanceof HttpRequest request) {
        partSince = 0;
        begin(request);
      }
      if (message instanceof HttpContent content && upload != null) {
        receive(upload, content);
      }
    } finally {
      ReferenceCountUtil.release(message);
    }
  }

  private void begin(HttpRequest request) {
    Exchange exchange = requests.exchange(this, request);
    if (exchange.last) {
      takeNoMore();
    }
    try {
      requests.handle(this, exchange, request);
    } catch (RuntimeException e) {
      FixedAnswer answer = Failures.answer(e);
      if (Requests.hasBody(request)) {
        refuse(exchange, answer);
      } else {
        answer(exchange, answer);
      }
    }
  }

  /** Answers with an error and takes no further request, because the input is not understood. */
  void refuse(Exchange exchange, FixedAnswer answer) {
    exchange.last = true;
    dropUpload();
    takeNoMore();
    decoder.discard();
    answer(exchange, answer);
  }

  private void takeNoMore() {
    if (state == State.OPEN) {
      state = State.LAST;
      if (upload == null) {
        resumeReading();
      }
    }
  }

  /** Begins to receive a body. */
  void receiveBody(Upload body, boolean expectsContinue) {
    upload = body;
    // The body belongs to this request, so it is taken even if the request is the last one.
    if (state == State.LAST) {
      state = State.OPEN;
    }
    if (expectsContinue) {
      Exchange notice = new Exchange(this, false, false, false);
      notice.answer = Requests.CONTINUE;
      enqueue(notice);
      sendWhatIsDue();
    }
  }

  private void receive(Upload body, HttpContent content) {
    if (content.decoderResult().isFailure()) {
      refuse(body.exchange, Requests.malformed(content.decoderResult().cause()));
      return;
    }
    FixedAnswer tooMuch = body.add(content.content());
    if (tooMuch != null) {
      refuse(body.exchange, tooMuch);
    } else if (content instanceof LastHttpContent) {
      upload = null;
      if (body.exchange.last) {
        takeNoMore();
      }
      enqueue(body.exchange);
      body.finish();
    }
  }

  private void dropUpload() {
    if (upload != null) {
      upload.drop();
      upload = null;
    }
  }

  /** Puts a request into the queue whose answer comes later. */
  void enqueue(Exchange exchange) {
    queue.addLast(exchange);
    if (queue.size() >= limits.pipelined() && state == State.OPEN && upload == null) {
      pauseReading();
    }
  }

  /** Answers a request that is not in the queue. On the event loop. */
  void answer(Exchange exchange, Answer answer) {
    exchange.answer = answer;
    if (queue.isEmpty() && stream == null) {
      send(exchange, answer);
    } else {
      queue.addLast(exchange);
      sendWhatIsDue();
    }
  }

  /** Answers a request that is in the queue, from any thread. */
  void complete(Exchange exchange, Answer answer) {
    if (worker.loop.inEventLoop()) {
      completed(exchange, answer);
    } else {
      worker.execute(() -> completed(exchange, answer));
    }
  }

  private void completed(Exchange exchange, Answer answer) {
    if (exchange.answer == null) {
      exchange.answer = answer;
      sendWhatIsDue();
    }
  }

  private void sendWhatIsDue() {
    for (Exchange head = queue.peekFirst();
        head != null && head.answer != null && state != State.CLOSED && stream == null;
        head = queue.peekFirst()) {
      queue.removeFirst();
      send(head, head.answer);
    }
    if (isHeldUp() && !isFull()) {
      resumeLater();
    }
  }

  /** Whether something waits for the connection to be no longer full. */
  private boolean isHeldUp() {
    return paused || decoder.hasStopped();
  }

  private void send(Exchange exchange, Answer answer) {
    if (state == State.CLOSED || state == State.LINGER) {
      return;
    }
    ChannelHandlerContext ctx = ctx();
    if (answer == Requests.CONTINUE) {
      ctx.write(CONTINUE.duplicate(), ctx.voidPromise());
      flushSoon();
      return;
    }
    if (draining && queue.isEmpty() && upload == null && !decoder.hasMore()) {
      exchange.last = true;
      takeNoMore();
    }
    boolean streams = answer instanceof ChangeStream;
    exchange.last |= streams;
    active = true;
    ctx.write(worker.prefix(answer.status()), ctx.voidPromise());
    if (exchange.last) {
      ctx.write(CLOSE.duplicate(), ctx.voidPromise());
    } else if (exchange.old) {
      ctx.write(KEEP_ALIVE.duplicate(), ctx.voidPromise());
    }
    requests.counters().responded(answer.status());
    if (streams && !exchange.headOnly) {
      stream = (ChangeStream) answer;
      state = State.STREAM;
      decoder.discard();
      resumeReading();
    }
    answer.write(ctx, exchange.headOnly);
    flushSoon();
    if (stream == null && (exchange.last || (inputClosed && queue.isEmpty() && upload == null))) {
      finish();
    }
  }

  /** Everything is written: closes the output, and the connection when the client has seen it. */
  private void finish() {
    if (state == State.CLOSED || state == State.LINGER) {
      return;
    }
    state = State.LINGER;
    idleSince = System.nanoTime();
    decoder.discard();
    resumeReading();
    boolean atOnce = inputClosed || channel().pipeline().get(SslHandler.class) != null;
    ctx()
        .writeAndFlush(Unpooled.EMPTY_BUFFER)
        .addListener(
            (ChannelFutureListener)
                sent -> {
                  if (atOnce || !sent.isSuccess() || inputClosed) {
                    channel().close();
                  } else {
                    ((DuplexChannel) channel()).shutdownOutput();
                  }
                });
  }

  private void flushSoon() {
    if (!flushDue) {
      flushDue = true;
      if (!reading) {
        worker.execute(this::flush);
      }
    }
  }

  private void flush() {
    if (flushDue) {
      flushDue = false;
      ctx().flush();
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    reading = false;
    flush();
    notePart();
    if (isFull()) {
      pauseReading();
    } else if (isHeldUp()) {
      resumeLater();
    }
  }

  /** Remembers when a request began of which only a part has arrived. */
  private void notePart() {
    if (state != State.OPEN || isFull() || !decoder.hasPart() || upload != null) {
      partSince = 0;
    } else if (partSince == 0) {
      partSince = System.nanoTime();
    }
  }

  private void pauseReading() {
    if (!paused && !inputClosed) {
      paused = true;
      channel().config().setAutoRead(false);
    }
  }

  /** Goes on in a task of its own, so that neither writing nor decoding is entered twice. */
  private void resumeLater() {
    if (!resumeDue) {
      resumeDue = true;
      worker.execute(
          () -> {
            resumeDue = false;
            if (isHeldUp() && !isFull()) {
              resumeReading();
              resumeDecoding();
            }
          });
    }
  }

  private void resumeReading() {
    if (paused) {
      paused = false;
      channel().config().setAutoRead(true);
    }
  }

  private void resumeDecoding() {
    ChannelHandlerContext before = channel().pipeline().context(decoder);
    if (before == null || state == State.CLOSED) {
      return;
    }
    try {
      decoder.resume(before);
    } catch (Exception e) {
      exceptionCaught(ctx(), e);
    }
    channelReadComplete(ctx());
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (!ctx.channel().isWritable()) {
      if (isFull()) {
        pauseReading();
      }
    } else if (stream != null) {
      stream.wake();
    } else if (isHeldUp()) {
      resumeLater();
    }
    ctx.fireChannelWritabilityChanged();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof ChannelInputShutdownEvent) {
      inputClosed = true;
      paused = false;
      if (stream != null || upload != null || state == State.LINGER) {
        ctx.close();
      } else if (queue.isEmpty()) {
        finish();
      } // else the last response ends it
    }
    ctx.fireUserEventTriggered(event);
  }

  private boolean channelHasPending() {
    ChannelOutboundBuffer out = channel().unsafe().outboundBuffer();
    return out != null && out.totalPendingWriteBytes() > 0;
  }

  /** A connection that failed: the client went away, or TLS was not understood. */
  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    ctx.close();
  }

  // Time.

  /** Looks for what takes too long; called a few times a second. */
  void sweep(long now) {
    if (isStalled(now)) {
      cutOff();
    } else if (state == State.LINGER) {
      if (now - idleSince > Limits.LINGER && !channelHasPending()) {
        channel().close();
      }
    } else if (stream != null) {
      stream.sweep(now);
    } else if (upload != null) {
      if (upload.isLate(now, limits)) {
        requests.counters().cutOff.increment();
        refuse(upload.exchange, Requests.LATE_BODY);
      }
    } else if (partSince != 0 && !isFull()) {
      if (now - partSince > limits.request()) {
        requests.counters().cutOff.increment();
        partSince = 0;
        refuse(Requests.LATE_REQUEST);
      }
    } else if (isIdle() && !active) {
      long most = draining ? Math.min(Limits.FAREWELL, limits.idle()) : limits.idle();
      if (now - idleSince > most) {
        finish();
      }
    } else {
      active = false;
      idleSince = now;
    }
  }

  private boolean isIdle() {
    return queue.isEmpty() && !channelHasPending();
  }

  /** Whether the client has taken nothing for too long. */
  private boolean isStalled(long now) {
    ChannelOutboundBuffer out = channel().unsafe().outboundBuffer();
    if (out == null || out.totalPendingWriteBytes() == 0) {
      stalledSince = 0;
      return false;
    }
    // Changes with every byte that the client takes, unless as many are added meanwhile.
    long mark = out.totalPendingWriteBytes() - out.currentProgress() + 31L * out.size();
    if (stalledSince == 0 || mark != stalledMark) {
      stalledSince = now;
      stalledMark = mark;
      return false;
    }
    return now - stalledSince > limits.write();
  }

  private void cutOff() {
    requests.counters().cutOff.increment();
    // What lies in the socket is given up, too.
    channel().config().setOption(ChannelOption.SO_LINGER, 0);
    channel().close();
  }

  // The end.

  /** Answers what was asked, then ends. */
  void drain() {
    draining = true;
    idleSince = System.nanoTime();
    if (stream != null) {
      stream.end();
      finish();
    }
  }

  void abort() {
    channel().close();
  }

  void wakeStream() {
    if (stream != null) {
      stream.wake();
    }
  }

  private void close() {
    if (state == State.CLOSED) {
      return;
    }
    state = State.CLOSED;
    dropUpload();
    if (stream != null) {
      stream.closed();
      stream = null;
    }
    queue.clear();
    if (place >= 0) {
      worker.remove(this, place);
      place = -1;
    }
  }
}
