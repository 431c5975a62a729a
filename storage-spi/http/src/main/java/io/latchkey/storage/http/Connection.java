package io.latchkey.storage.http;

import io.latchkey.storage.StorageException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One connection: requests go out as they come, answers come in the same order. A request whose
 * caller has left keeps its place, so that its answer is not taken for that of the next one.
 *
 * <p>Belongs to the event loop, as all that it calls.
 */
final class Connection extends SimpleChannelInboundHandler<HttpObject> {
  /** Who uses the connection. */
  interface Owner {
    /** An answer has come, so there may be room for a request. */
    void hasRoom();

    /**
     * The connection is over.
     *
     * @param unanswered the requests without a whole answer, in their order
     * @param cause why, or null if the server closed it
     */
    void ended(Connection connection, List<Request> unanswered, @Nullable Throwable cause);
  }

  private final Endpoint endpoint;
  private final HttpOptions options;
  private final Owner owner;
  private final Deque<Request> outstanding = new ArrayDeque<>();
  private @Nullable ChannelHandlerContext context;
  private @Nullable AnswerReader reader;

  /** Between the head and the end of a 1xx answer, which is none. */
  private boolean interim;

  private boolean closing;
  private boolean flushing;
  private @Nullable Throwable cause;

  /** When the last answer came, if nothing is outstanding. */
  private long idleSince = System.nanoTime();

  Connection(Endpoint endpoint, HttpOptions options, Owner owner) {
    this.endpoint = endpoint;
    this.options = options;
    this.owner = owner;
  }

  // ---- requests

  /** How many requests are without an answer. */
  int load() {
    return outstanding.size();
  }

  boolean hasRoom() {
    return !closing && outstanding.size() < options.pipeline();
  }

  void send(Request request) {
    ChannelHandlerContext to = begun();
    request.attempts++;
    outstanding.add(request);
    to.write(message(request)).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
    if (!flushing) {
      flushing = true;
      // Behind the requests that are in the loop's queue already, so that one write takes all.
      to.executor()
          .execute(
              () -> {
                flushing = false;
                to.flush();
              });
    }
  }

  private ChannelHandlerContext begun() {
    if (context == null) {
      throw new IllegalStateException("not connected yet");
    }
    return context;
  }

  private FullHttpRequest message(Request request) {
    ByteBuf body =
        request.body == null ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(request.body);
    FullHttpRequest message =
        new DefaultFullHttpRequest(
            HttpVersion.HTTP_1_1, request.method, endpoint.base() + request.path, body);
    message.headers().set(HttpHeaderNames.HOST, endpoint.authority());
    if (options.token() != null) {
      message.headers().set(HttpHeaderNames.AUTHORIZATION, "Bearer " + options.token());
    }
    if (request.contentType != null) {
      message.headers().set(HttpHeaderNames.CONTENT_TYPE, request.contentType);
    }
    if (request.method != HttpMethod.GET && request.method != HttpMethod.DELETE) {
      message.headers().set(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes());
    }
    return message;
  }

  /**
   * Ends the calls whose time is over. If the answer that is due next is one of them, the
   * connection is given up: whoever stands behind is served sooner by another one.
   *
   * @return when this has to be called again, at the latest
   */
  long expire(long now, long idleNanos) {
    if (outstanding.isEmpty()) {
      long end = idleSince + idleNanos;
      if (end - now <= 0) {
        close();
      }
      return end;
    }
    if (outstanding.element().deadline - now <= 0) {
      close();
    }
    long next = now + options.timeout().toNanos();
    for (Request request : outstanding) {
      if (request.deadline - now <= 0) {
        request.answer.completeExceptionally(
            endpoint.failure(
                endpoint.name()
                    + " did not answer "
                    + request.method
                    + " within "
                    + options.timeout()
                    + request.outcome()
                    + ": if it is not overloaded, give a longer timeout=",
                null,
                true));
      } else if (request.deadline - next < 0) {
        next = request.deadline;
      }
    }
    return next;
  }

  void close() {
    closing = true;
    begun().close();
  }

  // ---- answers

  @Override
  public void handlerAdded(ChannelHandlerContext added) {
    context = added;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext from, HttpObject message) {
    if (closing) {
      return; // what follows may be of an answer whose end is not known
    }
    try {
      if (message instanceof HttpResponse head) {
        begin(head);
      }
      if (message instanceof HttpContent content && reader != null) {
        if (content.decoderResult().isFailure()) {
          throw AnswerReader.notHttp(content.decoderResult().cause());
        }
        reader.add(content.content());
      }
      if (message instanceof LastHttpContent) {
        end();
      }
    } catch (BadAnswerException e) {
      refuse(e);
    }
  }

  private void begin(HttpResponse head) throws BadAnswerException {
    Request request = outstanding.peek();
    if (request == null) {
      close(); // nothing was asked: a farewell of the server, or garbage
      return;
    }
    request.begun = true;
    AnswerReader.check(head);
    interim = head.status().codeClass() == HttpStatusClass.INFORMATIONAL;
    if (!interim) {
      reader = new AnswerReader(head, options.maxBytes(), !request.answer.isDone());
    }
  }

  private void end() {
    AnswerReader whole = reader;
    if (whole == null || interim) {
      interim = false;
      return;
    }
    reader = null;
    Request request = outstanding.remove();
    if (outstanding.isEmpty()) {
      idleSince = System.nanoTime();
    }
    if (!whole.keepAlive) {
      close(); // what stands behind is told when the connection has ended
    }
    request.answer.complete(whole.end());
    owner.hasRoom();
  }

  /** Fails the request that the answer was for, and gives the connection up. */
  private void refuse(BadAnswerException e) {
    reader = null;
    Request request = outstanding.poll();
    close();
    if (request != null) {
      request.answer.completeExceptionally(
          endpoint.failure(
              "cannot take the answer of "
                  + endpoint.name()
                  + " to "
                  + request.method
                  + ": "
                  + StorageException.reason(e)
                  + request.outcome(),
              e.getCause(),
              false));
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext from, Throwable failure) {
    cause =
        failure instanceof DecoderException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    close();
  }

  @Override
  public void channelInactive(ChannelHandlerContext from) {
    closing = true;
    reader = null;
    List<Request> unanswered = new ArrayList<>(outstanding);
    outstanding.clear();
    owner.ended(this, unanswered, cause);
  }
}
