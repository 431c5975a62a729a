package io.latchkey.storage.jdbc;

import io.latchkey.storage.StorageException;
import java.sql.SQLException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Says what a failure of the database means for the storage, and what to do about it. */
final class SqlFailures {
  private SqlFailures() {}

  /** What failed in an open storage. */
  static StorageException failed(String name, String action, SQLException e) {
    return new StorageException(
        name, "cannot " + action + " " + name + ": " + detail(e) + mend(e), e, isRetryable(e));
  }

  /** Whether the same call may work later: SQLSTATE classes of ISO/IEC 9075 and PostgreSQL's. */
  static boolean isRetryable(SQLException e) {
    if (e instanceof SQLTransientException || e instanceof SQLRecoverableException) {
      return true;
    }
    String state = state(e);
    return switch (state.length() < 2 ? "" : state.substring(0, 2)) {
      // Connection, rollback, resources, object in use, operator's intervention, system.
      case "08", "40", "53", "55", "57", "58" -> true;
      default -> isBusy(e);
    };
  }

  /** Whether a transaction lost against another one and should be run again at once. */
  static boolean isLostRace(SQLException e) {
    String state = state(e);
    return state.equals("40001") || state.equals("40P01");
  }

  /** Whether a row is there already that was to be added. */
  static boolean isDuplicate(SQLException e) {
    return state(e).startsWith("23");
  }

  /** Whether there is no such table, as far as the statement looks for it. */
  static boolean isNoTable(SQLException e) {
    return state(e).equals("42P01") || state(e).startsWith("42S0");
  }

  /** SQLite, whose driver has no SQLSTATE, waited in vain for another writer. */
  private static boolean isBusy(SQLException e) {
    String message = String.valueOf(e.getMessage());
    return message.contains("[SQLITE_BUSY]") || message.contains("[SQLITE_FULL]");
  }

  private static String mend(SQLException e) {
    return switch (state(e)) {
      case "28000", "28P01" -> ". Give the right user and password";
      case "3D000" -> ". Create the database, or name the right one";
      case "3F000", "90079" -> ". Create the schema, or name the right one with schema=NAME";
      case "42P01", "42S02", "42S03", "42S04" ->
          ". Create the table, or name the right one with table=NAME";
      case "42P10" -> ". The key column needs a primary key or unique index";
      case "42501" -> ". Grant the right to the user of the connection";
      case "53100" -> ". Make room on the disk of the database";
      case "57014" -> ". It took longer than the time-out of the storage";
      default -> "";
    };
  }

  private static String state(SQLException e) {
    String state = e.getSQLState();
    return state == null ? "" : state;
  }

  /** What the driver says, in one line. */
  static String detail(SQLException e) {
    String message = e.getMessage();
    Throwable cause = e.getCause();
    if (cause != null && cause != e && isVague(message)) {
      message = message + ": " + cause.getMessage();
    }
    if (message == null || message.isBlank()) {
      return "the driver says SQLSTATE " + state(e);
    }
    return message.strip().replaceAll("\\s*\\R\\s*", "; ");
  }

  /** The pool and the driver hide what happened behind such words. */
  private static boolean isVague(@Nullable String message) {
    if (message == null) {
      return true;
    }
    String lower = message.toLowerCase(Locale.ROOT);
    return lower.contains("not available") || lower.contains("i/o error");
  }
}
