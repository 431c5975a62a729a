package io.latchkey.storage.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.storage.Codec;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.Storages;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What cannot be opened is told in one clear message, and changes nothing. */
class RefusalTest {
  private final PostgresServer server = PostgresServer.shared();
  private final String name = "jdbc:postgresql://127.0.0.1:" + server.port() + "/postgres";

  @TempDir private Path folder;

  private static AbstractThrowableAssert<?, ?> assertRefused(String url) {
    return assertThatThrownBy(() -> Storages.open(url, Codec.utf8(), Codec.utf8()).close())
        .isInstanceOf(StorageException.class)
        .satisfies(e -> assertThat(e.getMessage()).doesNotContain("\n", "Exception", "null"));
  }

  /** All tables, columns and rows of the server's catalogue that are not its own. */
  private String everything() throws Exception {
    return server.query(
        "SELECT coalesce(string_agg(table_schema || '.' || table_name || '.' || column_name || ':'"
            + " || (xpath('/row/c/text()', query_to_xml(format('SELECT count(*) AS c FROM %I.%I',"
            + " table_schema, table_name), false, true, '')))[1]::text, ' '"
            + " ORDER BY table_schema, table_name, column_name), '')"
            + " FROM information_schema.columns"
            + " WHERE table_schema NOT IN ('pg_catalog', 'information_schema')");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "table=nosuch | Create the table, or name the right one with table=NAME",
        "table=REFUSED | there is no table 'REFUSED' but 'refused': write table=refused",
        "table=elsewhere | the table 'elsewhere' is in the schema refusals: write schema=NAME",
        "table=refused&schema=nosuch | name the right one",
        "table=t&schema=nosuch&create=true | Create the schema, or name the right one",
        "table=refused&key=nr | has no column 'nr' but id, name, at, n: name the columns with key=",
        "table=refused&key=id&value=names | has no column 'names' but id, name, at, n: name the",
        "table=refused&key=at&value=name | the key column 'at' is timestamp: keys are text, whole",
        "table=refused&key=n&value=name | the key column 'n' is numeric: keys are text, whole",
        "'' | it names no table: add table=NAME, or select=SQL for SQL of your own",
        "table= | table is '': give a name as the catalogue has it",
        "table=a%00b | table is 'a?b': give a name as the catalogue has it",
        "table=refused&schema= | schema is '': give a name",
        "table=refused&key= | key is '': give a name",
        "table=refused&value= | value is '': give a name",
        "table=refused&value=a,,b | value is '': give a name",
        "table=refused&value=a,a | value is [a, a]: name one column or more, each once",
        "table=t&select=SELECT 1 | table and select exclude each other: keep one",
        "table=t&upsert=U&delete=D | selectAll, upsert and delete go with select, not with table",
        "select= | select is empty: give an SQL statement",
        "select=SELECT ?&upsert=U | upsert and delete go together: give both",
        "select=SELECT ?&create=true | create goes with table, not with select",
        "select=SELECT ?&keyType=float | keyType is 'float': write text, integer, binary or uuid",
        "select=SELECT ?&feed=listen | feed and revisions go with table, not with select",
        "table=t&feed=maybe | feed is 'maybe': write none or listen or install",
        "table=t&revisions=yes | revisions is 'yes': write none or use or install",
        "table=t&feed=listen&revisions=use | feed and revisions exclude each other",
        "table=t&readOnly=true&revisions=use | revisions and readOnly exclude each other",
        "table=t&readOnly=true&create=true | create and readOnly exclude each other",
        "table=t&create=yes | parameter create is 'yes': write true or false",
        "table=t&readOnly=1 | parameter readOnly is '1': write true or false",
        "table=t&connections=0 | connections is 0: give 1 to 1000",
        "table=t&connections=many | connections is 'many': write a whole number",
        "table=t&timeout=5 | timeout is '5': write it like PT5S or PT0.5S",
        "table=t&timeout=PT0.1S | timeout is PT0.1S: give PT0.25S to PT24H",
        "table=t&timeout=PT25H | timeout is PT25H: give PT0.25S to PT24H",
        "table=t&bulk=0 | bulk is 0: give 1 to 10000",
        "table=t&bulk=99999999999 | bulk is '99999999999': write a whole number",
        "table=t&history=-1 | history is -1: give 0 to",
        "table=t&create=true&value=a,b | create makes a table of one value column",
        "tabel=t | unknown parameter 'tabel': the storage knows schema, table, key, value",
        "table=t&table=u | parameter 'table' is given twice",
        "table=t&create | parameter 'create' has no value: write create=VALUE"
      })
  @DisplayName("Bad parameters are named with the mend, and the database stays as it was")
  void parameters(String parameters, String message) throws Exception {
    server.execute(
        "CREATE TABLE IF NOT EXISTS refused (id int PRIMARY KEY, name text, at timestamp, n numeric)",
        "CREATE SCHEMA IF NOT EXISTS refusals",
        "CREATE TABLE IF NOT EXISTS refusals.elsewhere (key int PRIMARY KEY, value text)");
    String before = everything();
    assertRefused(server.url() + "&" + parameters)
        .satisfies(e -> assertThat(e.getMessage()).contains("cannot open " + name))
        .hasMessageContaining(message)
        .satisfies(e -> assertThat(((StorageException) e).retryable()).isFalse());
    assertThat(everything()).isEqualTo(before);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "jdbc: | it names no database: write for example jdbc:postgresql://HOST/DATABASE?table=NAME",
        "jdbc:?table=t | it names no database",
        "jdbc:x | it names no database",
        "jdbc:nosuch:x?table=t | no driver takes jdbc:nosuch:: put the jar of the database's JDBC",
        "jdbc:mysql://h/d?table=t | no driver takes jdbc:mysql:: put the jar of the database's",
        "jdbc:postgresql://h:port/d?table=t | what follows the // is no HOST:PORT/DATABASE",
        "jdbc:postgresql://[::1/d?table=t | what follows the // is no HOST:PORT/DATABASE",
        "jdbc:sqlite::memory:?table=t&jurnal_mode=wal | unknown parameter 'jurnal_mode'",
        "jdbc:h2:mem:refused?table=t&NOSUCH=1 | NOSUCH",
        "jdbc:h2:mem:refused?table=t | Create the table, or name the right one",
        "jdbc:sqlite::memory:?table=t | no such table: t"
      })
  @DisplayName("A URL of no database, no driver or no host says which part is meant")
  void urls(String url, String message) {
    assertRefused(url).hasMessageContaining(message).hasMessageContaining("cannot ");
  }

  @ParameterizedTest
  @CsvSource({"h2", "sqlite"})
  @DisplayName("A column that is misspelt is refused, on SQLite too, which takes it for a text")
  void misspeltColumns(String database) throws Exception {
    String url = "jdbc:" + database + ":" + folder.resolve("file");
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE \"t\" (\"key\" VARCHAR(9) PRIMARY KEY, \"value\" VARCHAR(9))");
    }
    Storages.open(url + "?table=t", Codec.utf8(), Codec.utf8()).close();
    assertRefused(url + "?table=t&value=valeu")
        .hasMessageContaining("the table 't' has no column 'valeu' but key, value: name the");
    assertRefused(url + "?table=t&key=id")
        .hasMessageContaining("the table 't' has no column 'id' but key, value: name the");
  }

  @Test
  @DisplayName("A database, a user or a host that is not there is named")
  void connections() throws Exception {
    String base = "jdbc:postgresql://127.0.0.1:" + server.port();
    assertRefused(base + "/nosuch?user=postgres&table=t&timeout=PT1S")
        .hasMessageContaining("cannot connect to " + base + "/nosuch table t: ")
        .hasMessageContaining("database \"nosuch\" does not exist")
        .hasMessageContaining("Create the database, or name the right one");
    assertRefused(base + "/postgres?user=nobody&table=t&timeout=PT1S")
        .hasMessageContaining("\"nobody\" does not exist")
        .hasMessageContaining("Give the right user and password");
    assertRefused("jdbc:postgresql://nosuch.invalid/d?table=t&timeout=PT1S")
        .hasMessageContaining("nosuch.invalid")
        .satisfies(e -> assertThat(((StorageException) e).retryable()).isTrue());
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    assertRefused("jdbc:postgresql://127.0.0.1:" + port + "/d?table=t&timeout=PT1S")
        .hasMessageContaining("127.0.0.1:" + port + " refused")
        .satisfies(e -> assertThat(((StorageException) e).retryable()).isTrue());
  }

  @Test
  @DisplayName("A host that accepts and never answers fails in the time that was set")
  void silentHost() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      assertRefused(
              "jdbc:postgresql://127.0.0.1:"
                  + silent.getLocalPort()
                  + "/d?user=u&table=t&timeout=PT0.25S")
          .hasMessageContaining("cannot connect to ")
          .satisfies(e -> assertThat(((StorageException) e).retryable()).isTrue());
    }
  }

  @Test
  @DisplayName("A user without the right is told so")
  void rights() throws Exception {
    String table = PostgresServer.freshName();
    server.execute(
        "CREATE TABLE " + table + " (key text PRIMARY KEY, value text)",
        "CREATE ROLE guest_" + table + " LOGIN");
    String url = name + "?user=guest_" + table + "&table=" + table;
    assertRefused(url)
        .hasMessageContaining("permission denied for table " + table)
        .hasMessageContaining("Grant the right to the user of the connection");
    server.execute("DROP ROLE guest_" + table);
  }

  @Test
  @DisplayName("Options in Java are refused by the argument's name")
  void options() {
    JdbcOptions.Builder options = JdbcOptions.table("t");
    assertThatNullPointerException().isThrownBy(() -> JdbcOptions.table(null)).withMessage("table");
    assertThatNullPointerException().isThrownBy(() -> options.schema(null)).withMessage("schema");
    assertThatNullPointerException()
        .isThrownBy(() -> JdbcStorage.open(null, options.build(), Codec.utf8(), Codec.utf8()))
        .withMessage("source");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> options.value())
        .withMessage("value is []: name one column or more, each once");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> options.timeout(Duration.ZERO))
        .withMessage("timeout is PT0S: give PT0.25S to PT24H");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> options.connections(1001))
        .withMessage("connections is 1001: give 1 to 1000");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> options.upsert("INSERT").build())
        .withMessage("selectAll, upsert and delete go with select, not with table");
  }
}
