package io.latchkey.storage.jdbc;

import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.StorageException;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A storage in a table of a database, by JDBC. Opened by URL, as {@code
 * jdbc:postgresql://HOST/DATABASE?user=…&table=users&key=id&value=name}, by {@link
 * io.latchkey.storage.Storages}, or over the application's own source of connections:
 *
 * <pre>{@code
 * JdbcOptions options = JdbcOptions.table("users").key("id").value("name").build();
 * try (Storage<Long, String> users =
 *     JdbcStorage.open(source, options, Codec.int64(), Codec.utf8())) {
 *   show(users.load(1L)); // null if there is no such row
 * }
 * }</pre>
 *
 * <p>What is opened is a {@link io.latchkey.storage.WritableStorage} unless the options say {@code
 * readOnly}, or give SQL that only selects. On PostgreSQL it is a {@link
 * io.latchkey.storage.WatchableStorage} with the option {@code feed}, and a {@link
 * io.latchkey.storage.RevisionStorage} with the option {@code revisions}.
 *
 * <p><b>Columns.</b> A key column of text takes the codec's bytes as UTF-8, one of whole numbers
 * takes {@link Codec#int64} or their text, one of bytes takes them as they are, one of UUIDs their
 * text. An object is the codec's bytes in one column, as bytes or text, or several columns as a
 * JSON object; {@link JdbcOptions} says more. A NULL in a single value column is an absent object.
 * The key column has a unique index; a key with two rows fails. Columns that ignore case or accents
 * give one row several keys: do not cache by them.
 *
 * <p><b>Durability, isolation.</b> Those of the database: each call is a transaction of its own, a
 * {@code storeAll} too, which stores all or none.
 *
 * <p><b>Threads.</b> Safe for any number of threads; each call takes a connection while it runs. An
 * interrupt ends the wait for a connection, not a statement that is under way.
 *
 * <p><b>Failures.</b> Calls throw {@link StorageException}, retryable if the connection, a lock, a
 * resource or the server's state was the reason. A server that does not answer fails the call after
 * the time-out of the options; lost connections are opened anew by the pool. Messages name the
 * database without credentials.
 *
 * <p><b>Cost.</b> A load is a round trip to the database. {@link #loadAll} is one statement on
 * PostgreSQL, and elsewhere one for each 500 keys.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the objects
 */
public class JdbcStorage<K, V> implements Storage<K, V> {
  final String name;
  final Pool pool;
  final JdbcOptions options;
  final Table<K, V> table;

  JdbcStorage(String name, Pool pool, JdbcOptions options, Table<K, V> table) {
    this.name = name;
    this.pool = pool;
    this.options = options;
    this.table = table;
  }

  /**
   * Opens a storage over the application's connections.
   *
   * @param source gives the connections, best from a pool; the storage does not close it. It sets
   *     its own time-outs: of the options' only that of statements applies
   * @param options where the objects are
   * @param keys turns keys to bytes and back
   * @param values turns objects to bytes and back
   * @param <K> the type of the keys
   * @param <V> the type of the objects
   * @return the storage, to be closed; test what it can do by {@code instanceof}
   * @throws NullPointerException if an argument is null
   * @throws StorageException if there is no such table or the like; the message names the mend
   */
  public static <K, V> Storage<K, V> open(
      DataSource source, JdbcOptions options, Codec<K> keys, Codec<V> values)
      throws StorageException {
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(keys, "keys");
    Objects.requireNonNull(values, "values");
    String where = options.table == null ? "" : " table " + options.table;
    String name = "jdbc:" + source.getClass().getSimpleName() + where;
    return open(name, Pool.of(name, source), options, keys, values);
  }

  static <K, V> Storage<K, V> open(JdbcUrl url, Codec<K> keys, Codec<V> values)
      throws StorageException {
    return open(url.name(), Pool.open(url), url.options(), keys, values);
  }

  private static <K, V> Storage<K, V> open(
      String name, Pool pool, JdbcOptions options, Codec<K> keys, Codec<V> values)
      throws StorageException {
    boolean opened = false;
    try (Connection connection = pool.take()) {
      JdbcStorage<K, V> storage =
          committed(
              connection,
              open -> {
                Table<K, V> table = Table.open(name, open, options, keys, values);
                return of(name, open, pool, options, table);
              });
      opened = true;
      return Objects.requireNonNull(storage);
    } catch (SQLException e) {
      throw SqlFailures.failed(name, "open", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException(name, "interrupted while opening " + name, e, true);
    } finally {
      if (!opened) {
        pool.close();
      }
    }
  }

  /** The storage that can do what the options ask for. */
  private static <K, V> JdbcStorage<K, V> of(
      String name, Connection connection, Pool pool, JdbcOptions options, Table<K, V> table)
      throws SQLException, StorageException {
    boolean watched = options.feed != JdbcOptions.Feed.NONE;
    boolean numbered = options.revisions != JdbcOptions.Revisions.NONE;
    if (!watched && !numbered) {
      return options.writable()
          ? new WritableJdbcStorage<>(name, pool, options, table)
          : new JdbcStorage<>(name, pool, options, table);
    }
    if (table.dialect() != Dialect.POSTGRESQL) {
      throw new StorageException(
          name,
          "cannot open "
              + name
              + " with a feed or revisions: only PostgreSQL has them here. Leave the options away,"
              + " and let objects expire",
          null,
          false);
    }
    CatalogTable catalog = CatalogTable.of(name, connection, options);
    PostgresInstallation.prepare(connection, catalog, options);
    if (numbered) {
      return new PostgresRevisionStorage<>(
          name, pool, options, table, catalog, PostgresCommits.head(connection, catalog));
    }
    return options.writable()
        ? new WritableWatchableJdbcStorage<>(name, pool, options, table, catalog)
        : new WatchableJdbcStorage<>(name, pool, options, table, catalog);
  }

  /** What is done with a connection. */
  @FunctionalInterface
  interface Work<T> {
    @Nullable T run(Connection connection)
        throws SQLException, StorageException, InterruptedException;
  }

  /** Takes a connection for a piece of work and says what failed. */
  final <T> @Nullable T call(String action, Work<T> work)
      throws StorageException, InterruptedException {
    try (Connection connection = pool.take()) {
      return committed(connection, work);
    } catch (SQLException e) {
      if (pool.isClosed()) {
        throw new StorageException(name, name + " is closed", e, false);
      }
      throw SqlFailures.failed(name, action, e);
    }
  }

  /** The application's connections may come in a transaction, which nobody else would end. */
  private static <T> @Nullable T committed(Connection connection, Work<T> work)
      throws SQLException, StorageException, InterruptedException {
    if (connection.getAutoCommit()) {
      return work.run(connection);
    }
    connection.setAutoCommit(true);
    try {
      return work.run(connection);
    } finally {
      if (!connection.isClosed()) {
        connection.setAutoCommit(false);
      }
    }
  }

  /** Prepares a statement that ends in the time of the options. */
  final PreparedStatement prepare(Connection connection, String sql) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    // On PostgreSQL our sessions have the time-out: the driver's would cost a timer for each call.
    if (table.dialect() != Dialect.POSTGRESQL || !pool.isOwn()) {
      statement.setQueryTimeout((int) options.timeout.plusMillis(999).toSeconds());
    }
    return statement;
  }

  @Override
  public @Nullable V load(K key) throws StorageException, InterruptedException {
    Object sqlKey = table.key().toSql(key);
    return call("load from", connection -> select(connection, key, sqlKey));
  }

  private @Nullable V select(Connection connection, K key, Object sqlKey)
      throws SQLException, StorageException {
    try (PreparedStatement statement = prepare(connection, table.statements().select())) {
      KeyColumn.bind(statement, 1, sqlKey);
      try (ResultSet rows = statement.executeQuery()) {
        if (!rows.next()) {
          return null;
        }
        V found = read(rows, 1, key);
        if (rows.next()) {
          throw twoRows(key);
        }
        return found;
      }
    }
  }

  private StorageException twoRows(K key) {
    return new StorageException(
        name,
        name
            + " has more than one row for the key '"
            + key
            + "': the key column needs a unique index",
        null,
        false);
  }

  /** Reads an object and says whose it is if it is none. */
  final @Nullable V read(ResultSet row, int first, K key) throws SQLException, StorageException {
    try {
      return table.value().read(row, first);
    } catch (IllegalArgumentException e) {
      throw new StorageException(
          name,
          "the object of the key '"
              + key
              + "' in "
              + name
              + " cannot be read: "
              + StorageException.reason(e)
              + ". Open it with the codec that it was stored by",
          e,
          false);
    }
  }

  /**
   * {@inheritDoc}
   *
   * <p>One statement on PostgreSQL, elsewhere one for each {@code bulk} keys of the options, one
   * after the other. The user's own SQL without {@code selectAll} selects one by one, over one
   * connection.
   */
  @Override
  public Map<K, V> loadAll(Set<? extends K> keys) throws StorageException, InterruptedException {
    List<K> asked = new ArrayList<>(Objects.requireNonNull(keys, "keys"));
    List<Object> sqlKeys = new ArrayList<>(asked.size());
    for (K key : asked) {
      sqlKeys.add(table.key().toSql(key));
    }
    if (asked.isEmpty()) {
      pool.checkOpen();
      return new LinkedHashMap<>();
    }
    return Objects.requireNonNull(
        call("load from", connection -> selectAll(connection, asked, sqlKeys)));
  }

  private Map<K, V> selectAll(Connection connection, List<K> asked, List<Object> sqlKeys)
      throws SQLException, StorageException {
    Map<K, V> found = new LinkedHashMap<>();
    if (table.statements().selectAll() == null) {
      for (int i = 0; i < asked.size(); i++) {
        V object = select(connection, asked.get(i), sqlKeys.get(i));
        if (object != null) {
          found.put(asked.get(i), object);
        }
      }
      return found;
    }
    Map<Object, K> byContent = new HashMap<>();
    for (int i = 0; i < asked.size(); i++) {
      byContent.put(KeyColumn.comparable(sqlKeys.get(i)), asked.get(i));
    }
    Set<Object> seen = new HashSet<>();
    int chunk = table.statements().array() ? sqlKeys.size() : options.bulk;
    for (int from = 0; from < sqlKeys.size(); from += chunk) {
      List<Object> part = sqlKeys.subList(from, Math.min(sqlKeys.size(), from + chunk));
      selectPart(connection, part, byContent, seen, found);
    }
    return found;
  }

  private void selectPart(
      Connection connection,
      List<Object> part,
      Map<Object, K> byContent,
      Set<Object> seen,
      Map<K, V> found)
      throws SQLException, StorageException {
    // Few lengths of lists, so that the database knows the statements: the last key is repeated.
    int marks = Math.min(options.bulk, Integer.highestOneBit(part.size() * 2 - 1));
    try (PreparedStatement statement =
        prepare(connection, table.statements().selectAll(Math.max(marks, part.size())))) {
      if (table.statements().array()) {
        statement.setArray(1, array(connection, part));
      } else {
        for (int i = 0; i < Math.max(marks, part.size()); i++) {
          KeyColumn.bind(statement, i + 1, part.get(Math.min(i, part.size() - 1)));
        }
      }
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          Object sqlKey = table.key().read(rows, 1);
          Object content = sqlKey == null ? null : KeyColumn.comparable(sqlKey);
          K key = byContent.get(content);
          if (key == null) {
            continue;
          }
          if (!seen.add(content)) {
            throw twoRows(key);
          }
          V object = read(rows, 2, key);
          if (object != null) {
            found.put(key, object);
          }
        }
      }
    }
  }

  /** The keys as one parameter, on PostgreSQL. */
  final Array array(Connection connection, List<Object> sqlKeys) throws SQLException {
    String type = Objects.requireNonNull(table.key().kind().arrayType());
    Object[] elements =
        table.key().kind() == Kind.BINARY ? sqlKeys.toArray(new byte[0][]) : sqlKeys.toArray();
    return connection.createArrayOf(type, elements);
  }

  /**
   * The database and the table.
   *
   * @return the driver's URL without credentials and parameters, and the table
   */
  @Override
  public String name() {
    return name;
  }

  /**
   * Closes the storage and the connections that it opened. Calls that are under way end or fail;
   * later ones fail.
   */
  @Override
  public void close() {
    pool.close();
  }
}
