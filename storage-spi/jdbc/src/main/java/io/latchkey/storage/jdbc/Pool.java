package io.latchkey.storage.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import com.zaxxer.hikari.pool.HikariPool;
import com.zaxxer.hikari.util.DriverDataSource;
import io.latchkey.storage.StorageException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Where the connections come from: a pool of the storage's own, or the user's source. */
final class Pool implements AutoCloseable {
  /** The least that the pool takes. */
  private static final long MIN_VALIDATION_MILLIS = 250;

  private static final long MAX_VALIDATION_MILLIS = 5_000;

  /** What PostgreSQL's driver reads as bytes at times, and then makes another text of. */
  private static final String READ_AS_TEXT =
      "FLOAT4,FLOAT8,TIME,TIMETZ,DATE,TIMESTAMP,TIMESTAMPTZ,POINT,BOX,BOOL_ARRAY,BYTEA_ARRAY,"
          + "INT2_ARRAY,INT4_ARRAY,INT8_ARRAY,OID_ARRAY,NUMERIC_ARRAY,FLOAT4_ARRAY,FLOAT8_ARRAY,"
          + "TIMESTAMP_ARRAY,TIMESTAMPTZ_ARRAY,UUID_ARRAY,TEXT_ARRAY,VARCHAR_ARRAY";

  private final String name;
  private final DataSource source;
  private final @Nullable HikariDataSource own;
  private final @Nullable JdbcUrl url;
  private final Set<Wait> waits = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  private Pool(
      String name, DataSource source, @Nullable HikariDataSource own, @Nullable JdbcUrl url) {
    this.name = name;
    this.source = source;
    this.own = own;
    this.url = url;
  }

  /** Takes the user's source, which stays open. */
  static Pool of(String name, DataSource source) {
    return new Pool(name, source, null, null);
  }

  /** Opens a connection without a pool. */
  static Connection connect(JdbcUrl url) throws SQLException {
    return DriverManager.getConnection(url.driverUrl(), properties(url));
  }

  /**
   * Opens a connection that is kept for long, outside of the pool where that is the storage's own.
   *
   * @param answerMillis how long it waits for an answer of the server
   */
  Connection dedicated(int answerMillis)
      throws SQLException, StorageException, InterruptedException {
    checkOpen();
    Connection connection = url == null ? take() : connect(url);
    boolean done = false;
    try {
      connection.setNetworkTimeout(Runnable::run, answerMillis);
      connection.setAutoCommit(true);
      done = true;
      return connection;
    } finally {
      if (!done) {
        connection.close();
      }
    }
  }

  /** Opens a pool, and one connection to see that there is a database. */
  static Pool open(JdbcUrl url) throws StorageException {
    Duration timeout = url.options().timeout;
    HikariConfig config = new HikariConfig();
    config.setPoolName("latchkey");
    // Not the URL and the properties: the pool logs them, and hides only some of the secrets.
    config.setDataSource(new DriverDataSource(url.driverUrl(), null, properties(url), null, null));
    config.setConnectionTimeout(timeout.toMillis());
    config.setValidationTimeout(
        Math.max(MIN_VALIDATION_MILLIS, Math.min(MAX_VALIDATION_MILLIS, timeout.toMillis() / 2)));
    config.setMinimumIdle(1);
    config.setMaximumPoolSize(url.options().connections);
    config.setInitializationFailTimeout(1);
    if (isPostgres(url)) {
      config.setConnectionInitSql("SET statement_timeout = " + timeout.toMillis());
    }
    if (isOneConnection(url)) {
      config.setMaximumPoolSize(1);
    }
    if (isOneConnection(url) || url.driverUrl().startsWith("jdbc:h2:mem:")) {
      config.setMaxLifetime(0); // the database ends with its last connection
    }
    try {
      HikariDataSource own = new HikariDataSource(config);
      return new Pool(url.name(), own, own, url);
    } catch (HikariPool.PoolInitializationException e) {
      // The cause is the driver's; the pool's own words say nothing of what happened.
      if (e.getCause() instanceof SQLException cause) {
        throw SqlFailures.failed(url.name(), "connect to", cause);
      }
      throw new StorageException(
          url.name(),
          "cannot connect to " + url.name() + ": " + StorageException.reason(e),
          e,
          true);
    }
  }

  private static boolean isPostgres(JdbcUrl url) {
    return url.driverUrl().startsWith("jdbc:postgresql:");
  }

  private static boolean isOneConnection(JdbcUrl url) {
    return url.driverUrl().startsWith("jdbc:sqlite:")
        && (url.driverUrl().contains(":memory:") || url.driverUrl().equals("jdbc:sqlite:"));
  }

  /** The driver's properties; a server that falls silent is noticed in the time that was set. */
  static Properties properties(JdbcUrl url) {
    Properties properties = new Properties();
    Duration timeout = url.options().timeout;
    if (isPostgres(url)) {
      // Whole seconds, and one more than the server has to answer by itself.
      String seconds = Long.toString(timeout.plusMillis(1_999).toSeconds());
      properties.setProperty("socketTimeout", seconds);
      properties.setProperty("connectTimeout", seconds);
      properties.setProperty("loginTimeout", seconds);
      properties.setProperty("tcpKeepAlive", "true");
      properties.setProperty("binaryTransferDisable", READ_AS_TEXT);
      properties.setProperty("ApplicationName", "latchkey");
    }
    if (url.driverUrl().startsWith("jdbc:sqlite:")) {
      properties.setProperty("busy_timeout", Long.toString(timeout.toMillis()));
      properties.setProperty("transaction_mode", "IMMEDIATE");
    }
    properties.putAll(url.properties());
    return properties;
  }

  /**
   * A thread that waits for a connection. The pool does not wake those that wait when it is closed,
   * so {@link #close} interrupts them.
   */
  private static final class Wait {
    private final Thread thread = Thread.currentThread();
    private boolean ended;
    private boolean interrupted;

    synchronized void interrupt() {
      if (!ended) {
        interrupted = true;
        thread.interrupt();
      }
    }

    /** Ends the wait; whether it was interrupted by {@link #interrupt}. */
    synchronized boolean end() {
      ended = true;
      return interrupted;
    }
  }

  /**
   * Takes a connection, to be closed.
   *
   * @throws StorageException if the storage is closed
   * @throws InterruptedException if the thread was interrupted while it waited
   */
  Connection take() throws SQLException, StorageException, InterruptedException {
    Wait wait = new Wait();
    waits.add(wait);
    SQLException failure;
    try {
      checkOpen(); // after it was added: a close comes before this, or sees the wait
      return source.getConnection();
    } catch (SQLException e) {
      failure = e;
    } finally {
      waits.remove(wait);
      if (wait.end()) {
        Thread.interrupted();
      }
    }
    checkOpen();
    if (failure.getCause() instanceof InterruptedException) {
      Thread.interrupted(); // the pool sets it again
      throw (InterruptedException)
          new InterruptedException("interrupted while waiting for a connection").initCause(failure);
    }
    if (own != null && isExhausted(own)) {
      throw new StorageException(
          name,
          "cannot get a connection to "
              + name
              + ": no connection was free for "
              + Duration.ofMillis(own.getConnectionTimeout())
              + ", of "
              + own.getMaximumPoolSize()
              + " at most: raise connections, or look what holds them so long",
          failure,
          true);
    }
    throw failure;
  }

  private static boolean isExhausted(HikariDataSource own) {
    HikariPoolMXBean pool = own.getHikariPoolMXBean();
    return pool != null && pool.getActiveConnections() >= own.getMaximumPoolSize();
  }

  void checkOpen() throws StorageException {
    if (closed) {
      throw new StorageException(name, name + " is closed", null, false);
    }
  }

  /** Whether the connections are the storage's own, with the time-outs of its options. */
  boolean isOwn() {
    return own != null;
  }

  boolean isClosed() {
    return closed;
  }

  @Override
  public void close() {
    closed = true;
    waits.forEach(Wait::interrupt);
    if (own != null) {
      own.close();
    }
  }
}
