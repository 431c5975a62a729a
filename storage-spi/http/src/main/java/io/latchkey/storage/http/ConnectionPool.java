package io.latchkey.storage.http;

import io.latchkey.storage.StorageException;
import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The connections to one server, and the requests that wait for one of them. A request goes to the
 * connection with the least to do. A further connection is opened when all are busy, one at a time,
 * and none before the delay after a failed attempt is over.
 *
 * <p>A request whose connection ended before anything of its answer came is sent once more if that
 * can do no harm. Requests wait for an attempt to connect, and fail with it if there is no other
 * connection.
 *
 * <p>Belongs to the event loop, so that nothing here is locked.
 */
final class ConnectionPool implements Connection.Owner {
  private static final int MOST_WAITING = 1 << 16;
  private static final int MOST_ATTEMPTS = 2;

  private static final long FIRST_DELAY = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long LONGEST_DELAY = TimeUnit.SECONDS.toNanos(1);

  /** Less than servers and firewalls let connections lie idle, so that they seldom end unawares. */
  private static final long IDLE = TimeUnit.SECONDS.toNanos(20);

  private static final long SHORTEST_CHECK = TimeUnit.MILLISECONDS.toNanos(1);

  private final Endpoint endpoint;
  private final HttpOptions options;
  private final Connector connector;
  private final EventLoop loop;
  private final Deque<Request> waiting = new ArrayDeque<>();
  private final List<Connection> connections = new ArrayList<>();
  private final Backoff backoff = new Backoff(FIRST_DELAY, LONGEST_DELAY);

  /** An attempt is under way or its time is set. */
  private boolean connecting;

  private boolean delayed;
  private long notBefore = System.nanoTime();
  private boolean checking;
  private boolean closed;

  ConnectionPool(Endpoint endpoint, HttpOptions options, Connector connector, EventLoop loop) {
    this.endpoint = endpoint;
    this.options = options;
    this.connector = connector;
    this.loop = loop;
  }

  void submit(Request request) {
    if (closed) {
      request.answer.completeExceptionally(endpoint.closed());
      return;
    }
    if (waiting.size() >= MOST_WAITING) {
      request.answer.completeExceptionally(
          endpoint.failure(
              waiting.size()
                  + " calls already wait for "
                  + endpoint.name()
                  + ": ask for less at once, or give more connections=",
              null,
              true));
      return;
    }
    request.deadline = System.nanoTime() + options.timeout().toNanos();
    waiting.add(request);
    drain();
    check(options.timeout().toNanos());
  }

  @Override
  public void hasRoom() {
    if (!waiting.isEmpty()) {
      drain();
    }
  }

  /** Sends what waits, as far as there is room, and sees to it that there will be. */
  private void drain() {
    for (Request next = waiting.peek(); next != null; next = waiting.peek()) {
      if (next.answer.isDone()) {
        waiting.remove(); // its caller has left
        continue;
      }
      Connection to = leastBusy();
      if (to == null) {
        break;
      }
      waiting.remove();
      to.send(next);
    }
    if (!waiting.isEmpty() || connections.stream().allMatch(each -> each.load() > 0)) {
      openAnother();
    }
  }

  private @Nullable Connection leastBusy() {
    @Nullable Connection best = null;
    for (Connection each : connections) {
      if (each.hasRoom() && (best == null || each.load() < best.load())) {
        best = each;
      }
    }
    return best;
  }

  // ---- connecting

  private void openAnother() {
    if (connecting || closed || connections.size() >= options.connections()) {
      return;
    }
    long delay = delayed ? notBefore - System.nanoTime() : 0;
    if (delay <= 0) {
      connecting = true;
      connect();
    } else if (connections.isEmpty()) {
      connecting = true;
      loop.schedule(this::connect, delay, TimeUnit.NANOSECONDS);
    }
    // Else the connections that there are have to do until the next request after the delay.
  }

  private void connect() {
    if (closed) {
      return;
    }
    Connection fresh = new Connection(endpoint, options, this);
    connector.connect(loop, fresh, failure -> connected(fresh, failure));
  }

  private void connected(Connection fresh, @Nullable Throwable failure) {
    connecting = false;
    if (failure == null) {
      delayed = false;
      backoff.succeeded();
      connections.add(fresh);
      if (closed) {
        fresh.close();
      }
      drain();
      check(IDLE);
      return;
    }
    delayed = true;
    notBefore = System.nanoTime() + backoff.nextDelay();
    if (connections.isEmpty()) {
      List<Request> unserved = new ArrayList<>(waiting);
      waiting.clear();
      for (Request request : unserved) {
        request.answer.completeExceptionally(connector.failure(failure));
      }
    }
  }

  @Override
  public void ended(Connection connection, List<Request> unanswered, @Nullable Throwable cause) {
    connections.remove(connection);
    for (int i = unanswered.size() - 1; i >= 0; i--) {
      Request request = unanswered.get(i);
      if (closed) {
        request.answer.completeExceptionally(endpoint.closed());
      } else if (!request.answer.isDone()) {
        if (request.repeatable && !request.begun && request.attempts < MOST_ATTEMPTS) {
          waiting.addFirst(request);
        } else {
          request.answer.completeExceptionally(lost(request, cause));
        }
      }
    }
    if (!waiting.isEmpty()) {
      drain();
    }
  }

  private StorageException lost(Request request, @Nullable Throwable cause) {
    return endpoint.failure(
        "the connection to "
            + endpoint.name()
            + " ended "
            + (request.begun ? "in the middle of" : "before")
            + " the answer to "
            + request.method
            + (cause == null ? "" : " (" + StorageException.reason(cause) + ")")
            + request.outcome()
            + ": try again",
        cause,
        true);
  }

  // ---- time

  private void check(long withinNanos) {
    if (!checking && !closed) {
      checking = true;
      loop.schedule(this::expire, Math.max(SHORTEST_CHECK, withinNanos), TimeUnit.NANOSECONDS);
    }
  }

  private void expire() {
    checking = false;
    long now = System.nanoTime();
    long next = now + Math.min(IDLE, options.timeout().toNanos());
    for (Connection connection : List.copyOf(connections)) {
      long due = connection.expire(now, IDLE);
      next = due - next < 0 ? due : next;
    }
    for (Request request : waiting) {
      if (request.deadline - now <= 0) {
        request.answer.completeExceptionally(
            endpoint.failure(
                "no connection to "
                    + endpoint.name()
                    + " was free within "
                    + options.timeout()
                    + ": give more connections=, or a longer timeout=",
                null,
                true));
      } else if (request.deadline - next < 0) {
        next = request.deadline;
      }
    }
    waiting.removeIf(request -> request.answer.isDone());
    if (!waiting.isEmpty() || !connections.isEmpty()) {
      check(next - now);
    }
  }

  // ---- end

  void close() {
    if (closed) {
      return;
    }
    closed = true;
    for (Request request : waiting) {
      request.answer.completeExceptionally(endpoint.closed());
    }
    waiting.clear();
    for (Connection connection : List.copyOf(connections)) {
      connection.close();
    }
  }
}
