package io.latchkey.storage.jdbc;

import io.latchkey.storage.StorageException;
import java.io.EOFException;
import java.sql.SQLException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientException;
import java.util.Locale;

/** Says what a failure of the database means for the storage, and what to do about it. */
final class SqlFailures {
  /** A chain may be a circle. */
  private static final int MAX_CAUSES = 5;

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
    String words = words(e, MAX_CAUSES);
    return words.isEmpty() ? "the driver says SQLSTATE " + state(e) : words;
  }

  /** The message, and where that says little also what stands behind it. */
  private static String words(Throwable e, int causes) {
    String message = e.getMessage() == null ? "" : e.getMessage().strip();
    message = message.replaceAll("\\s*\\R\\s*", "; ");
    Throwable cause = e.getCause();
    if (cause == null || cause == e || causes == 0 || !isVague(message)) {
      return message.isEmpty() ? namesake(e) : message;
    }
    String behind = words(cause, causes - 1);
    if (message.isEmpty() || behind.isEmpty() || message.contains(behind)) {
      return message.isEmpty() ? behind : message;
    }
    return message.replaceAll("[.:]+$", "") + ": " + behind;
  }

  /** What an exception without a message stands for. */
  private static String namesake(Throwable e) {
    if (e instanceof SQLException) {
      return "";
    }
    return e instanceof EOFException
        ? "the server has ended the connection"
        : e.getClass().getSimpleName();
  }

  /** The pool and the driver hide what happened behind such words. */
  private static boolean isVague(String message) {
    String lower = message.toLowerCase(Locale.ROOT);
    return message.isEmpty()
        || lower.contains("not available")
        || lower.contains("i/o error")
        || lower.contains("attempt failed");
  }
}
