package io.latchkey.storage.http.server;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** What the server counts, apart from its cache. */
final class ServerCounters {
  /** Responses by the hundreds of their status, 2 to 5. */
  private final LongAdder[] responses = new LongAdder[6];

  /** Connections that are open, refused ones that still linger included. */
  final AtomicInteger connections = new AtomicInteger();

  final LongAdder accepted = new LongAdder();

  /** Connections refused because there were too many. */
  final LongAdder refused = new LongAdder();

  /** Connections cut off because the client was too slow in sending or reading. */
  final LongAdder cutOff = new LongAdder();

  /** Clients that read the feed. */
  final AtomicInteger streams = new AtomicInteger();

  /** Bytes of bodies that are being received or worked on. */
  final AtomicLong bodyBytes = new AtomicLong();

  ServerCounters() {
    for (int i = 0; i < responses.length; i++) {
      responses[i] = new LongAdder();
    }
  }

  void responded(int status) {
    responses[status / 100].increment();
  }

  long responses(int hundreds) {
    return responses[hundreds].sum();
  }
}
