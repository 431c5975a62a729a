package io.latchkey.storage.jdbc;

import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import io.latchkey.storage.FeedListener;
import io.latchkey.storage.RemoteFeed;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.Subscription;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The feed of a table on PostgreSQL: what the triggers of {@link FeedSql} notify. It begins to
 * listen when somebody watches. Every connection has an epoch of its own, because what happened
 * between two of them is not known.
 *
 * @param <K> the type of the keys
 */
final class PostgresFeed<K> implements AutoCloseable {
  private final String name;
  private final Pool pool;
  private final CatalogTable table;
  private final KeyColumn<K> keys;
  private final RemoteFeed<K> feed = new RemoteFeed<>();

  /** Guards the field below. */
  private final Object starting = new Object();

  private @Nullable PostgresListener listener;

  PostgresFeed(String name, Pool pool, CatalogTable table, KeyColumn<K> keys) {
    this.name = name;
    this.pool = pool;
    this.table = table;
    this.keys = keys;
  }

  Subscription watch(FeedListener<K> watcher) throws StorageException {
    pool.checkOpen();
    Subscription subscription;
    try {
      subscription = feed.watch(watcher);
    } catch (IllegalStateException e) {
      pool.checkOpen();
      throw e;
    }
    synchronized (starting) {
      if (listener == null && !pool.isClosed()) {
        listener = new PostgresListener(name, pool, FeedSql.channel(table), new Told());
        listener.start();
      }
    }
    return subscription;
  }

  /** Whether all triggers are there and enabled. */
  static boolean isInstalled(Connection connection, CatalogTable table) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(FeedSql.countTriggers())) {
      statement.setString(1, table.table());
      statement.setString(2, FeedSql.functionName(table));
      statement.setString(3, table.prefix().replace("_", "\\_") + "\\_%");
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next() && rows.getInt(1) == FeedSql.triggers();
      }
    }
  }

  static StorageException notInstalled(CatalogTable table) {
    return new StorageException(
        table.name(),
        "the triggers that tell the changes of "
            + table.table()
            + " are missing or disabled: open it with feed=install, or have the SQL of"
            + " PostgresInstallation run",
        null,
        true);
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
      beat(connection);
      feed.whole(ThreadLocalRandom.current().nextLong(Long.MAX_VALUE), 0);
    }

    @Override
    public void notified(Connection connection, List<String> payloads) {
      for (String payload : payloads) {
        List<K> changed = payload.equals(FeedSql.ANY_ROW) ? null : read(payload);
        if (changed == null) {
          feed.changedAll();
        } else {
          feed.changed(changed);
        }
      }
    }

    /** The keys of a payload; null if it is not one of ours, or a key is none of this codec's. */
    private @Nullable List<K> read(String payload) {
      List<K> changed = new ArrayList<>();
      try {
        for (JsonElement element : JsonParser.parseString(payload).getAsJsonArray()) {
          changed.add(keys.fromText(element.getAsString()));
        }
      } catch (RuntimeException e) {
        return null;
      }
      return changed;
    }

    /** Triggers that were dropped or disabled would be a silent loss. */
    @Override
    public void beat(Connection connection) throws SQLException, StorageException {
      if (!isInstalled(connection, table)) {
        throw notInstalled(table);
      }
      feed.retry();
    }

    @Override
    public void lost(String reason) {
      feed.lost(reason);
    }
  }
}
