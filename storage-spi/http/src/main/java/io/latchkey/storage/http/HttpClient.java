package io.latchkey.storage.http;

import io.latchkey.storage.StorageException;
import io.netty.channel.EventLoop;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Requests to one server, from any thread. One event loop serves all connections for objects, and
 * another one, begun when it is needed, the feed: so a listener may load and store, and a slow one
 * delays no load. Their threads are daemons and end with the client.
 */
final class HttpClient {
  /** What a caller waits beyond the time-out that the event loop sees to. */
  private static final long SLACK = TimeUnit.SECONDS.toNanos(1);

  /** How long {@link #close} waits for a thread that is in a function of the user. */
  private static final long FAREWELL_MILLIS = 2_000;

  final Endpoint endpoint;
  final HttpOptions options;
  final Connector connector;
  private final EventLoop loop;
  private final ConnectionPool pool;

  /** Set under the monitor. */
  private volatile boolean closed;

  /** Guarded by the monitor. */
  private @Nullable EventLoop feedLoop;

  HttpClient(Endpoint endpoint, HttpOptions options) throws StorageException {
    this.endpoint = endpoint;
    this.options = options;
    connector = new Connector(endpoint, options);
    loop = eventLoop("latchkey-http-client");
    pool = new ConnectionPool(endpoint, options, connector, loop);
  }

  private static EventLoop eventLoop(String name) {
    return new SingleThreadIoEventLoop(
        null, new DefaultThreadFactory(name, true), NioIoHandler.newFactory());
  }

  /** Sends a request; its answer is completed on the event loop. */
  void send(Request request) {
    try {
      checkOpen();
      loop.execute(() -> pool.submit(request));
    } catch (StorageException e) {
      request.answer.completeExceptionally(e);
    } catch (RejectedExecutionException e) {
      request.answer.completeExceptionally(endpoint.closed());
    }
  }

  /** Sends a request and waits for its answer. */
  Answer call(Request request) throws StorageException, InterruptedException {
    checkMayWait();
    if (Thread.interrupted()) {
      throw new InterruptedException("interrupted before " + request.method + " was sent");
    }
    send(request);
    return await(request);
  }

  /** Waits for the answer; who is interrupted leaves, and the answer goes to nobody. */
  Answer await(Request request) throws StorageException, InterruptedException {
    try {
      return request.answer.get(options.timeout().toNanos() + SLACK, TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof StorageException failure) {
        // Anew, so that the trace shows this caller and not the event loop.
        throw endpoint.failure(
            String.valueOf(failure.getMessage()), failure.getCause(), failure.retryable());
      }
      throw endpoint.failure(
          request.method + " to " + endpoint.name() + " failed: " + e.getCause() + ": report it",
          e.getCause(),
          false);
    } catch (TimeoutException e) {
      throw endpoint.failure(
          "the event loop of "
              + endpoint.name()
              + " is held up"
              + request.outcome()
              + ": what depends on a loadAsync must not wait, move it to an executor",
          null,
          true);
    } finally {
      request.answer.cancel(false); // of no effect if the answer is there
    }
  }

  void checkMayWait() throws StorageException {
    checkOpen();
    if (isOnEventLoop()) {
      throw endpoint.failure(
          "a call that waits for "
              + endpoint.name()
              + " on its own event loop would wait for ever: use loadAsync, or move what depends"
              + " on it to an executor",
          null,
          false);
    }
  }

  boolean isOnEventLoop() {
    return loop.inEventLoop();
  }

  void checkOpen() throws StorageException {
    if (closed) {
      throw endpoint.closed();
    }
  }

  /** The event loop of the feed. */
  synchronized EventLoop feedLoop() throws StorageException {
    checkOpen();
    EventLoop existing = feedLoop;
    if (existing != null) {
      return existing;
    }
    EventLoop fresh = eventLoop("latchkey-http-feed");
    feedLoop = fresh;
    return fresh;
  }

  /**
   * Ends what is under way with a failure, and the threads; waits for them unless it is one.
   *
   * @param farewell what has to be done on the feed's event loop before, if there is one
   */
  void close(Runnable farewell) {
    EventLoop feed;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      feed = feedLoop;
    }
    loop.execute(pool::close);
    end(loop);
    if (feed != null) {
      feed.execute(farewell);
      end(feed);
    }
    boolean own = loop.inEventLoop() || (feed != null && feed.inEventLoop());
    if (!own) {
      boolean interrupted = Thread.interrupted();
      interrupted |= !join(loop);
      interrupted |= feed != null && !join(feed);
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static void end(EventLoop loop) {
    loop.shutdownGracefully(0, FAREWELL_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Waits for the end of a thread; false if interrupted meanwhile. */
  private static boolean join(EventLoop loop) {
    try {
      loop.awaitTermination(FAREWELL_MILLIS, TimeUnit.MILLISECONDS);
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }
}
