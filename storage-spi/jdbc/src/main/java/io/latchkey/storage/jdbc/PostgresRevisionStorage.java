package io.latchkey.storage.jdbc;

import io.latchkey.storage.CommitListener;
import io.latchkey.storage.ConflictException;
import io.latchkey.storage.Revision;
import io.latchkey.storage.RevisionStorage;
import io.latchkey.storage.SnapshotTooOldException;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.Subscription;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A table on PostgreSQL with a history of its revisions, {@link HistorySql}.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the objects
 */
final class PostgresRevisionStorage<K, V> extends WritableJdbcStorage<K, V>
    implements RevisionStorage<K, V> {
  /** The first column of the object in what {@link HistorySql#loadAt} selects. */
  private static final int FIRST_VALUE = 7;

  private final CatalogTable catalog;
  private final PostgresCommits<K> commits;

  PostgresRevisionStorage(
      String name,
      Pool pool,
      JdbcOptions options,
      Table<K, V> table,
      CatalogTable catalog,
      PostgresCommits.Head head) {
    super(name, pool, options, table);
    this.catalog = catalog;
    this.commits = new PostgresCommits<>(this, catalog, head);
  }

  /** The object in the table, which is what the head has. */
  @Override
  public @Nullable V load(K key) throws StorageException, InterruptedException {
    return super.load(key);
  }

  @Override
  public Revision<V> loadAt(K key, long at) throws StorageException, InterruptedException {
    return Objects.requireNonNull(loadAllAt(Set.of(key), at).get(key));
  }

  /**
   * {@inheritDoc}
   *
   * <p>One statement.
   */
  @Override
  public Map<K, Revision<V>> loadAllAt(Set<? extends K> keys, long at)
      throws StorageException, InterruptedException {
    List<K> asked = new ArrayList<>(Objects.requireNonNull(keys, "keys"));
    List<Object> sqlKeys = new ArrayList<>();
    for (K key : asked) {
      sqlKeys.add(table.key().toSql(key));
    }
    RevisionStorage.checkRevision(name, "at", at, Long.MAX_VALUE);
    if (asked.isEmpty()) {
      pool.checkOpen();
      return new LinkedHashMap<>();
    }
    return Objects.requireNonNull(
        call("load from", connection -> select(connection, asked, sqlKeys, at)));
  }

  private Map<K, Revision<V>> select(
      Connection connection, List<K> asked, List<Object> sqlKeys, long at)
      throws SQLException, StorageException {
    Map<K, Revision<V>> found = new LinkedHashMap<>();
    try (PreparedStatement statement = prepare(connection, HistorySql.loadAt(catalog))) {
      statement.setArray(1, array(connection, sqlKeys));
      statement.setLong(2, at);
      statement.setLong(3, at);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          RevisionStorage.checkRevision(name, "at", at, rows.getLong(1));
          long oldest = rows.getLong(2);
          if (at < oldest) {
            throw new SnapshotTooOldException(name, at, oldest);
          }
          K key = asked.get((int) rows.getLong(3) - 1);
          found.put(key, revision(rows, key, oldest));
        }
      }
    }
    return found;
  }

  private Revision<V> revision(ResultSet row, K key, long oldest)
      throws SQLException, StorageException {
    long next = row.getLong(6);
    if (row.wasNull()) {
      next = Revision.NO_NEXT;
    }
    long serial = row.getLong(4);
    if (row.wasNull()) {
      return new Revision<>(null, oldest, next);
    }
    V value = row.getBoolean(5) ? null : read(row, FIRST_VALUE, key);
    return new Revision<>(value, serial, next);
  }

  @Override
  public long head() throws StorageException, InterruptedException {
    return Objects.requireNonNull(call("read the head of", this::readHead)).revision();
  }

  private PostgresCommits.Head readHead(Connection connection) throws SQLException {
    return PostgresCommits.head(connection, catalog);
  }

  @Override
  public Subscription commits(long from, CommitListener<K> listener)
      throws StorageException, InterruptedException {
    Objects.requireNonNull(listener, "listener");
    RevisionStorage.checkRevision(name, "from", from, Long.MAX_VALUE);
    RevisionStorage.checkRevision(name, "from", from, head());
    return commits.subscribe(from, listener);
  }

  @Override
  public void delete(K key) throws StorageException, InterruptedException {
    write(
        new ArrayList<>(), new ArrayList<>(List.of(table.key().toSql(key))), OptionalLong.empty());
  }

  @Override
  public long commit(Map<K, Optional<V>> changes, long base)
      throws StorageException, InterruptedException {
    List<Row> rows = new ArrayList<>();
    List<Object> deleted = new ArrayList<>();
    for (Map.Entry<K, Optional<V>> change : Objects.requireNonNull(changes, "changes").entrySet()) {
      Optional<V> value = Objects.requireNonNull(change.getValue(), "a changed object");
      if (value.isPresent()) {
        rows.add(row(change.getKey(), value.get()));
      } else {
        deleted.add(table.key().toSql(change.getKey()));
      }
    }
    RevisionStorage.checkRevision(name, "base", base, Long.MAX_VALUE);
    if (rows.isEmpty() && deleted.isEmpty()) {
      PostgresCommits.Head head = Objects.requireNonNull(call("read the head of", this::readHead));
      checkBase(base, head.revision(), head.oldest());
      return head.revision();
    }
    return write(rows, deleted, OptionalLong.of(base));
  }

  private void checkBase(long base, long head, long oldest) throws StorageException {
    RevisionStorage.checkRevision(name, "base", base, head);
    if (base < oldest) {
      throw new SnapshotTooOldException(name, base, oldest);
    }
  }

  private long write(List<Row> rows, List<Object> deleted, OptionalLong base)
      throws StorageException, InterruptedException {
    rows.sort((one, other) -> compare(one.key(), other.key()));
    deleted.sort(WritableJdbcStorage::compare);
    long[] made = new long[1];
    retried(
        "commit to",
        connection ->
            inTransaction(connection, () -> made[0] = commit(connection, rows, deleted, base)));
    return made[0];
  }

  /**
   * The rows first and the head last, as every transaction that changes the table does it: so none
   * waits for a row while others wait for its head.
   */
  private long commit(
      Connection connection, List<Row> rows, List<Object> deleted, OptionalLong base)
      throws SQLException, StorageException {
    if (!rows.isEmpty()) {
      upsert(connection, rows);
    }
    delete(connection, deleted);
    if (base.isPresent()) {
      List<Object> all = new ArrayList<>(deleted);
      rows.forEach(row -> all.add(row.key()));
      refuseConflicts(connection, all, base.getAsLong());
    }
    long made;
    try (PreparedStatement statement =
            prepare(connection, "SELECT " + HistorySql.commit(catalog) + "()");
        ResultSet result = statement.executeQuery()) {
      result.next();
      made = result.getLong(1);
    }
    if (!deleted.isEmpty()) {
      try (PreparedStatement statement = prepare(connection, HistorySql.recordDeleted(catalog))) {
        statement.setLong(1, made);
        statement.setArray(2, array(connection, deleted));
        statement.executeUpdate();
      }
    }
    return made;
  }

  private void refuseConflicts(Connection connection, List<Object> all, long base)
      throws SQLException, StorageException {
    try (PreparedStatement statement = prepare(connection, HistorySql.lockHead(catalog));
        ResultSet head = statement.executeQuery()) {
      head.next();
      checkBase(base, head.getLong(1), head.getLong(2));
    }
    List<K> conflicts = new ArrayList<>();
    try (PreparedStatement statement = prepare(connection, HistorySql.conflicts(catalog))) {
      statement.setArray(1, array(connection, all));
      statement.setLong(2, base);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          Object key = table.key().read(rows, 1);
          if (key != null) {
            conflicts.add(table.key().fromSql(key));
          }
        }
      }
    }
    if (!conflicts.isEmpty()) {
      throw new ConflictException(name, conflicts, base);
    }
  }

  @Override
  public void close() {
    super.close();
    commits.close();
  }
}
