package io.latchkey.storage.http.server;

import org.jspecify.annotations.Nullable;

/** A request on its way to its response. All but {@link #complete} is for the event loop. */
final class Exchange {
  private final Connection connection;

  /** Whether only the head of the response is wanted. */
  final boolean headOnly;

  /** Whether the client speaks HTTP/1.0, and wants to be told that the connection stays. */
  final boolean old;

  /** Whether the connection ends after the response. */
  boolean last;

  /** What has to be sent; null while it is worked on. */
  @Nullable Answer answer;

  Exchange(Connection connection, boolean headOnly, boolean old, boolean last) {
    this.connection = connection;
    this.headOnly = headOnly;
    this.old = old;
    this.last = last;
  }

  /** Answers the request, from any thread; the first answer counts. */
  void complete(Answer result) {
    connection.complete(this, result);
  }
}
