package io.latchkey.storage.jdbc;

import io.latchkey.storage.StorageException;
import io.latchkey.storage.WritableStorage;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A table that can be written.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the objects
 */
class WritableJdbcStorage<K, V> extends JdbcStorage<K, V> implements WritableStorage<K, V> {
  /** How often a transaction that lost against others is run again. */
  private static final int MAX_RACES = 10;

  WritableJdbcStorage(String name, Pool pool, JdbcOptions options, Table<K, V> table) {
    super(name, pool, options, table);
  }

  /** A row as the driver takes it. */
  record Row(Object key, @Nullable Object[] value) {}

  final Row row(K key, V value) {
    return new Row(
        table.key().toSql(key), table.value().toSql(Objects.requireNonNull(value, "value")));
  }

  @Override
  public void store(K key, V value) throws StorageException, InterruptedException {
    Row row = row(key, value);
    retried(
        "store to",
        connection -> {
          upsert(connection, List.of(row));
          return null;
        });
  }

  @Override
  public void delete(K key) throws StorageException, InterruptedException {
    Object sqlKey = table.key().toSql(key);
    retried(
        "delete from",
        connection -> {
          delete(connection, List.of(sqlKey));
          return null;
        });
  }

  /**
   * {@inheritDoc}
   *
   * <p>One transaction, in the order of the keys, with the statements sent as a batch: all are
   * stored or none.
   */
  @Override
  public void storeAll(Map<? extends K, ? extends V> entries)
      throws StorageException, InterruptedException {
    List<Row> rows = new ArrayList<>();
    for (Map.Entry<? extends K, ? extends V> entry :
        Objects.requireNonNull(entries, "entries").entrySet()) {
      rows.add(row(entry.getKey(), entry.getValue()));
    }
    pool.checkOpen();
    if (rows.isEmpty()) {
      return;
    }
    // Transactions that lock rows in one order do not wait for each other in a circle.
    rows.sort((one, other) -> compare(one.key, other.key));
    retried("store to", connection -> inTransaction(connection, () -> upsert(connection, rows)));
  }

  static int compare(Object one, Object other) {
    if (one instanceof byte[] bytes) {
      return Arrays.compareUnsigned(bytes, (byte[]) other);
    }
    if (one instanceof Long number) {
      return number.compareTo((Long) other);
    }
    return one.toString().compareTo(other.toString());
  }

  /** What is done in a transaction. */
  @FunctionalInterface
  interface Steps {
    void run() throws SQLException, StorageException, InterruptedException;
  }

  final @Nullable Void inTransaction(Connection connection, Steps steps)
      throws SQLException, StorageException, InterruptedException {
    connection.setAutoCommit(false);
    boolean done = false;
    try {
      steps.run();
      connection.commit();
      done = true;
    } finally {
      if (!done) {
        rollback(connection);
      }
      restore(connection);
    }
    return null;
  }

  private static void rollback(Connection connection) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      // What made it necessary is thrown; a connection that cannot even do this is thrown away.
    }
  }

  private static void restore(Connection connection) {
    try {
      connection.setAutoCommit(true);
    } catch (SQLException e) {
      // As above: the pool tests its connections, or sets this itself.
    }
  }

  /** Runs the work again when it lost a race that the database decided. */
  final <T> @Nullable T retried(String action, Work<T> work)
      throws StorageException, InterruptedException {
    return call(
        action,
        connection -> {
          for (int races = 1; ; races++) {
            try {
              return work.run(connection);
            } catch (SQLException e) {
              if (races == MAX_RACES || !lostRace(e)) {
                throw e;
              }
            }
          }
        });
  }

  /** Where update and insert are two statements another writer can come between them. */
  private boolean lostRace(SQLException e) {
    return SqlFailures.isLostRace(e)
        || (table.statements().upsert() == null && SqlFailures.isDuplicate(e));
  }

  final void upsert(Connection connection, List<Row> rows) throws SQLException {
    String upsert = table.statements().upsert();
    if (upsert == null) {
      for (Row row : rows) {
        updateOrInsert(connection, row);
      }
      return;
    }
    try (PreparedStatement statement = prepare(connection, upsert)) {
      for (Row row : rows) {
        KeyColumn.bind(statement, 1, row.key);
        table.value().bind(statement, 2, row.value, table.dialect());
        if (rows.size() > 1) {
          statement.addBatch();
        }
      }
      if (rows.size() > 1) {
        statement.executeBatch();
      } else {
        statement.execute();
      }
    }
  }

  private void updateOrInsert(Connection connection, Row row) throws SQLException {
    String update = Objects.requireNonNull(table.statements().update());
    try (PreparedStatement statement = prepare(connection, update)) {
      table.value().bind(statement, 1, row.value, table.dialect());
      KeyColumn.bind(statement, row.value.length + 1, row.key);
      if (statement.executeUpdate() > 0) {
        return;
      }
    }
    String insert = Objects.requireNonNull(table.statements().insert());
    try (PreparedStatement statement = prepare(connection, insert)) {
      KeyColumn.bind(statement, 1, row.key);
      table.value().bind(statement, 2, row.value, table.dialect());
      statement.executeUpdate();
    }
  }

  final void delete(Connection connection, List<Object> sqlKeys) throws SQLException {
    String delete = Objects.requireNonNull(table.statements().delete());
    try (PreparedStatement statement = prepare(connection, delete)) {
      for (Object sqlKey : sqlKeys) {
        KeyColumn.bind(statement, 1, sqlKey);
        statement.executeUpdate();
      }
    }
  }
}
