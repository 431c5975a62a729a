package io.latchkey.storage.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One server, over one connection. When that ends, the next call makes another, and those that come
 * meanwhile wait for it with that call; so a server that is there again is found at once.
 *
 * <p>States of the reference: a future under way (connecting), completed with a session that is
 * open, or with one that is not, or with a failure, and null. The last three are replaced, by
 * compare-and-set, by whoever finds them. Whoever sees that a session ended puts null in its place,
 * because a connection says only a little later that it ended.
 */
final class SingleServer implements Server {
  private final RedisClient client;
  private final RedisURI uri;
  private final Failures failures;
  private final AtomicReference<@Nullable CompletableFuture<Session>> current =
      new AtomicReference<>();
  private volatile boolean closed;

  /** When an answer came last, as of {@link System#nanoTime}. */
  private volatile long heardAt = System.nanoTime();

  SingleServer(RedisClient client, RedisURI uri, Failures failures) {
    this.client = client;
    this.uri = uri;
    this.failures = failures;
  }

  @Override
  public CompletableFuture<Session> session() {
    if (closed) {
      return CompletableFuture.failedFuture(failures.closed());
    }
    CompletableFuture<Session> seen = current.get();
    if (seen != null && (!seen.isDone() || open(seen) != null)) {
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

  /** The session if it is one that is open. */
  private static @Nullable Session open(@Nullable CompletableFuture<Session> future) {
    if (future == null || !future.isDone() || future.isCompletedExceptionally()) {
      return null;
    }
    Session session = future.join();
    return session.isOpen() ? session : null;
  }

  private void connect(CompletableFuture<Session> fresh) {
    CompletableFuture<StatefulRedisConnection<byte[], byte[]>> connecting;
    try {
      connecting = client.connectAsync(Session.CODEC, uri).toCompletableFuture();
    } catch (RuntimeException e) {
      connecting = CompletableFuture.failedFuture(e); // the client was shut down
    }
    var unused =
        connecting.whenComplete(
            (connection, failure) -> {
              if (failure != null) {
                fresh.completeExceptionally(failures.connecting(failure));
                return;
              }
              heardAt = System.nanoTime();
              fresh.complete(Session.of(connection, false));
            });
  }

  @Override
  public void heard() {
    heardAt = System.nanoTime();
  }

  @Override
  public void lost(Session session) {
    CompletableFuture<Session> seen = current.get();
    if (open(seen) == session) {
      current.compareAndSet(seen, null);
    }
  }

  @Override
  public void unanswered(long since) {
    Session session = open(current.get());
    if (session != null && heardAt - since < 0) {
      lost(session);
      var unused = session.connection().closeAsync();
    }
  }

  /** The connections end with the client. */
  @Override
  public void close() {
    closed = true;
  }
}
