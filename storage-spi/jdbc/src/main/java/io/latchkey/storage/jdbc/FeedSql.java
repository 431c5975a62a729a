package io.latchkey.storage.jdbc;

import java.util.ArrayList;
import java.util.List;

/**
 * The triggers that tell the changes of a table by NOTIFY. PostgreSQL delivers notifications when
 * the transaction has committed and can be seen, in the order of the commits.
 *
 * <p>A payload is a JSON array of keys as text, or a star for any row. PostgreSQL takes payloads of
 * less than 8,000 bytes: keys are sent in several, and a key that is too long for one, or more keys
 * than is sensible, become a star.
 */
final class FeedSql {
  static final String ANY_ROW = "*";

  /** Bytes of a payload, short of PostgreSQL's 8,000. */
  private static final int MAX_PAYLOAD = 7_000;

  /** The most keys of a statement that are told one by one. */
  static final int MAX_KEYS = 10_000;

  private static final List<String> EVENTS = List.of("insert", "update", "delete", "truncate");

  private FeedSql() {}

  static String channel(CatalogTable table) {
    return table.prefix();
  }

  private static String function(CatalogTable table) {
    return table.installed("_changed");
  }

  /** What installs the triggers, over older ones if there are any. */
  static List<String> install(CatalogTable table) {
    List<String> sql = new ArrayList<>();
    sql.add(
        "CREATE OR REPLACE FUNCTION "
            + function(table)
            + "() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS "
            + CatalogTable.body(body(table)));
    sql.add(
        "COMMENT ON FUNCTION "
            + function(table)
            + "() IS 'Tells caches by NOTIFY which rows changed; installed by Latchkey'");
    sql.addAll(dropTriggers(table));
    for (String event : EVENTS) {
      sql.add(createTrigger(table, event));
      sql.add(
          "ALTER TABLE " + table.table() + " ENABLE ALWAYS TRIGGER " + table.trigger("_" + event));
    }
    return sql;
  }

  /** What removes all of it. */
  static List<String> remove(CatalogTable table) {
    List<String> sql = dropTriggers(table);
    sql.add("DROP FUNCTION IF EXISTS " + function(table) + "()");
    return sql;
  }

  private static List<String> dropTriggers(CatalogTable table) {
    List<String> sql = new ArrayList<>();
    for (String event : EVENTS) {
      sql.add("DROP TRIGGER IF EXISTS " + table.trigger("_" + event) + " ON " + table.table());
    }
    return sql;
  }

  private static String createTrigger(CatalogTable table, String event) {
    String head = "CREATE TRIGGER " + table.trigger("_" + event) + " AFTER " + event + " ON ";
    String each = "FOR EACH STATEMENT";
    if (table.partitioned() && !event.equals("truncate")) {
      // For each row: what is written to a partition directly is told, too, and what is written to
      // this one by way of its parent, which fires no statement's trigger here.
      each = "FOR EACH ROW";
    } else {
      each =
          switch (event) {
            case "insert" -> "REFERENCING NEW TABLE AS latchkey_new " + each;
            case "delete" -> "REFERENCING OLD TABLE AS latchkey_old " + each;
            case "update" ->
                "REFERENCING OLD TABLE AS latchkey_old NEW TABLE AS latchkey_new " + each;
            default -> each;
          };
    }
    return head + table.table() + " " + each + " EXECUTE FUNCTION " + function(table) + "()";
  }

  private static String body(CatalogTable table) {
    String key = table.key();
    String channel = "'" + channel(table) + "'";
    String any = "PERFORM pg_notify(" + channel + ", '" + ANY_ROW + "');";
    String oldKeys = keys(table, "SELECT " + key + " AS k FROM latchkey_old");
    String newKeys = keys(table, "SELECT " + key + " AS k FROM latchkey_new");
    String bothKeys =
        keys(
            table,
            "SELECT " + key + " AS k FROM latchkey_old UNION SELECT " + key + " FROM latchkey_new");
    String rowKeys = keys(table, "SELECT OLD." + key + " AS k UNION SELECT NEW." + key);
    String oldRow = keys(table, "SELECT OLD." + key + " AS k");
    String newRow = keys(table, "SELECT NEW." + key + " AS k");
    return "\nDECLARE\n  one text;\n  payload text := '';\n  found_keys bigint := 0;\n"
        + "  all_keys refcursor;\nBEGIN\n"
        + "  IF TG_OP = 'TRUNCATE' THEN\n    "
        + any
        + "\n    RETURN NULL;\n  END IF;\n"
        + "  IF TG_LEVEL = 'ROW' THEN\n"
        + branches(oldRow, newRow, rowKeys)
        + "  ELSE\n"
        + branches(oldKeys, newKeys, bothKeys)
        + "  END IF;\n"
        + "  LOOP\n    FETCH all_keys INTO one;\n    EXIT WHEN NOT FOUND;\n"
        + "    found_keys := found_keys + 1;\n"
        + "    IF found_keys > "
        + MAX_KEYS
        + " OR octet_length(one) > "
        + MAX_PAYLOAD
        + " THEN\n      "
        + any
        + "\n      CLOSE all_keys;\n      RETURN NULL;\n    END IF;\n"
        + "    IF payload <> '' AND octet_length(payload) + octet_length(one) > "
        + MAX_PAYLOAD
        + " THEN\n      PERFORM pg_notify("
        + channel
        + ", '[' || payload || ']');\n      payload := '';\n    END IF;\n"
        + "    payload := CASE payload WHEN '' THEN one ELSE payload || ',' || one END;\n"
        + "  END LOOP;\n  CLOSE all_keys;\n"
        + "  IF payload <> '' THEN\n    PERFORM pg_notify("
        + channel
        + ", '[' || payload || ']');\n  END IF;\n  RETURN NULL;\nEND\n";
  }

  /** The keys as texts in JSON. */
  private static String keys(CatalogTable table, String rows) {
    return "SELECT to_json("
        + table.text("k")
        + ")::text FROM ("
        + rows
        + ") AS changed WHERE k IS NOT NULL";
  }

  private static String branches(String deleted, String inserted, String updated) {
    return "    IF TG_OP = 'INSERT' THEN\n      OPEN all_keys FOR "
        + inserted
        + ";\n    ELSIF TG_OP = 'DELETE' THEN\n      OPEN all_keys FOR "
        + deleted
        + ";\n    ELSE\n      OPEN all_keys FOR "
        + updated
        + ";\n    END IF;\n";
  }

  /**
   * Counts the triggers that are there, enabled, call this very function, and see all changes: none
   * does of a table that others inherit from by now. (PostgreSQL itself lets no table become a
   * partition or an heir whose triggers are for statements.)
   */
  static String countTriggers() {
    return "SELECT count(*) FROM pg_catalog.pg_trigger t"
        + " JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid"
        + " WHERE t.tgrelid = pg_catalog.to_regclass(?) AND t.tgenabled IN ('O', 'A')"
        + " AND t.tgfoid = pg_catalog.to_regproc(?) AND t.tgname LIKE ?"
        + " AND (c.relkind = 'p' OR NOT EXISTS"
        + " (SELECT FROM pg_catalog.pg_inherits WHERE inhparent = c.oid))";
  }

  /** How many there are when all are. */
  static int triggers() {
    return EVENTS.size();
  }

  static String functionName(CatalogTable table) {
    return function(table);
  }
}
