package io.latchkey.storage.jdbc;

import io.latchkey.storage.Codec;
import io.latchkey.storage.StorageException;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What a storage knows of its table, or of what the user's SQL selects, after a look at the
 * database.
 *
 * @param dialect the database's
 * @param statements the SQL
 * @param key the column of the keys
 * @param value the columns of the objects
 * @param <K> the type of the keys
 * @param <V> the type of the objects
 */
record Table<K, V>(
    Dialect dialect, Statements statements, KeyColumn<K> key, ValueColumns<V> value) {
  /** The most columns that a message lists. */
  private static final int MAX_LISTED = 30;

  static <K, V> Table<K, V> open(
      String name, Connection connection, JdbcOptions options, Codec<K> keys, Codec<V> values)
      throws SQLException, StorageException {
    DatabaseMetaData database = connection.getMetaData();
    Dialect dialect = Dialect.of(database.getDatabaseProductName());
    return options.select == null
        ? ofTable(new Look(name, connection, database, dialect, options), keys, values)
        : ofSql(
            new Look(name, connection, database, dialect, options), options.select, keys, values);
  }

  /** What is needed to look at the database. */
  private record Look(
      String name,
      Connection connection,
      DatabaseMetaData database,
      Dialect dialect,
      JdbcOptions options) {
    StorageException refused(String why) {
      return new StorageException(name, "cannot open " + name + ": " + why, null, false);
    }

    String quoted(String identifier) throws SQLException, StorageException {
      // SQLite takes a name in double quotes that is no column's for a text.
      String mark = dialect == Dialect.SQLITE ? "`" : database.getIdentifierQuoteString();
      return quote(name, mark, identifier);
    }
  }

  /** Quotes an identifier, so that it can be nothing but one. */
  static String quote(String name, String mark, String identifier) throws StorageException {
    if (mark.isBlank()) {
      if (!identifier.matches("[A-Za-z_][A-Za-z0-9_]*")) {
        throw new StorageException(
            name,
            "cannot open "
                + name
                + ": the database quotes no names, and '"
                + identifier
                + "' needs it",
            null,
            false);
      }
      return identifier;
    }
    return mark + identifier.replace(mark, mark + mark) + mark;
  }

  /** The table's quoted name, with the schema if one is given. */
  private static String quotedTable(Look look) throws SQLException, StorageException {
    String table = look.quoted(String.valueOf(look.options.table));
    return look.options.schema == null ? table : look.quoted(look.options.schema) + "." + table;
  }

  private static <K, V> Table<K, V> ofTable(Look look, Codec<K> keys, Codec<V> values)
      throws SQLException, StorageException {
    String table = quotedTable(look);
    String key = look.quoted(look.options.key);
    List<String> columns = new ArrayList<>();
    for (String value : look.options.values) {
      columns.add(look.quoted(value));
    }
    if (look.options.create) {
      create(look, table, key, columns, keys, values);
    }
    String probe = "SELECT " + key + ", " + String.join(", ", columns) + " FROM " + table;
    List<ValueColumns.Column> described;
    try (Statement statement = look.connection.createStatement();
        ResultSet none = statement.executeQuery(probe + " WHERE 1 = 0")) {
      described = describe(none.getMetaData(), look.options.values, 1);
      Kind kind = kind(none.getMetaData(), 1);
      if (!kind.canBeKey()) {
        throw look.refused(
            "the key column '"
                + look.options.key
                + "' is "
                + none.getMetaData().getColumnTypeName(1)
                + ": keys are text, whole numbers, bytes or UUIDs");
      }
      return new Table<>(
          look.dialect,
          Statements.of(look.dialect, table, key, kind, columns, described),
          new KeyColumn<>(keys, kind),
          new ValueColumns<>(values, described));
    } catch (SQLException e) {
      String hint = hint(look, SqlFailures.isNoTable(e));
      if (hint == null) {
        throw e;
      }
      throw new StorageException(look.name, "cannot open " + look.name + ": " + hint, e, false);
    }
  }

  private static void create(
      Look look, String table, String key, List<String> columns, Codec<?> keys, Codec<?> values)
      throws SQLException, StorageException {
    if (columns.size() != 1) {
      throw look.refused(
          "create makes a table of one value column: name one, or create it yourself");
    }
    String sql =
        "CREATE TABLE IF NOT EXISTS "
            + table
            + " ("
            + key
            + " "
            + look.dialect.keyType(kind(keys))
            + " PRIMARY KEY, "
            + columns.get(0)
            + " "
            + look.dialect.valueType(kind(values))
            + " NOT NULL)";
    try (Statement statement = look.connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      // Of two that create it at a time PostgreSQL lets one fail, although it only has to look.
      if (!SqlFailures.isDuplicate(e)) {
        throw e;
      }
    }
  }

  private static Kind kind(Codec<?> codec) {
    if (codec == Codec.int64()) {
      return Kind.INTEGER;
    }
    return codec == Codec.utf8() ? Kind.TEXT : Kind.BINARY;
  }

  private static Kind kind(ResultSetMetaData columns, int index) throws SQLException {
    return Kind.of(columns.getColumnType(index), columns.getColumnTypeName(index));
  }

  private static List<ValueColumns.Column> describe(
      ResultSetMetaData columns, @Nullable List<String> names, int skipped) throws SQLException {
    List<ValueColumns.Column> described = new ArrayList<>();
    for (int i = skipped + 1; i <= columns.getColumnCount(); i++) {
      String name = names == null ? columns.getColumnLabel(i) : names.get(i - skipped - 1);
      described.add(new ValueColumns.Column(name, kind(columns, i)));
    }
    return described;
  }

  /** What is wrong with the names, as far as the catalogue tells. */
  private static @Nullable String hint(Look look, boolean missing) throws SQLException {
    String wanted = String.valueOf(look.options.table);
    List<String> columns = new ArrayList<>();
    String otherCase = null;
    Set<String> schemas = new TreeSet<>();
    try (ResultSet tables = look.database.getTables(null, look.options.schema, "%", null)) {
      while (tables.next()) {
        String table = tables.getString("TABLE_NAME");
        String schema = tables.getString("TABLE_SCHEM");
        if (table.equals(wanted)) {
          schemas.add(schema == null ? "" : schema);
        } else if (table.equalsIgnoreCase(wanted)) {
          otherCase = table;
        }
      }
    }
    if (missing && !schemas.isEmpty() && look.options.schema == null) {
      return "the table '"
          + wanted
          + "' is in the schema "
          + String.join(", ", schemas)
          + ": write schema=NAME";
    }
    try (ResultSet all = look.database.getColumns(null, look.options.schema, null, "%")) {
      while (all.next()) {
        if (all.getString("TABLE_NAME").equals(wanted)) {
          columns.add(all.getString("COLUMN_NAME"));
        }
      }
    }
    if (columns.isEmpty()) {
      return otherCase == null
          ? null
          : "there is no table '" + wanted + "' but '" + otherCase + "': write table=" + otherCase;
    }
    List<String> named = new ArrayList<>(look.options.values);
    named.add(0, look.options.key);
    for (String column : named) {
      if (!columns.contains(column)) {
        return "the table '"
            + wanted
            + "' has no column '"
            + column
            + "' but "
            + String.join(", ", columns.subList(0, Math.min(MAX_LISTED, columns.size())))
            + ": name the columns with key=NAME and value=NAME";
      }
    }
    return null;
  }

  private static <K, V> Table<K, V> ofSql(Look look, String select, Codec<K> keys, Codec<V> values)
      throws SQLException, StorageException {
    Statements statements = Statements.of(look.options, select);
    if (statements.array() && !look.dialect.hasArrays()) {
      throw look.refused("selectAll lists no keys: write them as IN (?)");
    }
    List<ValueColumns.Column> described;
    Kind kind;
    try (PreparedStatement statement = look.connection.prepareStatement(select)) {
      ResultSetMetaData columns = statement.getMetaData();
      if (columns == null) {
        throw look.refused("select returns no rows: give a statement that selects");
      }
      described = describe(columns, null, 0);
      checkNames(look, described);
      kind = keyKind(look, statement.getParameterMetaData());
    }
    if (statements.selectAll() != null) {
      checkParameters(look, "selectAll", statements.selectAll(1), 1);
      checkColumns(look, statements.selectAll(1), described.size());
    }
    checkParameters(look, "upsert", statements.upsert(), 1 + described.size());
    checkParameters(look, "delete", statements.delete(), 1);
    return new Table<>(
        look.dialect,
        statements,
        new KeyColumn<>(keys, kind),
        new ValueColumns<>(values, described));
  }

  private static void checkNames(Look look, List<ValueColumns.Column> columns)
      throws StorageException {
    Set<String> names = new HashSet<>();
    for (ValueColumns.Column column : columns) {
      if (!names.add(column.name())) {
        throw look.refused(
            "select has two columns '" + column.name() + "': name them differently by AS");
      }
    }
  }

  private static void checkColumns(Look look, String selectAll, int wanted)
      throws SQLException, StorageException {
    try (PreparedStatement statement = look.connection.prepareStatement(selectAll)) {
      ResultSetMetaData columns = statement.getMetaData();
      int count = columns == null ? 0 : columns.getColumnCount();
      if (count != wanted + 1) {
        throw look.refused(
            "selectAll has "
                + count
                + " columns: give the key first, then the "
                + wanted
                + " of select");
      }
    }
  }

  private static Kind keyKind(Look look, ParameterMetaData parameters)
      throws SQLException, StorageException {
    if (parameters.getParameterCount() != 1) {
      throw look.refused(
          "select has " + parameters.getParameterCount() + " parameters: its one ? is the key");
    }
    if (look.options.keyType != null) {
      return look.options.keyType;
    }
    if (look.dialect != Dialect.POSTGRESQL && look.dialect != Dialect.H2) {
      return Kind.TEXT; // others know no types of parameters, and take text for most
    }
    Kind kind = Kind.of(parameters.getParameterType(1), parameters.getParameterTypeName(1));
    return kind.canBeKey() ? kind : Kind.TEXT;
  }

  private static void checkParameters(Look look, String what, @Nullable String sql, int wanted)
      throws SQLException, StorageException {
    if (sql == null) {
      return;
    }
    try (PreparedStatement statement = look.connection.prepareStatement(sql)) {
      int count = statement.getParameterMetaData().getParameterCount();
      if (count != wanted) {
        throw look.refused(what + " has " + count + " parameters, and " + wanted + " are set");
      }
    }
  }
}
