package io.latchkey.storage.http;

import io.latchkey.storage.StorageException;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Opens connections to one server, with TLS if it is spoken to so. Thread-safe. */
final class Connector {
  private static final int LINE_BYTES = 4096;
  private static final int HEADER_BYTES = 64 * 1024;
  private static final int CHUNK_BYTES = 64 * 1024;

  private final Endpoint endpoint;
  private final HttpOptions options;
  private final @Nullable SslContext tls;

  Connector(Endpoint endpoint, HttpOptions options) throws StorageException {
    this.endpoint = endpoint;
    this.options = options;
    tls = endpoint.secure() ? tls() : null;
    if (tls == null && options.trust() != null) {
      throw endpoint.failure(
          "cannot open "
              + endpoint.name()
              + ": it has trust, and http: uses no certificates: write https: or leave it out",
          null,
          false);
    }
  }

  private SslContext tls() throws StorageException {
    Path trust = options.trust();
    try {
      SslContextBuilder builder = SslContextBuilder.forClient();
      // The host that the certificate is for is compared with the host of the URL.
      builder.endpointIdentificationAlgorithm("HTTPS");
      if (trust != null) {
        builder.trustManager(trust.toFile());
      }
      return builder.build();
    } catch (SSLException | IllegalArgumentException e) {
      throw endpoint.failure(
          "cannot open "
              + endpoint.name()
              + ": "
              + (trust == null
                  ? "this JVM has no TLS: " + StorageException.reason(e)
                  : trust + " holds no certificates that can be read: give trust= a PEM file"),
          e,
          false);
    }
  }

  /**
   * Connects. The handler stands behind the HTTP codec; it sees the connection end only if it
   * began.
   *
   * @param then is told on the event loop, once: null, or why there is no connection
   */
  void connect(EventLoop loop, ChannelHandler handler, Consumer<@Nullable Throwable> then) {
    int patience = (int) options.connectTimeout().toMillis();
    ChannelFuture connecting =
        new Bootstrap()
            .group(loop)
            .channel(NioSocketChannel.class)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, patience)
            .option(ChannelOption.TCP_NODELAY, true)
            .handler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    SslContext context = tls;
                    if (context != null) {
                      SslHandler handshake =
                          context.newHandler(channel.alloc(), endpoint.host(), endpoint.port());
                      handshake.setHandshakeTimeoutMillis(patience);
                      channel.pipeline().addLast(handshake, new Unsaid());
                    }
                  }
                })
            .connect(endpoint.host(), endpoint.port());
    connecting.addListener(
        (ChannelFutureListener)
            connected -> {
              Channel channel = connected.channel();
              SslHandler handshake = channel.pipeline().get(SslHandler.class);
              if (!connected.isSuccess()) {
                then.accept(connected.cause());
              } else if (handshake == null) {
                begin(channel, handler, then);
              } else {
                handshake
                    .handshakeFuture()
                    .addListener(
                        shaken -> {
                          if (shaken.isSuccess()) {
                            begin(channel, handler, then);
                          } else {
                            channel.close();
                            then.accept(shaken.cause());
                          }
                        });
              }
            });
  }

  private void begin(Channel channel, ChannelHandler handler, Consumer<@Nullable Throwable> then) {
    if (!channel.isActive()) {
      then.accept(new ClosedChannelException());
      return;
    }
    if (channel.pipeline().get(Unsaid.class) != null) {
      channel.pipeline().remove(Unsaid.class);
    }
    HttpDecoderConfig config =
        new HttpDecoderConfig()
            .setMaxInitialLineLength(LINE_BYTES)
            .setMaxHeaderSize(HEADER_BYTES)
            .setMaxChunkSize(CHUNK_BYTES);
    channel.pipeline().addLast(new HttpClientCodec(config, false, false), handler);
    then.accept(null);
  }

  /** Keeps failures of a handshake, which the attempt to connect tells, out of Netty's log. */
  private static final class Unsaid extends ChannelInboundHandlerAdapter {
    @Override
    public void exceptionCaught(ChannelHandlerContext from, Throwable failure) {
      from.close();
    }
  }

  /** What is told of an attempt that failed. */
  StorageException failure(Throwable cause) {
    boolean retryable = true;
    String why;
    if (cause instanceof UnknownHostException) {
      why = "the host " + endpoint.host() + " is unknown: is the name right?";
    } else if (cause instanceof ConnectTimeoutException) {
      why = "no connection within " + options.connectTimeout() + ": is the host reachable?";
    } else if (cause instanceof SSLException) {
      retryable = false;
      why =
          "TLS failed, "
              + StorageException.reason(cause)
              + ": is its certificate for this host, and trusted, if need be by trust=FILE.pem?"
              + " Does it speak https?";
    } else {
      why = StorageException.reason(cause) + ": is the server running?";
    }
    return endpoint.failure("cannot connect to " + endpoint.name() + ": " + why, cause, retryable);
  }
}
