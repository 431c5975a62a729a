package io.latchkey.storage.http.server;

import io.latchkey.storage.StorageException;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The listening socket, the event loops and the connections of a server. */
final class Endpoint {
  /** What may wait for a client before nothing more is read from it. */
  private static final WriteBufferWaterMark WATER_MARK =
      new WriteBufferWaterMark(128 * 1024, 256 * 1024);

  private static final int BACKLOG = 4096;

  private final EventLoops loops;
  private final Requests requests;
  private final Limits limits;
  private final @Nullable SslContext tls;
  private final String host;
  private final EventLoopGroup acceptor;
  private final EventLoopGroup workers;
  private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
  private final Map<EventLoop, Worker> byLoop = new ConcurrentHashMap<>();
  private @Nullable Channel listening;

  /** Guarded by this; the close holds it throughout. */
  private boolean closed;

  Endpoint(
      EventLoops loops,
      int workers,
      Requests requests,
      @Nullable SslContext tls,
      String host,
      long sweepNanos) {
    this.loops = loops;
    this.requests = requests;
    this.limits = requests.limits();
    this.tls = tls;
    this.host = host;
    this.acceptor = loops.group(1, "latchkey-http-acceptor");
    this.workers = loops.group(workers, "latchkey-http-worker");
    for (EventExecutor loop : this.workers) {
      byLoop.put(
          (EventLoop) loop, new Worker((EventLoop) loop, sweepNanos, requests.access().fields()));
    }
  }

  /**
   * Begins to listen.
   *
   * @throws IllegalArgumentException if the address cannot be used; everything is closed then
   */
  void listen(int port, ByteBufAllocator allocator) {
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(acceptor, workers)
            .channel(loops.channel())
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
            .childOption(ChannelOption.ALLOCATOR, allocator)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    accept(channel);
                  }
                });
    ChannelFuture bound = bootstrap.bind(new InetSocketAddress(host, port)).awaitUninterruptibly();
    if (!bound.isSuccess()) {
      stopLoops();
      throw new IllegalArgumentException(
          "cannot listen on "
              + host
              + " port "
              + port
              + " ("
              + StorageException.reason(bound.cause())
              + "): choose another port, 0 for a free one, or an address of this machine",
          bound.cause());
    }
    listening = bound.channel();
  }

  private void accept(Channel channel) {
    ServerCounters counters = requests.counters();
    counters.accepted.increment();
    int now = counters.connections.incrementAndGet();
    channel.closeFuture().addListener(closed -> counters.connections.decrementAndGet());
    open.add(channel);
    boolean tooMany = now > limits.connections();
    if (tooMany) {
      counters.refused.increment();
      // To be told so takes a place, too, and for that there are some more.
      if (now > limits.connections() + Math.max(16, limits.connections() / 16)) {
        channel.close();
        return;
      }
    }
    Worker worker = byLoop.get(channel.eventLoop());
    if (worker == null) {
      throw new IllegalStateException("the channel is on a loop of somebody else");
    }
    Connection connection = new Connection(requests, worker, tooMany ? Requests.TOO_MANY : null);
    if (tls != null) {
      channel.pipeline().addLast(tls.newHandler(channel.alloc()));
    }
    channel.pipeline().addLast(connection.decoder(), connection);
  }

  private InetSocketAddress address() {
    Channel channel = listening;
    if (channel == null) {
      throw new IllegalStateException("the server does not listen");
    }
    return (InetSocketAddress) channel.localAddress();
  }

  int port() {
    return address().getPort();
  }

  Transport transport() {
    return loops.transport();
  }

  String url() {
    InetAddress address = address().getAddress();
    String name = address.isAnyLocalAddress() ? host : address.getHostAddress();
    return (tls == null ? "http://" : "https://")
        + (name.indexOf(':') >= 0 ? "[" + name + "]" : name)
        + ":"
        + port()
        + "/";
  }

  /** Lets all readers of the feed look for new events. */
  void wakeStreams() {
    byLoop.values().forEach(Worker::wakeStreams);
  }

  /**
   * Ends everything.
   *
   * @param rest is done when no client is left, and before the event loops end
   */
  synchronized void close(Runnable rest) {
    if (closed) {
      return;
    }
    closed = true;
    requests.drain();
    if (listening != null) {
      listening.close().awaitUninterruptibly();
    }
    byLoop.values().forEach(worker -> worker.execute(worker::drain));
    open.newCloseFuture().awaitUninterruptibly(limits.drain(), TimeUnit.NANOSECONDS);
    open.close().awaitUninterruptibly();
    try {
      rest.run();
    } finally {
      stopLoops();
    }
  }

  private void stopLoops() {
    acceptor.shutdownGracefully(0, 5, TimeUnit.SECONDS);
    workers.shutdownGracefully(0, 5, TimeUnit.SECONDS);
    acceptor.terminationFuture().awaitUninterruptibly();
    workers.terminationFuture().awaitUninterruptibly();
  }
}
