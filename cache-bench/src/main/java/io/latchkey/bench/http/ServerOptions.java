package io.latchkey.bench.http;

import java.util.List;

/**
 * How a measured server is set up.
 *
 * @param transport nio, epoll or io_uring
 * @param workers its event loops
 * @param buffers adaptive, pooled or unpooled
 * @param valueSize bytes of each object
 */
public record ServerOptions(String transport, int workers, String buffers, int valueSize) {
  /** As arguments for {@link ServedProcess}. */
  List<String> arguments() {
    return List.of(transport, "" + workers, buffers, "" + valueSize);
  }

  static ServerOptions of(String[] arguments) {
    return new ServerOptions(
        arguments[0], Integer.parseInt(arguments[1]), arguments[2], Integer.parseInt(arguments[3]));
  }
}
