package io.latchkey.storage.jdbc;

import io.latchkey.storage.StorageException;
import io.latchkey.storage.StorageUrl;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;

/**
 * What a storage needs in a PostgreSQL database besides its table: the triggers of the feed, or the
 * history of its revisions. It is installed and removed by this class, or by the SQL that it
 * prints, for administrators who run such things themselves. Everything is made in the table's
 * schema under names that begin with {@code latchkey_}.
 *
 * <p>Installing needs the rights of the table's owner and to create functions, for the history
 * tables, too, in the schema; listening and reading need none but to read. Immutable, thread-safe.
 */
public final class PostgresInstallation {
  private final String name;
  private final JdbcUrl url;
  private final CatalogTable table;
  private final JdbcOptions options;

  private PostgresInstallation(JdbcUrl url, CatalogTable table) {
    this.name = url.name();
    this.url = url;
    this.table = table;
    this.options = url.options();
  }

  /**
   * Looks the table of a URL up.
   *
   * @param url the storage's URL, with the option {@code feed} or {@code revisions}, which says
   *     what is to be installed
   * @return the installation, done or not
   * @throws NullPointerException if it is null
   * @throws StorageException if it names no table on PostgreSQL, or none of the two options
   */
  public static PostgresInstallation of(String url) throws StorageException {
    StorageUrl given = StorageUrl.parse(Objects.requireNonNull(url, "url"));
    if (!given.scheme().equals("jdbc") || !given.location().startsWith("postgresql:")) {
      throw new StorageException(
          given.toString(),
          given + " is not on PostgreSQL: only there are feeds and revisions to install",
          null,
          false);
    }
    JdbcUrl parsed = JdbcUrl.of(given);
    JdbcOptions options = parsed.options();
    if (options.feed == JdbcOptions.Feed.NONE && options.revisions == JdbcOptions.Revisions.NONE) {
      throw new StorageException(
          parsed.name(),
          "nothing is to be installed for "
              + parsed.name()
              + ": add feed=install or revisions=install",
          null,
          false);
    }
    return withConnection(
        parsed,
        connection ->
            new PostgresInstallation(parsed, CatalogTable.of(parsed.name(), connection, options)));
  }

  @FunctionalInterface
  private interface Work<T> {
    T run(Connection connection) throws SQLException, StorageException;
  }

  private static <T> T withConnection(JdbcUrl url, Work<T> work) throws StorageException {
    try (Connection connection = Pool.connect(url)) {
      return work.run(connection);
    } catch (SQLException e) {
      throw SqlFailures.failed(url.name(), "connect to", e);
    }
  }

  /**
   * The SQL that installs it, over an older installation if there is one.
   *
   * @return a transaction: statements, each ended by a semicolon and a new line
   */
  public String installSql() {
    return script(install(table, options));
  }

  /**
   * The SQL that removes it; the table stays.
   *
   * @return a transaction: statements, each ended by a semicolon and a new line
   */
  public String removeSql() {
    return script(
        options.feed == JdbcOptions.Feed.NONE ? HistorySql.remove(table) : FeedSql.remove(table));
  }

  private static String script(List<String> statements) {
    return "BEGIN;\n" + String.join(";\n", statements) + ";\nCOMMIT;\n";
  }

  private static List<String> install(CatalogTable table, JdbcOptions options) {
    return options.feed == JdbcOptions.Feed.NONE
        ? HistorySql.install(table, options.history)
        : FeedSql.install(table);
  }

  /**
   * Whether it is installed, complete and enabled.
   *
   * @return true if so
   * @throws StorageException if the database cannot be asked
   */
  public boolean isInstalled() throws StorageException {
    return withConnection(url, connection -> isInstalled(connection, table, options));
  }

  private static boolean isInstalled(Connection connection, CatalogTable table, JdbcOptions options)
      throws SQLException {
    return options.feed == JdbcOptions.Feed.NONE
        ? PostgresCommits.isInstalled(connection, table)
        : PostgresFeed.isInstalled(connection, table);
  }

  /**
   * Installs it, in one transaction that waits for those that write the table. If it is there
   * already, it is made anew; a history keeps what it has.
   *
   * @throws StorageException if the database refuses it; nothing is changed then
   */
  public void install() throws StorageException {
    withConnection(
        url,
        connection -> {
          run(connection, table, install(table, options));
          return name;
        });
  }

  /**
   * Removes it. Storages that listen lose their feed, and say so. A history is lost. Does nothing
   * if nothing is installed.
   *
   * @throws StorageException if the database refuses it; nothing is changed then
   */
  public void remove() throws StorageException {
    List<String> sql =
        options.feed == JdbcOptions.Feed.NONE ? HistorySql.remove(table) : FeedSql.remove(table);
    withConnection(
        url,
        connection -> {
          run(connection, table, sql);
          return name;
        });
  }

  /** Installs what a storage that is opened needs, if it is missing and may be installed. */
  static void prepare(Connection connection, CatalogTable table, JdbcOptions options)
      throws SQLException, StorageException {
    if (isInstalled(connection, table, options)) {
      return;
    }
    if (options.feed == JdbcOptions.Feed.LISTEN) {
      throw PostgresFeed.notInstalled(table);
    }
    if (options.revisions == JdbcOptions.Revisions.USE) {
      throw PostgresCommits.notInstalled(table);
    }
    run(connection, table, install(table, options));
  }

  private static void run(Connection connection, CatalogTable table, List<String> statements)
      throws SQLException {
    connection.setAutoCommit(false);
    boolean done = false;
    try {
      // Of two that install at a time one waits and finds it done.
      try (PreparedStatement lock =
          connection.prepareStatement("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))")) {
        lock.setString(1, table.prefix());
        lock.execute();
      }
      try (Statement statement = connection.createStatement()) {
        statement.setEscapeProcessing(false);
        for (String sql : statements) {
          statement.execute(sql);
        }
      }
      connection.commit();
      done = true;
    } finally {
      if (!done) {
        connection.rollback();
      }
      connection.setAutoCommit(true);
    }
  }
}
