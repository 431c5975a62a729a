package io.latchkey.storage.http.server;

/** How the server waits for sockets. */
public enum Transport {
  /** {@link #EPOLL} where it is available, else {@link #NIO}. */
  AUTO,
  /** The JDK's selectors, on every system. */
  NIO,
  /** Linux's epoll, by native code. */
  EPOLL,
  /** Linux's io_uring, by native code; often forbidden in containers. */
  IO_URING
}
