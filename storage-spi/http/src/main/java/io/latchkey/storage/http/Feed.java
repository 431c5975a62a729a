package io.latchkey.storage.http;

import io.latchkey.storage.Codec;
import io.latchkey.storage.FeedListener;
import io.latchkey.storage.RemoteFeed;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.Subscription;
import io.netty.channel.EventLoop;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The feed of a server for all listeners of one storage: one connection while there is a listener,
 * opened again when it ends. Epochs and sequences are the server's own. The listeners are told
 * {@code lost} as soon as the connection is gone. A connection that goes on at the last event makes
 * them whole at that very event, and what was missed follows: what a listener kept in the gap was
 * nothing, so that this costs it nothing, and one that counts sees no hole.
 *
 * <p>All but {@link #watch} belongs to the event loop of the feed.
 */
final class Feed<K> {
  private static final Logger LOG = System.getLogger("io.latchkey.storage.http");

  private static final long FIRST_DELAY = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long LONGEST_DELAY = TimeUnit.SECONDS.toNanos(10);

  private final HttpClient client;
  private final Codec<K> keys;
  private final Backoff backoff = new Backoff(FIRST_DELAY, LONGEST_DELAY);
  private final RemoteFeed<K> listeners = new RemoteFeed<>();

  /** Watches that wait until the feed is whole, or is known not to become so soon. */
  private final List<CompletableFuture<@Nullable Void>> waiting = new ArrayList<>();

  private @Nullable EventLoop loop;

  /** The connection, also while it is being opened; null if there is none. */
  private @Nullable FeedConnection connection;

  private boolean delayed;

  /** The last event that was told, if what follows can be told without a hole. */
  private @Nullable FeedPosition position;

  private boolean live;
  private boolean closed;

  Feed(HttpClient client, Codec<K> keys) {
    this.client = client;
    this.keys = keys;
  }

  /**
   * Subscribes, and waits until the listener is whole, or it is clear that this may take long: the
   * server has lost its own feed.
   */
  Subscription watch(FeedListener<K> listener) throws StorageException, InterruptedException {
    EventLoop on = client.feedLoop();
    Subscription inner;
    try {
      inner = listeners.watch(listener);
    } catch (IllegalStateException e) {
      client.checkOpen();
      throw e; // of the listener itself
    }
    Subscription subscription =
        () -> {
          inner.close();
          execute(on, this::closeUnused);
        };
    boolean done = false;
    try {
      CompletableFuture<@Nullable Void> ready = new CompletableFuture<>();
      if (!execute(on, () -> begin(on, ready))) {
        throw client.endpoint.closed();
      }
      // A listener that watches is not kept waiting for itself, nor are the answers of others.
      if (!on.inEventLoop() && !client.isOnEventLoop()) {
        await(ready);
      }
      done = true;
      return subscription;
    } finally {
      if (!done) {
        subscription.close();
      }
    }
  }

  private void await(CompletableFuture<@Nullable Void> ready)
      throws StorageException, InterruptedException {
    try {
      ready.get(
          client.options.connectTimeout().plus(client.options.timeout()).toNanos(),
          TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      // The server is there, and will tell when it is whole.
    } catch (ExecutionException e) {
      if (e.getCause() instanceof StorageException failure) {
        throw client.endpoint.failure(
            String.valueOf(failure.getMessage()), failure.getCause(), failure.retryable());
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  private static boolean execute(EventLoop on, Runnable task) {
    try {
      on.execute(task);
      return true;
    } catch (RejectedExecutionException e) {
      return false; // closed, and with it all subscriptions
    }
  }

  private void begin(EventLoop on, CompletableFuture<@Nullable Void> ready) {
    loop = on;
    if (closed) {
      ready.completeExceptionally(client.endpoint.closed());
    } else if (live) {
      ready.complete(null);
    } else {
      waiting.add(ready);
      if (connection == null && !delayed) {
        connect();
      }
    }
  }

  private void closeUnused() {
    FeedConnection unused = connection;
    if (unused != null && !listeners.isWatched()) {
      connection = null;
      position = null;
      unused.close();
      lose("nobody listened");
    }
  }

  // ---- the connection

  private void connect() {
    EventLoop on = loop;
    delayed = false;
    if (closed || !listeners.isWatched() || connection != null || on == null) {
      return;
    }
    Hearer hearer = new Hearer();
    FeedConnection fresh = new FeedConnection(client, position, hearer);
    hearer.own = fresh;
    connection = fresh;
    client.connector.connect(
        on,
        fresh,
        failure -> {
          if (failure != null) {
            hearer.ended(fresh, client.connector.failure(failure), true);
          } else if (connection != fresh) {
            fresh.close(); // the last listener left meanwhile
          }
        });
  }

  /** What one connection tells, as long as it is the one. */
  private final class Hearer implements FeedConnection.Owner {
    @Nullable FeedConnection own;

    @Override
    public void event(String name, @Nullable String id, List<String> data)
        throws BadAnswerException {
      if (own == connection) {
        Feed.this.event(name, id, data);
      }
    }

    @Override
    public void retry(long millis) {
      backoff.first(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    @Override
    public void ended(FeedConnection ended, Exception failure, boolean resumable) {
      if (ended == connection) {
        Feed.this.ended(failure, resumable);
      }
    }
  }

  private void ended(Exception failure, boolean resumable) {
    connection = null;
    if (!resumable) {
      position = null;
    }
    LOG.log(Level.DEBUG, "the feed of {0} ended: {1}", client.endpoint.name(), failure);
    lose(String.valueOf(failure.getMessage()));
    answer(ready -> ready.completeExceptionally(failure));
    EventLoop on = loop;
    if (!closed && on != null && !on.isShuttingDown()) {
      delayed = true;
      on.schedule(this::connect, backoff.nextDelay(), TimeUnit.NANOSECONDS);
    }
  }

  // ---- the events

  private void lose(String reason) {
    live = false;
    listeners.lost(reason);
  }

  /** Answers the watches that wait. */
  private void answer(Consumer<CompletableFuture<@Nullable Void>> how) {
    List<CompletableFuture<@Nullable Void>> all = List.copyOf(waiting);
    waiting.clear();
    all.forEach(how);
  }

  private void event(String name, @Nullable String id, List<String> data)
      throws BadAnswerException {
    switch (name) {
      case "whole" -> whole(position(name, id));
      case "changed" -> {
        changed(next(position(name, id)), data);
      }
      case "all" -> {
        FeedPosition at = next(position(name, id));
        position = at;
        listeners.changedAll();
      }
      case "lost" -> {
        lose("the server lost its own feed: " + String.join(" ", data));
        position = null;
        answer(ready -> ready.complete(null));
      }
      default -> {
        // Of a later version of the protocol.
      }
    }
  }

  private static FeedPosition position(String name, @Nullable String id) throws BadAnswerException {
    try {
      if (id != null) {
        return FeedPosition.parse(id);
      }
    } catch (IllegalArgumentException e) {
      throw new BadAnswerException("the id of an event is wrong: " + e.getMessage(), e);
    }
    throw new BadAnswerException("an event '" + name + "' has no id", null);
  }

  private void whole(FeedPosition at) {
    if (live && at.equals(position)) {
      return;
    }
    backoff.succeeded();
    position = at;
    live = true;
    listeners.whole(at.epoch(), at.sequence());
    answer(ready -> ready.complete(null));
  }

  /** Checks that an event follows upon the last one. */
  private FeedPosition next(FeedPosition at) throws BadAnswerException {
    FeedPosition last = position;
    if (!live || last == null) {
      throw new BadAnswerException("event " + at + " came before the feed was whole", null);
    }
    if (at.epoch() != last.epoch() || at.sequence() != last.sequence() + 1) {
      throw new BadAnswerException("event " + at + " came after " + last, null);
    }
    return at;
  }

  private void changed(FeedPosition at, List<String> lines) throws BadAnswerException {
    List<K> changed = new ArrayList<>(lines.size());
    for (String line : lines) {
      byte[] bytes;
      try {
        bytes = KeyText.decode(line);
      } catch (IllegalArgumentException e) {
        throw new BadAnswerException("a key in event " + at + " is wrong: " + e.getMessage(), e);
      }
      try {
        changed.add(keys.decode(bytes));
      } catch (IllegalArgumentException e) {
        // No encoding of a key, so none that anybody here could have asked for.
        LOG.log(Level.DEBUG, "event {0} names a key of another type: {1}", at, e.getMessage());
      } catch (Throwable e) {
        LOG.log(Level.WARNING, "The key codec failed; all objects count as changed", e);
        position = at;
        listeners.changedAll();
        return;
      }
    }
    position = at;
    listeners.changed(changed);
  }

  // ---- end

  /** Tells all listeners that the storage is closed, and ends their subscriptions. */
  void farewell() {
    closed = true;
    listeners.close();
    answer(ready -> ready.completeExceptionally(client.endpoint.closed()));
  }
}
