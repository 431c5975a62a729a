package io.latchkey.bench.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.latchkey.cache.LoaderPool;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.util.ReferenceCountUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A server that gives every request to a pool of threads, as a miss is, and writes the response in
 * one of two ways: the thread of the pool calls the channel, or it gives the event loop a task that
 * does. Nothing else, so that the two can be told apart. One request at a time on a connection.
 */
public final class HandOffServer {
  private HandOffServer() {}

  /** The ways to write. */
  static final List<String> WAYS = List.of("event-loop", "loading-thread");

  static ServedProcess start(String way) {
    return ServedProcess.start(HandOffServer.class, List.of(way));
  }

  /** Serves until the standard input ends. */
  public static void main(String[] arguments) throws Exception {
    boolean byLoop = arguments[0].equals("event-loop");
    byte[] text =
        ("HTTP/1.1 200 OK\r\ncontent-length: 1024\r\n\r\n" + "x".repeat(1024)).getBytes(ISO_8859_1);
    ByteBuffer direct = ByteBuffer.allocateDirect(text.length);
    direct.put(text).flip();
    ByteBuf response = Unpooled.unreleasableBuffer(Unpooled.wrappedBuffer(direct));
    MultiThreadIoEventLoopGroup loops =
        new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    try (LoaderPool pool = LoaderPool.builder().workers(32).build()) {
      Channel listening =
          new ServerBootstrap()
              .group(loops)
              .channel(NioServerSocketChannel.class)
              .childHandler(
                  new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                      channel
                          .pipeline()
                          .addLast(new HttpRequestDecoder(), new HandOff(pool, response, byLoop));
                    }
                  })
              .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
              .sync()
              .channel();
      System.out.println(((InetSocketAddress) listening.localAddress()).getPort());
      System.out.flush();
      while (System.in.read() >= 0) {
        // Until the one who started it is gone.
      }
    }
  }

  private static final class HandOff extends ChannelInboundHandlerAdapter {
    private final LoaderPool pool;
    private final ByteBuf response;
    private final boolean byLoop;

    HandOff(LoaderPool pool, ByteBuf response, boolean byLoop) {
      this.pool = pool;
      this.response = response;
      this.byLoop = byLoop;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      boolean request = message instanceof HttpRequest;
      ReferenceCountUtil.release(message);
      if (!request) {
        return;
      }
      if (byLoop) {
        pool.execute(() -> ctx.executor().execute(() -> write(ctx)));
      } else {
        pool.execute(() -> write(ctx));
      }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // what fails ends the connection
    private void write(ChannelHandlerContext ctx) {
      ctx.writeAndFlush(response.duplicate(), ctx.voidPromise());
    }
  }
}
