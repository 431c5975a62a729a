package io.latchkey.storage.http.server;

/** Where the server's buffers for reading come from. Cached objects have buffers of their own. */
public enum Buffers {
  /** Pools that adapt to the sizes in use: Netty's default. */
  ADAPTIVE,
  /** Netty's older pool of arenas. */
  POOLED,
  /** A new buffer each time. */
  UNPOOLED
}
