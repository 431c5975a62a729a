package io.latchkey.storage.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The connection that the events come by. Belongs to the event loop of the feed. */
final class FeedConnection extends SimpleChannelInboundHandler<HttpObject> {
  static final String PATH = "changes";
  private static final String MEDIA_TYPE = "text/event-stream";

  /** Who hears the events. */
  interface Owner extends EventStreamParser.Sink {
    /**
     * The connection is over.
     *
     * @param failure why
     * @param resumable whether what came by it can be relied upon
     */
    void ended(FeedConnection connection, Exception failure, boolean resumable);
  }

  private final HttpClient client;
  private final Owner owner;
  private final Request request;
  private final @Nullable FeedPosition resumed;
  private final EventStreamParser parser;
  private @Nullable ChannelHandlerContext context;
  private @Nullable AnswerReader refusal;
  private boolean accepted;
  private boolean ended;
  private long heard = System.nanoTime();

  FeedConnection(HttpClient client, @Nullable FeedPosition resumed, Owner owner) {
    this.client = client;
    this.owner = owner;
    this.resumed = resumed;
    request = Request.get(PATH);
    parser = new EventStreamParser(client.options.maxBytes(), owner);
  }

  @Override
  public void handlerAdded(ChannelHandlerContext added) {
    context = added;
    heard = System.nanoTime();
    FullHttpRequest message =
        new DefaultFullHttpRequest(
            HttpVersion.HTTP_1_1, HttpMethod.GET, client.endpoint.base() + PATH);
    message.headers().set(HttpHeaderNames.HOST, client.endpoint.authority());
    message.headers().set(HttpHeaderNames.ACCEPT, MEDIA_TYPE);
    if (client.options.token() != null) {
      message.headers().set(HttpHeaderNames.AUTHORIZATION, "Bearer " + client.options.token());
    }
    if (resumed != null) {
      message.headers().set("Last-Event-ID", resumed.toString());
    }
    added.writeAndFlush(message);
    watchHeartbeat(added, patience());
  }

  private long patience() {
    return (accepted ? client.options.heartbeat() : client.options.timeout()).toNanos();
  }

  private void watchHeartbeat(ChannelHandlerContext on, long delay) {
    on.executor()
        .schedule(
            () -> {
              if (ended) {
                return;
              }
              long left = patience() - (System.nanoTime() - heard);
              if (left > 0) {
                watchHeartbeat(on, left);
              } else {
                end(
                    client.endpoint.failure(
                        "the feed of "
                            + client.endpoint.name()
                            + " was silent for "
                            + (accepted ? client.options.heartbeat() : client.options.timeout())
                            + ": the server or the network is down, or heartbeat= is too short",
                        null,
                        true),
                    true);
              }
            },
            // The patience is another one as soon as the server has answered.
            Math.min(delay, client.options.heartbeat().toNanos()),
            TimeUnit.NANOSECONDS);
  }

  @Override
  protected void channelRead0(ChannelHandlerContext from, HttpObject message) throws Exception {
    if (ended) {
      return;
    }
    try {
      if (message instanceof HttpResponse head) {
        begin(head);
      }
      if (message instanceof HttpContent content) {
        if (content.decoderResult().isFailure()) {
          throw AnswerReader.notHttp(content.decoderResult().cause());
        }
        if (accepted) {
          parser.read(content.content());
        } else if (refusal != null) {
          refusal.add(content.content());
        }
      }
      if (message instanceof LastHttpContent) {
        last();
      }
    } catch (BadAnswerException e) {
      end(
          client.endpoint.failure(
              "cannot take the feed of " + client.endpoint.name() + ": " + e.getMessage(),
              e.getCause(),
              true),
          false);
    }
  }

  private void begin(HttpResponse head) throws BadAnswerException {
    AnswerReader.check(head);
    if (head.status().codeClass() == HttpStatusClass.INFORMATIONAL) {
      return;
    }
    @Nullable String type = head.headers().get(HttpHeaderNames.CONTENT_TYPE);
    if (!head.status().equals(HttpResponseStatus.OK)) {
      refusal = new AnswerReader(head, client.options.maxBytes(), true);
    } else if (type == null || !type.toLowerCase(Locale.ROOT).startsWith(MEDIA_TYPE)) {
      throw new BadAnswerException(
          "the answer is no " + MEDIA_TYPE + ": is this a Latchkey server?", null);
    } else {
      accepted = true;
    }
  }

  private void last() {
    AnswerReader refused = refusal;
    if (refused != null) {
      end(Answers.failure(client, request, refused.end()), true);
    } else if (accepted) {
      end(lost("the server ended it", null), true);
    }
  }

  private Exception lost(String why, @Nullable Throwable cause) {
    return client.endpoint.failure(
        "the feed of " + client.endpoint.name() + " is interrupted: " + why, cause, true);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext from) {
    // Now, and not when the bytes came: a slow listener is no silence of the server.
    heard = System.nanoTime();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext from, Throwable failure) {
    end(lost(String.valueOf(failure.getMessage()), failure), true);
  }

  @Override
  public void channelInactive(ChannelHandlerContext from) {
    end(lost("the connection was closed", null), true);
  }

  private void end(Exception failure, boolean resumable) {
    if (!ended) {
      close();
      owner.ended(this, failure, resumable);
    }
  }

  /** Ends the connection; its owner hears no more of it. */
  void close() {
    ended = true;
    if (context != null) {
      context.close();
    }
  }
}
