package io.latchkey.storage.jdbc;

import io.latchkey.storage.CommitFeed;
import io.latchkey.storage.CommitListener;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.Subscription;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The feed of commits of a table with a history. A notification says no more than that there are
 * new ones; they are read from the history, so that none is missed whatever happens to the
 * connection, as long as the history has them.
 *
 * @param <K> the type of the keys
 */
final class PostgresCommits<K> implements AutoCloseable {
  /** How many revisions are read at a time. */
  private static final int BATCH = 1_000;

  /** Odd and large, so that the timeline changes the epoch. */
  private static final long TIMELINE = 0x9E3779B97F4A7C15L;

  private final JdbcStorage<K, ?> storage;
  private final CatalogTable table;
  private final KeyColumn<K> keys;
  private final CommitFeed<K> feed;

  /** The last revision that was told; of the listener's thread. */
  private long told;

  /** What was read last for listeners that lack commits. */
  private volatile @Nullable Commits<K> log;

  /** Guards the field below. */
  private final Object starting = new Object();

  private @Nullable PostgresListener listener;

  /**
   * The state of a history.
   *
   * @param epoch tells it from others, also from what it was before the server was set back
   * @param revision the newest revision
   * @param oldest the oldest one that can be read
   */
  record Head(long epoch, long revision, long oldest) {}

  PostgresCommits(JdbcStorage<K, ?> storage, CatalogTable table, Head head) {
    this.storage = storage;
    this.table = table;
    this.keys = storage.table.key();
    this.feed = new CommitFeed<>(head.epoch, head.revision, this::logged);
    this.told = head.revision;
    feed.lost("not connected yet");
  }

  static Head head(Connection connection, CatalogTable table) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(HistorySql.readHead(table));
        ResultSet rows = statement.executeQuery()) {
      if (!rows.next()) {
        throw new SQLException("the history has lost its head: remove and install it again");
      }
      long epoch = (rows.getLong(1) ^ rows.getLong(4) * TIMELINE) & Long.MAX_VALUE;
      return new Head(epoch, rows.getLong(2), rows.getLong(3));
    }
  }

  static boolean isInstalled(Connection connection, CatalogTable table) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(FeedSql.countTriggers())) {
      statement.setString(1, table.table());
      statement.setString(2, HistorySql.record(table));
      statement.setString(3, table.prefix().replace("_", "\\_") + "\\_%");
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next() && rows.getInt(1) == HistorySql.triggers();
      }
    }
  }

  static StorageException notInstalled(CatalogTable table) {
    return new StorageException(
        table.name(),
        "the history of "
            + table.table()
            + " is missing or its triggers are disabled: open it with revisions=install, or have"
            + " the SQL of PostgresInstallation run",
        null,
        true);
  }

  Subscription subscribe(long from, CommitListener<K> watcher) throws StorageException {
    Subscription subscription;
    try {
      subscription = feed.subscribe(from, watcher);
    } catch (IllegalStateException e) {
      storage.pool.checkOpen();
      throw e;
    }
    synchronized (starting) {
      if (listener == null && !storage.pool.isClosed()) {
        listener =
            new PostgresListener(storage.name, storage.pool, HistorySql.channel(table), new Told());
        listener.start();
      }
    }
    return subscription;
  }

  /**
   * Commits that follow each other.
   *
   * @param after the revision before the first of them
   * @param head the newest revision when they were read
   * @param oldest the oldest one that could be read then: the commits after it are complete
   * @param changed their keys
   */
  private record Commits<K>(long after, long head, long oldest, List<List<K>> changed) {
    boolean isForgotten() {
      return after < oldest;
    }
  }

  private Commits<K> read(Connection connection, long after) throws SQLException {
    long head = after;
    long oldest = 0;
    List<List<K>> changed = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(HistorySql.readCommits(table))) {
      statement.setLong(1, after);
      statement.setLong(2, after + BATCH);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          head = rows.getLong(1);
          oldest = rows.getLong(2);
          while (changed.size() < Math.min(BATCH, head - after)) {
            changed.add(new ArrayList<>()); // a commit may have changed nothing in the end
          }
          Object key = keys.read(rows, 4);
          if (key != null) {
            changed.get((int) (rows.getLong(3) - after - 1)).add(keys.fromSql(key));
          }
        }
      }
    }
    return new Commits<>(after, head, oldest, changed);
  }

  /** The keys of a commit, for the feed and under its lock; null if it is forgotten. */
  private @Nullable List<K> logged(long revision) throws StorageException, InterruptedException {
    Commits<K> known = log;
    if (known == null || revision <= known.after || revision > known.after + known.changed.size()) {
      // Who asks for one will ask for those that follow.
      known =
          Objects.requireNonNull(
              storage.call("read the history of", connection -> read(connection, revision - 1)));
      log = known;
    }
    int index = (int) (revision - known.after - 1);
    return known.isForgotten() || index >= known.changed.size() ? null : known.changed.get(index);
  }

  @Override
  public void close() {
    PostgresListener ended;
    synchronized (starting) {
      ended = listener;
    }
    if (ended != null) {
      ended.close();
    }
    feed.close();
  }

  private final class Told implements PostgresListener.Events {
    @Override
    public void connected(Connection connection) throws SQLException, StorageException {
      if (!isInstalled(connection, table)) {
        throw notInstalled(table);
      }
      Head head = head(connection, table);
      if (head.epoch != feed.epoch() || head.revision < told) {
        begin(head);
      } else {
        told = head.revision;
        feed.whole(told);
      }
    }

    private void begin(Head head) {
      // A smaller number in the same epoch can only be of a history that was put back by hand.
      boolean known = head.epoch == feed.epoch() && head.revision < told;
      long epoch = known ? ThreadLocalRandom.current().nextLong(Long.MAX_VALUE) : head.epoch;
      told = head.revision;
      log = null; // it is of the other history
      feed.restart(epoch, told);
    }

    /** Tells the commits that are new. */
    private void follow(Connection connection) throws SQLException {
      while (true) {
        Commits<K> commits = read(connection, told);
        if (commits.head < told) {
          begin(head(connection, table));
          return;
        }
        if (commits.head == told) {
          return;
        }
        if (commits.isForgotten()) {
          told = commits.head;
          feed.restart(feed.epoch(), told);
          return;
        }
        for (List<K> changed : commits.changed) {
          told++;
          feed.committed(told, changed);
          feed.deliver();
        }
      }
    }

    @Override
    public void notified(Connection connection, List<String> payloads)
        throws SQLException, StorageException {
      follow(connection);
    }

    @Override
    public void beat(Connection connection) throws SQLException, StorageException {
      if (!isInstalled(connection, table)) {
        throw notInstalled(table);
      }
      follow(connection);
      feed.retry();
    }

    @Override
    public void lost(String reason) {
      feed.lost(reason);
    }
  }
}
