package io.latchkey.storage.redis;

import java.util.concurrent.CompletableFuture;

/** The server or the cluster that a storage talks to. Thread-safe. */
interface Server {
  /**
   * A session to send commands on: the one there is, or a new one if that ended.
   *
   * @return completes with it, or with a {@link io.latchkey.storage.StorageException} that says why
   *     there is none
   */
  CompletableFuture<Session> session();

  /** Says that the connection of a session ended. */
  void lost(Session session);

  /** Says that an answer came, be it an error. */
  void heard();

  /**
   * Says that a call got no answer in time. If no other one did either, the connection may lead
   * nowhere: it is ended, and the next call makes another.
   *
   * @param since when the call began, as of {@link System#nanoTime}
   */
  void unanswered(long since);

  /** Gives no more sessions. */
  void close();
}
