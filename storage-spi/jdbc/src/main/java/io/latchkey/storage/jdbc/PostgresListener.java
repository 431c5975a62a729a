package io.latchkey.storage.jdbc;

import io.latchkey.storage.StorageException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * A thread that listens to a channel of PostgreSQL over a connection of its own, asks the server
 * now and then whether it is still there, and connects again when it is not, after a time that
 * doubles with each failure.
 */
final class PostgresListener implements AutoCloseable {
  private static final Logger LOG = System.getLogger("io.latchkey.storage.jdbc");

  /** How often the server is asked for a sign of life, in ms. */
  static final int BEAT_MILLIS = 2_000;

  /** How long it may take to give one, in ms. */
  static final int ANSWER_MILLIS = 5_000;

  private static final long MIN_BACKOFF_MILLIS = 50;
  private static final long MAX_BACKOFF_MILLIS = 5_000;
  private static final Duration END = Duration.ofSeconds(10);

  /** What the thread tells. All calls come from it. */
  interface Events {
    /** It listens: whatever is committed from now on is notified. */
    void connected(Connection connection) throws SQLException, StorageException;

    /** These payloads came, in the order of the commits. */
    void notified(Connection connection, List<String> payloads)
        throws SQLException, StorageException;

    /** Some time has passed; the connection works if this does not throw. */
    void beat(Connection connection) throws SQLException, StorageException;

    /** The connection is gone, or one of the calls above failed. */
    void lost(String reason);
  }

  private final String name;
  private final Pool pool;
  private final String channel;
  private final Events events;
  private final Thread thread;

  /** Guards the fields below, and is waited on between attempts. */
  private final Object state = new Object();

  private boolean closed;
  private @Nullable Connection current;

  PostgresListener(String name, Pool pool, String channel, Events events) {
    this.name = name;
    this.pool = pool;
    this.channel = channel;
    this.events = events;
    this.thread = new Thread(this::run, "latchkey-feed-" + channel);
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  private void run() {
    long backoff = MIN_BACKOFF_MILLIS;
    boolean warned = false;
    while (!isClosed()) {
      String reason;
      try (Connection connection = pool.dedicated(ANSWER_MILLIS)) {
        if (!adopt(connection)) {
          return;
        }
        listen(connection);
        backoff = MIN_BACKOFF_MILLIS;
        warned = false;
        follow(connection);
        return;
      } catch (SQLException e) {
        reason = SqlFailures.detail(e);
      } catch (StorageException e) {
        reason = String.valueOf(e.getMessage());
      } catch (InterruptedException e) {
        reason = "interrupted"; // only by a close, which the loop sees
      } catch (RuntimeException | LinkageError e) {
        reason = e.toString();
      } finally {
        adopt(null);
      }
      if (isClosed()) {
        return;
      }
      events.lost("the connection to " + name + " was lost: " + reason);
      if (!warned) {
        LOG.log(
            Level.WARNING, "{0} tells no changes until it is connected again: {1}", name, reason);
        warned = true;
      }
      pause(backoff);
      backoff = Math.min(MAX_BACKOFF_MILLIS, 2 * backoff);
    }
  }

  private void listen(Connection connection) throws SQLException, StorageException {
    try (Statement statement = connection.createStatement()) {
      // The channel is made of letters and digits here, so quotes need no doubling.
      statement.execute("LISTEN \"" + channel + "\"");
    }
    events.connected(connection);
  }

  private void follow(Connection connection) throws SQLException, StorageException {
    PGConnection postgres = connection.unwrap(PGConnection.class);
    long lastBeat = System.nanoTime();
    while (!isClosed()) {
      PGNotification[] arrived = postgres.getNotifications(BEAT_MILLIS);
      if (arrived != null && arrived.length > 0) {
        List<String> payloads = new ArrayList<>(arrived.length);
        for (PGNotification notification : arrived) {
          payloads.add(notification.getParameter());
        }
        events.notified(connection, payloads);
      }
      if (System.nanoTime() - lastBeat >= Duration.ofMillis(BEAT_MILLIS).toNanos()) {
        events.beat(connection);
        lastBeat = System.nanoTime();
      }
    }
  }

  private boolean isClosed() {
    synchronized (state) {
      return closed;
    }
  }

  /** Takes a connection that a close has to cut; false if it is closed already. */
  private boolean adopt(@Nullable Connection connection) {
    synchronized (state) {
      current = connection;
      return !closed;
    }
  }

  private void pause(long millis) {
    // Not all at once, when many caches lost one server.
    long end =
        System.nanoTime()
            + Duration.ofMillis(ThreadLocalRandom.current().nextLong(millis / 2, millis + 1))
                .toNanos();
    synchronized (state) {
      long left = end - System.nanoTime();
      while (!closed && left > 0) {
        try {
          state.wait(left / 1_000_000 + 1);
        } catch (InterruptedException e) {
          // Nobody interrupts it but a close, which is seen at once.
        }
        left = end - System.nanoTime();
      }
    }
  }

  /** Ends the thread; when this returns it tells nothing more, unless it is the caller. */
  @Override
  public void close() {
    Connection cut;
    synchronized (state) {
      closed = true;
      cut = current;
      state.notifyAll();
    }
    if (cut != null) {
      try {
        cut.abort(Runnable::run);
      } catch (SQLException e) {
        // It is gone already.
      }
    }
    if (Thread.currentThread() != thread) {
      thread.interrupt();
      join();
    }
  }

  private void join() {
    boolean interrupted = false;
    long end = System.nanoTime() + END.toNanos();
    for (long left = END.toMillis(); thread.isAlive() && left > 0; ) {
      try {
        thread.join(left);
      } catch (InterruptedException e) {
        interrupted = true;
      }
      left = (end - System.nanoTime()) / 1_000_000;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
