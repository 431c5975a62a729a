package io.latchkey.storage.redis;

import io.lettuce.core.cluster.RedisClusterClient;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A cluster. Lettuce finds its nodes, keeps a connection to each that is needed, which it makes
 * anew, and sends commands where their keys are; so there is one session for ever, once it could be
 * made.
 */
final class ClusterServer implements Server {
  private final RedisClusterClient client;
  private final Failures failures;
  private final AtomicReference<@Nullable CompletableFuture<Session>> current =
      new AtomicReference<>();
  private volatile boolean closed;

  ClusterServer(RedisClusterClient client, Failures failures) {
    this.client = client;
    this.failures = failures;
  }

  @Override
  public CompletableFuture<Session> session() {
    if (closed) {
      return CompletableFuture.failedFuture(failures.closed());
    }
    CompletableFuture<Session> seen = current.get();
    if (seen != null && !seen.isCompletedExceptionally()) {
      return seen;
    }
    CompletableFuture<Session> fresh = new CompletableFuture<>();
    CompletableFuture<Session> found = current.compareAndExchange(seen, fresh);
    if (found != seen && found != null) {
      return found;
    }
    connect(fresh);
    return fresh;
  }

  private void connect(CompletableFuture<Session> fresh) {
    CompletableFuture<Session> connecting;
    try {
      connecting =
          client
              .refreshPartitionsAsync()
              .thenCompose(found -> client.connectAsync(Session.CODEC))
              .thenApply(Session::of)
              .toCompletableFuture();
    } catch (RuntimeException e) {
      connecting = CompletableFuture.failedFuture(e); // the client was shut down
    }
    var unused =
        connecting.whenComplete(
            (session, failure) -> {
              if (failure != null) {
                fresh.completeExceptionally(failures.connecting(failure));
              } else {
                fresh.complete(session);
              }
            });
  }

  /** Lettuce minds the connections to the nodes. */
  @Override
  public void lost(Session session) {}

  @Override
  public void heard() {}

  @Override
  public void unanswered(long since) {}

  /** The connections end with the client. */
  @Override
  public void close() {
    closed = true;
  }
}
