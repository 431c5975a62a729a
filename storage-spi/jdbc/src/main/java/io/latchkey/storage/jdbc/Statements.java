package io.latchkey.storage.jdbc;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The SQL of a storage.
 *
 * @param select one object; its parameter is the key
 * @param selectAll several objects, the key first; null if they are selected one by one
 * @param array whether the parameter of {@code selectAll} is an array; otherwise the {@code (?)} in
 *     it is repeated
 * @param upsert stores an object, with the key and the object's columns as parameters; null where
 *     {@code update} and {@code insert} do it
 * @param update changes the object that is there, with the object's columns and the key
 * @param insert adds an object, with the parameters of {@code upsert}
 * @param delete deletes an object; its parameter is the key
 */
record Statements(
    String select,
    @Nullable String selectAll,
    boolean array,
    @Nullable String upsert,
    @Nullable String update,
    @Nullable String insert,
    @Nullable String delete) {
  private static final Pattern LIST = Pattern.compile("(?i)\\bIN\\s*\\(\\s*\\?\\s*\\)");

  /** The SQL for a table, its names quoted already. */
  static Statements of(
      Dialect dialect,
      String table,
      String key,
      Kind kind,
      List<String> values,
      List<ValueColumns.Column> described) {
    // Text beside a padded column would have it compared as text, and no index of it used.
    String mark = dialect == Dialect.POSTGRESQL && kind == Kind.PADDED ? "CAST(? AS bpchar)" : "?";
    String all = key + ", " + String.join(", ", values);
    String selected = selected(dialect, values, described);
    String marks = marks(values.size() + 1);
    String from = " FROM " + table + " WHERE " + key;
    List<String> assignments = new ArrayList<>();
    List<String> excluded = new ArrayList<>();
    for (String value : values) {
      assignments.add(value + " = ?");
      excluded.add(value + " = excluded." + value);
    }
    String insert = "INSERT INTO " + table + " (" + all + ") VALUES (" + marks + ")";
    String upsert =
        switch (dialect) {
          case POSTGRESQL, SQLITE ->
              insert + " ON CONFLICT (" + key + ") DO UPDATE SET " + String.join(", ", excluded);
          case H2 ->
              "MERGE INTO " + table + " (" + all + ") KEY (" + key + ") VALUES (" + marks + ")";
          case STANDARD -> null;
        };
    String update =
        "UPDATE "
            + table
            + " SET "
            + String.join(", ", assignments)
            + " WHERE "
            + key
            + " = "
            + mark;
    return new Statements(
        "SELECT " + selected + from + " = " + mark,
        "SELECT " + key + ", " + selected + from + (dialect.hasArrays() ? " = ANY(?)" : " IN (?)"),
        dialect.hasArrays(),
        upsert,
        update,
        insert,
        "DELETE" + from + " = " + mark);
  }

  /** PostgreSQL's driver reads some types as bytes at times, and writes them as text in its way. */
  private static String selected(
      Dialect dialect, List<String> values, List<ValueColumns.Column> described) {
    List<String> selected = new ArrayList<>();
    for (int i = 0; i < values.size(); i++) {
      Kind kind = described.get(i).kind();
      boolean written =
          dialect == Dialect.POSTGRESQL && (kind == Kind.OTHER || kind == Kind.NUMBER);
      String value = values.get(i);
      // Not a cast, which writes some types in yet another way.
      selected.add(
          written
              ? "CASE WHEN " + value + " IS NOT NULL THEN pg_catalog.concat(" + value + ") END"
              : value);
    }
    return String.join(", ", selected);
  }

  /** The user's own SQL. */
  static Statements of(JdbcOptions options, String select) {
    String all = options.selectAll;
    boolean listed = all != null && LIST.matcher(all).find();
    return new Statements(
        select, all, all != null && !listed, options.upsert, null, null, options.delete);
  }

  /** {@code selectAll} for a number of keys. */
  String selectAll(int keys) {
    String sql = selectAll == null ? select : selectAll;
    return array
        ? sql
        : LIST.matcher(sql).replaceAll(Matcher.quoteReplacement("IN (" + marks(keys) + ")"));
  }

  private static String marks(int count) {
    return String.join(", ", Collections.nCopies(count, "?"));
  }
}
