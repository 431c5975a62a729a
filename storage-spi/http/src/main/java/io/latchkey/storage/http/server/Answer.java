package io.latchkey.storage.http.server;

import io.netty.channel.ChannelHandlerContext;

/**
 * What a request is answered with: everything after the status line and the date. Immutable, holds
 * no counted buffers, and can be written any number of times.
 */
interface Answer {
  /** The status code. */
  int status();

  /**
   * Writes the remaining header fields, the empty line and, unless only the head is wanted, the
   * body. On the event loop; does not flush.
   */
  void write(ChannelHandlerContext ctx, boolean headOnly);
}
