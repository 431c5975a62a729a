package io.latchkey.storage.http.server;

import org.junit.jupiter.api.Assumptions;

/** Which transports this machine has. */
final class Transports {
  private Transports() {}

  /** Skips a test of a transport that this machine does not have. */
  static void assume(Transport transport) {
    try {
      EventLoops.of(transport);
    } catch (IllegalArgumentException e) {
      Assumptions.abort(e.getMessage());
    }
  }
}
