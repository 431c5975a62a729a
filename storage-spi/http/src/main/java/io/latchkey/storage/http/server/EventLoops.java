package io.latchkey.storage.http.server;

import io.latchkey.storage.StorageException;
import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;

/**
 * A transport's event loops and channels. Each native one stands in a class of its own, so that its
 * jar may be missing.
 *
 * @param transport the transport, not {@link Transport#AUTO}
 * @param channel the class of its listening sockets
 * @param factory makes what its event loops wait with
 */
record EventLoops(
    Transport transport, Class<? extends ServerChannel> channel, IoHandlerFactory factory) {

  /**
   * Chooses.
   *
   * @throws IllegalArgumentException if the transport is not available here
   */
  static EventLoops of(Transport wanted) {
    return switch (wanted) {
      case AUTO -> epollOrNio();
      case NIO ->
          new EventLoops(Transport.NIO, NioServerSocketChannel.class, NioIoHandler.newFactory());
      case EPOLL -> checked(wanted, NativeEpoll::open);
      case IO_URING -> checked(wanted, NativeIoUring::open);
    };
  }

  private static EventLoops epollOrNio() {
    try {
      return NativeEpoll.open();
    } catch (IllegalArgumentException | LinkageError unavailable) {
      return of(Transport.NIO);
    }
  }

  private interface Opening {
    EventLoops open();
  }

  private static EventLoops checked(Transport wanted, Opening opening) {
    try {
      return opening.open();
    } catch (LinkageError e) {
      throw unavailable(wanted, e);
    }
  }

  private static IllegalArgumentException unavailable(Transport wanted, Throwable why) {
    Throwable root = why;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return new IllegalArgumentException(
        "transport "
            + wanted
            + " is not available here ("
            + StorageException.reason(root)
            + "): use AUTO or NIO, or put Netty's native jar for this system on the class path",
        why);
  }

  /** Starts threads with a name. */
  EventLoopGroup group(int threads, String name) {
    return new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory(name), factory);
  }

  static ByteBufAllocator allocator(Buffers buffers) {
    return switch (buffers) {
      case ADAPTIVE -> new AdaptiveByteBufAllocator();
      case POOLED -> PooledByteBufAllocator.DEFAULT;
      case UNPOOLED -> UnpooledByteBufAllocator.DEFAULT;
    };
  }

  private static final class NativeEpoll {
    private NativeEpoll() {}

    static EventLoops open() {
      if (!Epoll.isAvailable()) {
        throw unavailable(Transport.EPOLL, Epoll.unavailabilityCause());
      }
      return new EventLoops(
          Transport.EPOLL, EpollServerSocketChannel.class, EpollIoHandler.newFactory());
    }
  }

  private static final class NativeIoUring {
    private NativeIoUring() {}

    static EventLoops open() {
      if (!IoUring.isAvailable()) {
        throw unavailable(Transport.IO_URING, IoUring.unavailabilityCause());
      }
      return new EventLoops(
          Transport.IO_URING, IoUringServerSocketChannel.class, IoUringIoHandler.newFactory());
    }
  }
}
