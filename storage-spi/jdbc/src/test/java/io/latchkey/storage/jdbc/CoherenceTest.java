package io.latchkey.storage.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.storage.testkit.ObservedChild;
import io.latchkey.storage.testkit.Troubles;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Two processes with caches over one PostgreSQL, a third party that changes rows, and trouble.
 * Longer with {@code -Dlatchkey.soak=SECONDS}: by default each trouble comes once.
 */
@Timeout(3600)
class CoherenceTest {
  private static final int CHANGES = 30;

  /**
   * The listener notices a silent server after a beat and an answer, and comes back after a pause
   * that is as long at most; the rest is for slow machines.
   */
  private static final Duration BOUND = Duration.ofSeconds(60);

  private final PostgresServer server = PostgresServer.start();
  private final String table = PostgresServer.freshName();
  private final List<ObservedChild> children = new ArrayList<>();

  @BeforeEach
  void begin() throws Exception {
    server.execute(
        "CREATE TABLE " + table + " (id bigint PRIMARY KEY, value text)",
        "INSERT INTO " + table + " SELECT n, '0' FROM generate_series(0, 199) n",
        "INSERT INTO " + table + " SELECT n, '0' FROM generate_series(10000, 10015) n");
    for (int i = 0; i < 2; i++) {
      ObservedChild child = ObservedChild.start(BOUND, CoherenceChild.class, server.url(), table);
      children.add(child);
      child.await("it is ready", () -> child.heard("ready") == 1);
    }
    for (ObservedChild child : children) {
      child.await("its feeds are whole", () -> isWhole(child));
    }
  }

  @AfterEach
  void end() throws Exception {
    for (ObservedChild child : children) {
      child.close();
    }
    server.close();
  }

  /** Whether each loss was followed by the end of it. */
  private static boolean isWhole(ObservedChild child) {
    return child.heard("whole feed") > child.heard("lost feed")
        && child.heard("whole commits") > child.heard("lost commits");
  }

  private static int losses(ObservedChild child) {
    return Math.min(child.heard("lost feed"), child.heard("lost commits"));
  }

  private static boolean vouchesFor(ObservedChild child, long marker) {
    return child.number("floor cache") >= marker && child.number("floor snapshot") >= marker;
  }

  /** Changes rows by psql, where that is there. */
  private final class ThirdParty implements AutoCloseable {
    private @Nullable Process psql;
    private @Nullable Connection connection;

    ThirdParty() throws Exception {
      try {
        String database = "postgresql://postgres@127.0.0.1:" + server.port() + "/postgres";
        psql =
            new ProcessBuilder("psql", "-XqAt", "-d", database).redirectErrorStream(true).start();
      } catch (IOException e) {
        connection = server.connect();
      }
    }

    String name() {
      return psql == null ? "JDBC" : "psql";
    }

    /** Returns when the statement is committed. */
    void execute(String sql) throws Exception {
      if (psql == null) {
        try (Statement statement = connection.createStatement()) {
          statement.execute(sql);
        }
        return;
      }
      OutputStream input = psql.getOutputStream();
      input.write((sql + ";\nSELECT 'done';\n").getBytes(UTF_8));
      input.flush();
      BufferedReader output = psql.inputReader();
      String line = output.readLine();
      while (!"done".equals(line)) {
        assertThat(line).as("what psql says to " + sql).isNotNull().doesNotContain("ERROR");
        line = output.readLine();
      }
    }

    @Override
    public void close() throws Exception {
      if (psql != null) {
        psql.destroy();
      }
      if (connection != null) {
        connection.close();
      }
    }
  }

  @Test
  @DisplayName("F19: what a third party changes is served by the caches of all processes soon")
  void quiet() throws Exception {
    List<Long> micros = new ArrayList<>();
    String party;
    try (ThirdParty third = new ThirdParty()) {
      party = third.name();
      for (int i = 0; i < CHANGES; i++) {
        int key = i % 5;
        int version = i / 5 + 1;
        String watching = "watching " + key + " false false";
        List<Integer> before = children.stream().map(child -> child.heard(watching)).toList();
        for (ObservedChild child : children) {
          child.tell("await " + key + " " + version);
        }
        for (int c = 0; c < children.size(); c++) {
          ObservedChild child = children.get(c);
          int seen = before.get(c);
          child.await("it watches", () -> child.heard(watching) > seen);
        }
        int served = i % 5 + 1;
        third.execute("UPDATE " + table + " SET value = " + version + " WHERE id = " + key);
        long start = System.nanoTime();
        for (String cache : List.of("cache ", "snapshot ")) {
          for (ObservedChild child : children) {
            child.await(
                "it serves the change", () -> child.heard("served " + cache + version) >= served);
            micros.add((System.nanoTime() - start) / 1_000);
          }
        }
      }
    }
    micros.sort(null);
    System.out.printf(
        "CoherenceTest: %d changes by %s, served after median %d us, 90 %% %d us, longest %d us%n",
        CHANGES,
        party,
        micros.get(micros.size() / 2),
        micros.get(micros.size() * 9 / 10),
        micros.get(micros.size() - 1));
    finish();
  }

  private void finish() throws Exception {
    for (ObservedChild child : children) {
      child.finish();
      System.out.println("CoherenceTest: child: " + child.said());
    }
  }

  private void terminate() throws Exception {
    try (ThirdParty third = new ThirdParty()) {
      third.execute(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
              + " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'");
    }
  }

  private void restart() throws Exception {
    int[] before = losses();
    server.stop();
    awaitLosses(before);
    server.restart();
  }

  private void freeze() throws Exception {
    int[] before = losses();
    server.signal("STOP");
    try {
      awaitLosses(before);
    } finally {
      server.signal("CONT");
    }
  }

  private void kill() throws Exception {
    int[] before = losses();
    server.signal("KILL");
    awaitLosses(before);
    server.restart();
  }

  private int[] losses() {
    return children.stream().mapToInt(CoherenceTest::losses).toArray();
  }

  private void awaitLosses(int[] before) throws Exception {
    for (int i = 0; i < before.length; i++) {
      ObservedChild child = children.get(i);
      int known = before[i];
      child.await("it has lost its feeds", () -> losses(child) > known);
    }
  }

  @Test
  @DisplayName("F19, M8: no cache is older than its feed said, nothing hangs, and all converge")
  void trouble() throws Exception {
    long seed = Long.getLong("latchkey.seed", System.nanoTime());
    System.out.println("CoherenceTest: latchkey.seed=" + seed);
    try (CoherenceWriters writers = new CoherenceWriters(server, table)) {
      load(writers, seed);
      new Troubles("CoherenceTest", () -> awaitMarker(writers))
          .then("connections cut", this::terminate)
          .then("server stopped and started", this::restart)
          .once("load doubled", () -> load(writers, seed + 10))
          .then("server frozen", this::freeze)
          .then("server killed", this::kill)
          .then("connections cut again", this::terminate)
          .run();
      writers.stop();
      awaitMarker(writers);
      System.out.printf(
          "CoherenceTest: %d commits acknowledged, %d failures of the writers%n",
          writers.commits.get(), writers.failures.get());
      assertThat(writers.commits.get()).isPositive();
      assertConverged(writers);
    }
    finish();
  }

  private void load(CoherenceWriters writers, long seed) throws Exception {
    writers.start(2, seed);
    for (ObservedChild child : children) {
      child.tell("readers " + seed);
      child.tell("readers " + (seed + 1));
    }
  }

  /** Until all caches vouch for what is acknowledged now. */
  private void awaitMarker(CoherenceWriters writers) throws Exception {
    long marker = writers.nextMarker();
    for (ObservedChild child : children) {
      child.await("it vouches for marker " + marker, () -> vouchesFor(child, marker));
    }
  }

  private void assertConverged(CoherenceWriters writers) throws Exception {
    Map<Long, String> rows = new TreeMap<>();
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement();
        ResultSet found =
            statement.executeQuery("SELECT id, value FROM " + table + " WHERE id >= 0")) {
      while (found.next()) {
        rows.put(found.getLong(1), found.getString(2));
      }
    }
    for (int key = 0; key < CoherenceRows.PAIRS; key++) {
      assertThat(Long.parseLong(rows.get((long) key)))
          .as("an acknowledged commit of " + key)
          .isGreaterThanOrEqualTo(writers.version(key));
    }
    for (ObservedChild child : children) {
      child.tell("dump");
      for (String cache : List.of("contents cache", "contents snapshot")) {
        child.await("it has told its " + cache, () -> child.value(cache) != null);
        assertThat(child.value(cache)).isEqualTo(rows.toString());
      }
    }
  }
}
