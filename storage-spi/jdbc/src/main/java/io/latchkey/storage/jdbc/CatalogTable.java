package io.latchkey.storage.jdbc;

import io.latchkey.storage.StorageException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * A table as the catalogue of PostgreSQL has it, for what is installed beside it. Names are quoted.
 *
 * @param name what messages call the storage
 * @param schema the schema that the table is in
 * @param table the table, with its schema
 * @param key the column of the keys
 * @param keyType its type, as it is declared
 * @param values the columns of the objects
 * @param valueTypes their types
 * @param partitioned whether rows may be written by way of another table: of its partitions, or of
 *     the one that it is a partition or heir of
 * @param prefix what the names of all that is installed for these columns begin with, unquoted
 */
record CatalogTable(
    String name,
    String schema,
    String table,
    String key,
    String keyType,
    List<String> values,
    List<String> valueTypes,
    boolean partitioned,
    String prefix) {
  /** As many as tell tables apart, and leave room in the 63 bytes of a name. */
  private static final int HASH_BYTES = 6;

  private static final String QUOTE = "\"";

  /** Looks the table of the options up. */
  static CatalogTable of(String name, Connection connection, JdbcOptions options)
      throws SQLException, StorageException {
    String given = Table.quote(name, QUOTE, String.valueOf(options.table));
    if (options.schema != null) {
      given = Table.quote(name, QUOTE, options.schema) + "." + given;
    }
    String schema;
    String table;
    boolean partitioned;
    long oid;
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT c.oid, n.nspname, c.relname, c.relkind,"
                + " EXISTS (SELECT FROM pg_catalog.pg_inherits WHERE inhrelid = c.oid),"
                + " EXISTS (SELECT FROM pg_catalog.pg_inherits WHERE inhparent = c.oid)"
                + " FROM pg_catalog.pg_class c"
                + " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
                + " WHERE c.oid = pg_catalog.to_regclass(?)")) {
      statement.setString(1, given);
      try (ResultSet rows = statement.executeQuery()) {
        if (!rows.next()) {
          throw refused(name, "there is no table " + given);
        }
        oid = rows.getLong(1);
        schema = rows.getString(2);
        table = rows.getString(3);
        String kind = rows.getString(4);
        boolean root = kind.equals("p");
        if (!root && !kind.equals("r")) {
          throw refused(
              name, given + " is no table but a view or the like, and its changes are not told");
        }
        if (!root && rows.getBoolean(6)) {
          throw refused(
              name,
              given
                  + " has tables that inherit from it, and changes of those would not be told: use"
                  + " partitions, or these tables one by one");
        }
        partitioned = root || rows.getBoolean(5);
      }
    }
    List<String> columns = new ArrayList<>(List.of(options.key));
    columns.addAll(options.values);
    List<String> types = new ArrayList<>();
    for (String column : columns) {
      types.add(type(name, connection, oid, column));
    }
    List<String> quoted = new ArrayList<>();
    for (String column : columns) {
      quoted.add(Table.quote(name, QUOTE, column));
    }
    return new CatalogTable(
        name,
        Table.quote(name, QUOTE, schema),
        Table.quote(name, QUOTE, schema) + "." + Table.quote(name, QUOTE, table),
        quoted.get(0),
        types.get(0),
        quoted.subList(1, quoted.size()),
        types.subList(1, types.size()),
        partitioned,
        "latchkey_" + hash(schema, table, options.key));
  }

  private static String type(String name, Connection connection, long oid, String column)
      throws SQLException, StorageException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT pg_catalog.format_type(a.atttypid, a.atttypmod), c.collisdeterministic"
                + " FROM pg_catalog.pg_attribute a"
                + " LEFT JOIN pg_catalog.pg_collation c ON c.oid = a.attcollation"
                + " WHERE a.attrelid = ? AND a.attname = ? AND NOT a.attisdropped")) {
      statement.setLong(1, oid);
      statement.setString(2, column);
      try (ResultSet rows = statement.executeQuery()) {
        if (!rows.next()) {
          throw refused(name, "there is no column '" + column + "'");
        }
        if ("f".equals(rows.getString(2))) {
          throw refused(
              name,
              "the collation of column '"
                  + column
                  + "' takes different texts for equal, so that a change of one row would be told"
                  + " under one of its keys only: use a deterministic collation");
        }
        return rows.getString(1);
      }
    }
  }

  private static StorageException refused(String name, String why) {
    return new StorageException(name, "cannot open " + name + ": " + why, null, false);
  }

  private static String hash(String... parts) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256")
              .digest(String.join("\0", parts).getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, HASH_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }

  /** The quoted name of something installed in the table's schema. */
  String installed(String suffix) {
    return schema + "." + QUOTE + prefix + suffix + QUOTE;
  }

  /** The quoted name of a trigger, which has no schema. */
  String trigger(String suffix) {
    return QUOTE + prefix + suffix + QUOTE;
  }

  /** A function's body as a literal, which no name in it can end. */
  static String body(String text) {
    StringBuilder tag = new StringBuilder("$latchkey");
    while (text.contains(tag + "$")) {
      tag.append('_');
    }
    return tag + "$" + text + tag + "$";
  }

  /** The expression that is a key's text in events: hexadecimal digits for bytes. */
  String text(String expression) {
    return keyType.equals("bytea")
        ? "pg_catalog.encode(" + expression + ", 'hex')"
        : expression + "::pg_catalog.text";
  }
}
