package io.latchkey.storage.jdbc;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The history of a table on PostgreSQL, in two tables beside it, written by triggers whoever
 * changes the table.
 *
 * <p>The head is one row with the number of the newest revision. A transaction takes the next
 * number at its end, when its deferred triggers run, and holds the lock of that row until it has
 * committed. So the numbers are in the order of the commits and have no holes: one that rolls back
 * gives its number back. (A sequence would be neither: it is taken before the commit.) The price is
 * that transactions that change the table commit one after the other.
 *
 * <p>The history has a row for each key and revision that changed it, with the object that the
 * transaction left, or the fact that it left none. Each commit moves the oldest revision that can
 * be read on by one, and deletes what only older ones needed; all rows of commits after the oldest
 * are there.
 */
final class HistorySql {
  private HistorySql() {}

  static String head(CatalogTable table) {
    return table.installed("_head");
  }

  static String history(CatalogTable table) {
    return table.installed("_history");
  }

  /** The function that gives the transaction its revision. */
  static String commit(CatalogTable table) {
    return table.installed("_commit");
  }

  static String record(CatalogTable table) {
    return table.installed("_record");
  }

  static String channel(CatalogTable table) {
    return table.prefix() + "_head";
  }

  static List<String> install(CatalogTable table, int keep) {
    List<String> sql = new ArrayList<>();
    List<String> columns = new ArrayList<>();
    for (int i = 0; i < table.values().size(); i++) {
      columns.add(table.values().get(i) + " " + table.valueTypes().get(i));
    }
    // Nobody changes the table between the copy of its rows and the first trigger.
    sql.add("LOCK TABLE " + table.table() + " IN SHARE ROW EXCLUSIVE MODE");
    sql.add(
        "CREATE TABLE IF NOT EXISTS "
            + head(table)
            + " (one boolean PRIMARY KEY DEFAULT true CHECK (one), epoch bigint NOT NULL,"
            + " revision bigint NOT NULL, oldest bigint NOT NULL, keep bigint NOT NULL,"
            + " transaction bigint NOT NULL)");
    sql.add(
        "CREATE TABLE IF NOT EXISTS "
            + history(table)
            + " (latchkey_key "
            + table.keyType()
            + ", latchkey_revision bigint, latchkey_deleted boolean NOT NULL, "
            + String.join(", ", columns)
            + ", PRIMARY KEY (latchkey_key, latchkey_revision))");
    sql.add(
        "CREATE INDEX IF NOT EXISTS "
            + table.trigger("_revisions")
            + " ON "
            + history(table)
            + " (latchkey_revision)");
    sql.add(firstRevision(table));
    sql.add(
        "INSERT INTO "
            + head(table)
            + " (epoch, revision, oldest, keep, transaction) SELECT"
            + " (random() * 9007199254740991)::bigint,"
            + " (SELECT count(*) FROM (SELECT FROM "
            + history(table)
            + " LIMIT 1) AS any_row), 0, "
            + keep
            + ", 0 ON CONFLICT (one) DO UPDATE SET keep = excluded.keep");
    sql.add(commitFunction(table));
    sql.add(recordFunction(table));
    sql.addAll(dropTriggers(table));
    sql.add(
        "CREATE CONSTRAINT TRIGGER "
            + table.trigger("_record")
            + " AFTER INSERT OR UPDATE OR DELETE ON "
            + table.table()
            + " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "
            + record(table)
            + "()");
    sql.add(
        "CREATE TRIGGER "
            + table.trigger("_emptied")
            + " BEFORE TRUNCATE ON "
            + table.table()
            + " FOR EACH STATEMENT EXECUTE FUNCTION "
            + record(table)
            + "()");
    for (String trigger : List.of("_record", "_emptied")) {
      sql.add("ALTER TABLE " + table.table() + " ENABLE ALWAYS TRIGGER " + table.trigger(trigger));
    }
    return sql;
  }

  /** What is in the table already is the first revision. */
  private static String firstRevision(CatalogTable table) {
    String values = String.join(", ", table.values());
    return "INSERT INTO "
        + history(table)
        + " (latchkey_key, latchkey_revision, latchkey_deleted, "
        + values
        + ") SELECT "
        + table.key()
        + ", 1, false, "
        + values
        + " FROM "
        + table.table()
        + " WHERE NOT EXISTS (SELECT FROM "
        + head(table)
        + ") AND "
        + table.key()
        + " IS NOT NULL";
  }

  /** As its owner, so that whoever may change the table needs no rights to the history. */
  private static String definer(String returns) {
    return "() RETURNS "
        + returns
        + " LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS ";
  }

  private static String commitFunction(CatalogTable table) {
    return "CREATE OR REPLACE FUNCTION "
        + commit(table)
        + definer("bigint")
        + CatalogTable.body(commitBody(table));
  }

  private static String commitBody(CatalogTable table) {
    String history = history(table);
    return "\nDECLARE\n  made bigint;\n  before bigint;\n  kept bigint;\nBEGIN\n"
        + "  SELECT revision, oldest INTO made, before FROM "
        + head(table)
        + " WHERE transaction = txid_current();\n"
        + "  IF FOUND THEN\n    RETURN made;\n  END IF;\n"
        + "  SELECT oldest INTO before FROM "
        + head(table)
        + " FOR UPDATE;\n"
        + "  UPDATE "
        + head(table)
        + " SET revision = revision + 1, oldest = greatest(oldest, revision + 1 - keep),"
        + " transaction = txid_current() RETURNING revision, oldest INTO made, kept;\n"
        + "  DELETE FROM "
        + history
        + " AS old USING "
        + history
        + " AS newer WHERE newer.latchkey_revision > before AND newer.latchkey_revision <= kept"
        + " AND old.latchkey_key = newer.latchkey_key"
        + " AND old.latchkey_revision < newer.latchkey_revision;\n"
        + "  DELETE FROM "
        + history
        + " WHERE latchkey_revision > before AND latchkey_revision <= kept AND latchkey_deleted;\n"
        + "  PERFORM pg_notify('"
        + channel(table)
        + "', made::text);\n"
        + "  RETURN made;\nEND\n";
  }

  private static String recordFunction(CatalogTable table) {
    String body =
        "\nDECLARE\n  made bigint := "
            + commit(table)
            + "();\nBEGIN\n  IF TG_OP = 'TRUNCATE' THEN\n"
            + recordAll(table)
            + "    RETURN NULL;\n  END IF;\n  IF TG_OP <> 'INSERT' THEN\n"
            + recordOne(table, "OLD")
            + "  END IF;\n  IF TG_OP <> 'DELETE' THEN\n"
            + recordOne(table, "NEW")
            + "  END IF;\n  RETURN NULL;\nEND\n";
    return "CREATE OR REPLACE FUNCTION "
        + record(table)
        + definer("trigger")
        + CatalogTable.body(body);
  }

  private static String insertInto(CatalogTable table) {
    return "    INSERT INTO "
        + history(table)
        + " (latchkey_key, latchkey_revision, latchkey_deleted, "
        + String.join(", ", table.values())
        + ") ";
  }

  /** A transaction may change a row more than once; the last time counts. */
  private static String onConflict(CatalogTable table) {
    List<String> excluded = new ArrayList<>();
    for (String value : table.values()) {
      excluded.add(value + " = excluded." + value);
    }
    return " ON CONFLICT (latchkey_key, latchkey_revision) DO UPDATE SET"
        + " latchkey_deleted = excluded.latchkey_deleted, "
        + String.join(", ", excluded)
        + ";\n";
  }

  /** Records what a row has become by now, at the end of the transaction. */
  private static String recordOne(CatalogTable table, String row) {
    List<String> current = new ArrayList<>();
    for (String value : table.values()) {
      current.add("t." + value);
    }
    return insertInto(table)
        + "SELECT changed.k, made, t."
        + table.key()
        + " IS NULL, "
        + String.join(", ", current)
        + " FROM (SELECT "
        + row
        + "."
        + table.key()
        + " AS k) AS changed LEFT JOIN "
        + table.table()
        + " AS t ON t."
        + table.key()
        + " = changed.k WHERE changed.k IS NOT NULL"
        + onConflict(table);
  }

  /** Records all rows as deleted. */
  private static String recordAll(CatalogTable table) {
    return insertInto(table)
        + "SELECT t."
        + table.key()
        + ", made, true, "
        + String.join(", ", Collections.nCopies(table.values().size(), "NULL"))
        + " FROM "
        + table.table()
        + " AS t WHERE t."
        + table.key()
        + " IS NOT NULL"
        + onConflict(table);
  }

  private static List<String> dropTriggers(CatalogTable table) {
    List<String> sql = new ArrayList<>();
    for (String trigger : List.of("_record", "_emptied")) {
      sql.add("DROP TRIGGER IF EXISTS " + table.trigger(trigger) + " ON " + table.table());
    }
    return sql;
  }

  static List<String> remove(CatalogTable table) {
    List<String> sql = dropTriggers(table);
    sql.add("DROP FUNCTION IF EXISTS " + record(table) + "()");
    sql.add("DROP FUNCTION IF EXISTS " + commit(table) + "()");
    sql.add("DROP TABLE IF EXISTS " + history(table));
    sql.add("DROP TABLE IF EXISTS " + head(table));
    return sql;
  }

  /** Counts the triggers that are there, enabled, and call this very function. */
  static int triggers() {
    return 2;
  }

  /**
   * One row for each of some keys, in their order: the head, the oldest revision, the number of the
   * key, what the history has at the revision, and when that ends. Parameters: the array of keys,
   * the revision, the revision.
   */
  static String loadAt(CatalogTable table) {
    List<String> found = new ArrayList<>();
    for (String value : table.values()) {
      found.add("found." + value);
    }
    String of = " FROM " + history(table) + " WHERE latchkey_key = asked.k AND latchkey_revision ";
    return "SELECT head.revision, head.oldest, asked.n, found.latchkey_revision,"
        + " found.latchkey_deleted, next.made, "
        + String.join(", ", found)
        + " FROM "
        + head(table)
        + " AS head CROSS JOIN unnest(?) WITH ORDINALITY AS asked(k, n)"
        + " LEFT JOIN LATERAL (SELECT latchkey_revision, latchkey_deleted, "
        + String.join(", ", table.values())
        + of
        + "<= ? ORDER BY latchkey_revision DESC LIMIT 1) AS found ON true"
        + " LEFT JOIN LATERAL (SELECT min(latchkey_revision) AS made"
        + of
        + "> ?) AS next ON true ORDER BY asked.n";
  }

  static String readHead(CatalogTable table) {
    return "SELECT epoch, revision, oldest,"
        + " (SELECT timeline_id FROM pg_catalog.pg_control_checkpoint()) FROM "
        + head(table);
  }

  /**
   * The head, the oldest revision, and the revisions and keys of the commits after a revision up to
   * another one, in their order; at least one row. All as of one moment.
   */
  static String readCommits(CatalogTable table) {
    return "SELECT head.revision, head.oldest, made.latchkey_revision, made.latchkey_key FROM "
        + head(table)
        + " AS head LEFT JOIN "
        + history(table)
        + " AS made ON made.latchkey_revision > ? AND made.latchkey_revision <= ?"
        + " ORDER BY made.latchkey_revision";
  }

  static String lockHead(CatalogTable table) {
    return "SELECT revision, oldest FROM " + head(table) + " FOR UPDATE";
  }

  /** Which of some keys were changed after a revision. */
  static String conflicts(CatalogTable table) {
    return "SELECT DISTINCT latchkey_key FROM "
        + history(table)
        + " WHERE latchkey_key = ANY(?) AND latchkey_revision > ?";
  }

  /** Records keys as deleted, which the triggers see only of rows that were there. */
  static String recordDeleted(CatalogTable table) {
    return "INSERT INTO "
        + history(table)
        + " (latchkey_key, latchkey_revision, latchkey_deleted) SELECT k, ?, true"
        + " FROM unnest(?) AS k ON CONFLICT (latchkey_key, latchkey_revision) DO NOTHING";
  }
}
