package io.latchkey.storage.http.server;

/**
 * The bounds that one client, and all clients together, are held to. Times are nanoseconds.
 *
 * @param lineBytes bytes of the request line
 * @param headerBytes bytes of all header fields of a request
 * @param bodyBytes bytes of one body
 * @param bodiesBytes bytes of all bodies that are being received or worked on
 * @param keyBytes bytes of a key
 * @param bulkKeys keys of one bulk request
 * @param pipelined requests of one connection that are read and not yet answered
 * @param connections connections that are served at once
 * @param idle how long a connection may lie idle between requests
 * @param request how long a request may take to arrive
 * @param write how long a client may take nothing of what is sent to it
 * @param drain how long {@code close} waits for requests to be answered
 */
record Limits(
    int lineBytes,
    int headerBytes,
    int bodyBytes,
    long bodiesBytes,
    int keyBytes,
    int bulkKeys,
    int pipelined,
    int connections,
    long idle,
    long request,
    long write,
    long drain) {
  /** Bytes a second that a body has to arrive with once {@link #request} is over. */
  static final long BODY_RATE = 16 * 1024;

  /** How long what a refused client still sends is read, so that it gets to see the answer. */
  static final long LINGER = 1_000_000_000L;

  /** How long an idle connection may still send a request while the server shuts down. */
  static final long FAREWELL = 250_000_000L;
}
