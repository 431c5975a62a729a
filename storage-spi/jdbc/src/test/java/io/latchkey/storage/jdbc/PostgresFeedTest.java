package io.latchkey.storage.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.Storages;
import io.latchkey.storage.Subscription;
import io.latchkey.storage.WatchableStorage;
import io.latchkey.storage.WritableStorage;
import io.latchkey.storage.testkit.FeedRecorder;
import io.latchkey.storage.testkit.FeedRecorder.Event;
import io.latchkey.storage.testkit.FeedRecorder.Kind;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** What the feed of a table tells of the changes of others, by plain SQL. */
class PostgresFeedTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final PostgresServer server = PostgresServer.shared();
  private final String table = PostgresServer.freshName();
  private final FeedRecorder<Long> recorder = new FeedRecorder<>(PATIENCE);

  @BeforeEach
  void createTable() throws Exception {
    server.execute("CREATE TABLE " + table + " (id bigint PRIMARY KEY, name text)");
  }

  private String url(String parameters) {
    return server.url() + "&table=" + table + "&key=id&value=name" + parameters;
  }

  private WatchableStorage<Long, String> open(String parameters) throws Exception {
    return (WatchableStorage<Long, String>)
        Storages.<Long, String>open(url(parameters), Codec.int64(), Codec.utf8());
  }

  /** A change by SQL and what it tells. */
  private interface Told {
    void run() throws Exception;
  }

  private void watched(Told told) throws Exception {
    try (WatchableStorage<Long, String> storage = open("&feed=install");
        Subscription subscription = storage.watch(recorder)) {
      assertThat(subscription).isNotNull();
      recorder.awaitWhole();
      told.run();
      recorder.checkOrder();
    }
  }

  private List<Long> keysTold() {
    List<Long> told = new ArrayList<>();
    recorder.events().forEach(event -> told.addAll(event.keys()));
    return told;
  }

  /** Waits until a marker, changed after all else, is told; events come in order. */
  private void awaitAllTold() throws Exception {
    server.execute("INSERT INTO " + table + " VALUES (-1, 'marker')");
    recorder.awaitChanged(-1L);
    server.execute("DELETE FROM " + table + " WHERE id = -1");
  }

  @Test
  @DisplayName("Inserts, updates, upserts and deletes by anybody are told by key")
  void changesByOthers() throws Exception {
    watched(
        () -> {
          server.execute(
              "INSERT INTO " + table + " VALUES (1, 'Ada'), (2, 'Bob')",
              "UPDATE " + table + " SET name = 'Eve' WHERE id = 2",
              "INSERT INTO " + table + " VALUES (1, 'x') ON CONFLICT (id) DO NOTHING",
              "DELETE FROM " + table + " WHERE id = 1",
              "UPDATE " + table + " SET id = 20 WHERE id = 2",
              "UPDATE " + table + " SET name = 'nobody' WHERE id = 99");
          awaitAllTold();
          assertThat(keysTold().subList(0, 6))
              .as("of a changed key both are told")
              .containsExactlyInAnyOrder(1L, 2L, 2L, 1L, 20L, 2L);
        });
  }

  @Test
  @DisplayName("TRUNCATE tells that anything may have changed")
  void truncate() throws Exception {
    watched(
        () -> {
          server.execute("TRUNCATE " + table);
          recorder.await("all", events -> events.stream().anyMatch(this::isAll));
        });
  }

  private boolean isAll(Event<Long> event) {
    return event.kind() == Kind.CHANGED_ALL;
  }

  @Test
  @DisplayName("What is rolled back is not told, what is committed is told after it can be read")
  void transactions() throws Exception {
    watched(
        () -> {
          try (Connection connection = server.connect();
              Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("INSERT INTO " + table + " VALUES (1, 'rolled back')");
            connection.rollback();
            statement.execute("INSERT INTO " + table + " VALUES (2, 'committed')");
            statement.execute("SAVEPOINT s");
            statement.execute("INSERT INTO " + table + " VALUES (3, 'back to the savepoint')");
            statement.execute("ROLLBACK TO SAVEPOINT s");
            awaitAllTold();
            assertThat(keysTold()).as("before the commit").containsExactly(-1L);
            connection.commit();
          }
          recorder.awaitChanged(2L);
          assertThat(keysTold()).doesNotContain(1L, 3L);
        });
  }

  @Test
  @DisplayName("Events come in the order of the commits, not of the statements")
  void orderOfCommits() throws Exception {
    watched(
        () -> {
          try (Connection first = server.connect();
              Statement statement = first.createStatement()) {
            first.setAutoCommit(false);
            statement.execute("INSERT INTO " + table + " VALUES (1, 'begun first')");
            server.execute("INSERT INTO " + table + " VALUES (2, 'committed first')");
            first.commit();
          }
          recorder.awaitChanged(1L);
          assertThat(keysTold()).containsExactly(2L, 1L);
        });
  }

  @Test
  @DisplayName("A statement that changes thousands of rows tells each of them")
  void manyKeys() throws Exception {
    watched(
        () -> {
          int rows = FeedSql.MAX_KEYS;
          server.execute(
              "INSERT INTO " + table + " SELECT n, 'x' FROM generate_series(1, " + rows + ") n");
          awaitAllTold();
          assertThat(keysTold())
              .containsAll(LongStream.rangeClosed(1, rows).boxed().toList())
              .hasSizeLessThan(rows + 3);
          assertThat(recorder.events()).noneMatch(this::isAll);
        });
  }

  @Test
  @DisplayName("A statement that changes more than that tells that anything may have changed")
  void tooManyKeys() throws Exception {
    watched(
        () -> {
          server.execute(
              "INSERT INTO "
                  + table
                  + " SELECT n, 'x' FROM generate_series(1, "
                  + (FeedSql.MAX_KEYS + 1)
                  + ") n");
          recorder.await("all", events -> events.stream().anyMatch(this::isAll));
        });
  }

  @Test
  @DisplayName("Odd text keys are told as they are, one too long for a payload as anything")
  void textKeys() throws Exception {
    String texts = PostgresServer.freshName();
    server.execute("CREATE TABLE " + texts + " (k text PRIMARY KEY, v text)");
    List<String> odd =
        List.of(
            "", " ", "*", "[\"a\"]", "\"", "\\", "a,b", "\n", "\uD83D\uDD11", "é".repeat(1_200));
    FeedRecorder<String> told = new FeedRecorder<>(PATIENCE);
    try (WatchableStorage<String, String> storage =
            (WatchableStorage<String, String>)
                Storages.<String, String>open(
                    server.url() + "&feed=install&key=k&value=v&table=" + texts,
                    Codec.utf8(),
                    Codec.utf8());
        Subscription subscription = storage.watch(told)) {
      assertThat(subscription).isNotNull();
      told.awaitWhole();
      for (String key : odd) {
        ((WritableStorage<String, String>) storage).store(key, "v");
        told.awaitChanged(key);
      }
      assertThat(told.events()).extracting(Event::kind).doesNotContain(Kind.CHANGED_ALL);
      server.execute(
          "ALTER TABLE " + texts + " DROP CONSTRAINT " + texts + "_pkey",
          "INSERT INTO " + texts + " VALUES (repeat('k', 8000), 'v')");
      told.await(
          "all", events -> events.stream().anyMatch(event -> event.kind() == Kind.CHANGED_ALL));
    }
  }

  @Test
  @DisplayName("Rows written to a partition directly are told")
  void partitions() throws Exception {
    server.execute(
        "DROP TABLE " + table,
        "CREATE TABLE " + table + " (id bigint PRIMARY KEY, name text) PARTITION BY RANGE (id)",
        "CREATE TABLE " + table + "_low PARTITION OF " + table + " FOR VALUES FROM (-10) TO (10)",
        "CREATE TABLE " + table + "_high PARTITION OF " + table + " FOR VALUES FROM (10) TO (99)");
    watched(
        () -> {
          server.execute(
              "INSERT INTO " + table + " VALUES (1, 'a')",
              "INSERT INTO " + table + "_high VALUES (11, 'b')",
              "UPDATE " + table + " SET id = 12 WHERE id = 1",
              "TRUNCATE " + table);
          recorder.await("all", events -> events.stream().anyMatch(this::isAll));
          assertThat(keysTold()).contains(1L, 11L, 12L);
        });
  }

  @Test
  @DisplayName("Rows of one partition are told that are written by way of the whole table")
  void onePartition() throws Exception {
    String whole = table + "_whole";
    server.execute(
        "DROP TABLE " + table,
        "CREATE TABLE " + whole + " (id bigint PRIMARY KEY, name text) PARTITION BY RANGE (id)",
        "CREATE TABLE " + table + " PARTITION OF " + whole + " FOR VALUES FROM (-10) TO (10)",
        "CREATE TABLE " + table + "_high PARTITION OF " + whole + " FOR VALUES FROM (10) TO (99)");
    watched(
        () -> {
          server.execute("INSERT INTO " + whole + " VALUES (1, 'a'), (2, 'b'), (11, 'c')");
          recorder.awaitChanged(2L);
          server.execute("UPDATE " + whole + " SET id = 12 WHERE id = 1", "TRUNCATE " + whole);
          recorder.await("all", events -> events.stream().anyMatch(this::isAll));
          assertThat(keysTold()).containsExactly(1L, 2L, 1L);
        });
  }

  @Test
  @DisplayName("Rows of an heir are told that are written by way of the table it inherits from")
  void heir() throws Exception {
    String parent = table + "_parent";
    server.execute(
        "DROP TABLE " + table,
        "CREATE TABLE " + parent + " (id bigint PRIMARY KEY, name text)",
        "CREATE TABLE " + table + " (PRIMARY KEY (id)) INHERITS (" + parent + ")");
    watched(
        () -> {
          server.execute(
              "INSERT INTO " + table + " VALUES (1, 'a')",
              "UPDATE " + parent + " SET name = 'b' WHERE id = 1",
              "DELETE FROM " + parent + " WHERE id = 1");
          awaitAllTold();
          assertThat(keysTold()).startsWith(1L, 1L, 1L);
        });
  }

  @Test
  @DisplayName("A table that others inherit from is refused, and lost once one does")
  void inherited() throws Exception {
    watched(
        () -> {
          server.execute("CREATE TABLE " + table + "_heir () INHERITS (" + table + ")");
          recorder.await("lost", events -> events.stream().anyMatch(e -> e.kind() == Kind.LOST));
        });
    for (String parameters : List.of("&feed=install", "&feed=listen", "&revisions=install")) {
      assertThatThrownBy(() -> open(parameters))
          .as(parameters)
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("has tables that inherit from it");
    }
  }

  @Test
  @DisplayName(
      "A table with the triggers can become no partition or heir, which they would not see")
  void attached() throws Exception {
    String whole = table + "_whole";
    String parent = table + "_parent";
    server.execute(
        "CREATE TABLE " + whole + " (id bigint PRIMARY KEY, name text) PARTITION BY RANGE (id)",
        "CREATE TABLE " + parent + " (id bigint, name text)");
    PostgresInstallation.of(url("&feed=install")).install();
    String attach = " ATTACH PARTITION " + table + " FOR VALUES FROM (-10) TO (10)";
    for (String sql :
        List.of("ALTER TABLE " + whole + attach, "ALTER TABLE " + table + " INHERIT " + parent)) {
      assertThatThrownBy(() -> server.execute(sql)).hasMessageContaining("prevents table");
    }
  }

  @Test
  @DisplayName("A dropped or disabled trigger is a loss, until it is back")
  void droppedTrigger() throws Exception {
    watched(
        () -> {
          server.execute("ALTER TABLE " + table + " DISABLE TRIGGER ALL");
          recorder.await("lost", events -> events.stream().anyMatch(e -> e.kind() == Kind.LOST));
          PostgresInstallation.of(url("&feed=install")).install();
          recorder.await(
              "whole again",
              events -> events.stream().filter(e -> e.kind() == Kind.WHOLE).count() == 2);
          server.execute("INSERT INTO " + table + " VALUES (1, 'Ada')");
          recorder.awaitChanged(1L);
        });
  }

  @Test
  @DisplayName("A connection that the server ends is a loss, and another epoch follows")
  void terminatedConnection() throws Exception {
    watched(
        () -> {
          long epoch = recorder.epoch();
          server.query(
              "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE"
                  + " application_name = 'latchkey'");
          recorder.await("lost", events -> events.stream().anyMatch(e -> e.kind() == Kind.LOST));
          recorder.await(
              "whole again",
              events -> events.stream().filter(e -> e.kind() == Kind.WHOLE).count() == 2);
          assertThat(recorder.epoch()).isNotEqualTo(epoch);
          server.execute("INSERT INTO " + table + " VALUES (1, 'Ada')");
          recorder.awaitChanged(1L);
        });
  }

  @Test
  @DisplayName("The triggers can be installed by the printed SQL, listened to, and removed")
  void printedSql() throws Exception {
    PostgresInstallation installation = PostgresInstallation.of(url("&feed=listen"));
    assertThat(installation.isInstalled()).isFalse();
    assertThatThrownBy(() -> open("&feed=listen").close())
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("feed=install");
    server.execute(installation.installSql());
    assertThat(installation.isInstalled()).isTrue();
    try (Storage<Long, String> storage = open("&feed=listen")) {
      assertThat(storage).isInstanceOf(WritableStorage.class);
    }
    try (Storage<Long, String> storage = open("&feed=listen&readOnly=true")) {
      assertThat(storage).isNotInstanceOf(WritableStorage.class);
    }
    server.execute(installation.removeSql());
    assertThat(installation.isInstalled()).isFalse();
    assertThat(
            server.query(
                "SELECT count(*) FROM pg_proc WHERE proname LIKE 'latchkey%'"
                    + " AND prosrc LIKE '%"
                    + table
                    + "%'"))
        .isEqualTo("0");
    installation.install();
    installation.install();
    assertThat(installation.isInstalled()).isTrue();
    installation.remove();
    installation.remove();
    assertThat(installation.isInstalled()).isFalse();
  }

  @Test
  @DisplayName("The application's source of connections can carry the feed")
  void dataSource() throws Exception {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(server.url());
    JdbcOptions options =
        JdbcOptions.table(table).key("id").value("name").feed(JdbcOptions.Feed.INSTALL).build();
    try (WatchableStorage<Long, String> storage =
            (WatchableStorage<Long, String>)
                JdbcStorage.<Long, String>open(source, options, Codec.int64(), Codec.utf8());
        Subscription subscription = storage.watch(recorder)) {
      assertThat(subscription).isNotNull();
      recorder.awaitWhole();
      server.execute("INSERT INTO " + table + " VALUES (1, 'Ada')");
      recorder.awaitChanged(1L);
    }
  }

  @Test
  @DisplayName("Names that need quotes are quoted in the triggers, too")
  void oddNames() throws Exception {
    String odd = "o\"d'd; DROP TABLE " + table + "; --$latchkey$";
    String quoted = "\"" + odd.replace("\"", "\"\"") + "\"";
    server.execute(
        "CREATE SCHEMA " + quoted,
        "CREATE TABLE " + quoted + "." + quoted + " (" + quoted + " bytea PRIMARY KEY, v bytea)");
    FeedRecorder<String> told = new FeedRecorder<>(PATIENCE);
    JdbcOptions options =
        JdbcOptions.table(odd)
            .schema(odd)
            .key(odd)
            .value("v")
            .feed(JdbcOptions.Feed.INSTALL)
            .build();
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(server.url());
    Codec<String> bytes = Codec.of(Codec.utf8()::encode, Codec.utf8()::decode);
    try (WatchableStorage<String, String> storage =
            (WatchableStorage<String, String>)
                JdbcStorage.<String, String>open(source, options, bytes, bytes);
        Subscription subscription = storage.watch(told)) {
      assertThat(subscription).isNotNull();
      told.awaitWhole();
      ((WritableStorage<String, String>) storage).store("\0key", "value");
      told.awaitChanged("\0key");
      assertThat(storage.load("\0key")).isEqualTo("value");
    }
    assertThat(server.query("SELECT count(*) FROM " + table)).isEqualTo("0");
    server.execute("DROP SCHEMA " + quoted + " CASCADE");
  }

  @Test
  @DisplayName("A view, another database, a collation that ignores case: refused with the reason")
  void refusals() throws Exception {
    server.execute(
        "CREATE VIEW " + table + "_view AS SELECT * FROM " + table,
        "CREATE COLLATION IF NOT EXISTS nocase (provider = icu, locale = 'und-u-ks-level2',"
            + " deterministic = false)",
        "CREATE TABLE " + table + "_nocase (id text COLLATE nocase PRIMARY KEY, name text)");
    for (String suffix : List.of("_view", "_nocase")) {
      assertThatThrownBy(
              () ->
                  Storages.open(
                      server.url() + "&feed=install&key=id&value=name&table=" + table + suffix,
                      Codec.utf8(),
                      Codec.utf8()))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining(suffix.equals("_view") ? "no table but a view" : "collation");
    }
    assertThatThrownBy(
            () ->
                Storages.open(
                    "jdbc:h2:mem:x?create=true&table=t&feed=install", Codec.utf8(), Codec.utf8()))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("only PostgreSQL");
    assertThatThrownBy(() -> PostgresInstallation.of(url("")))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("add feed=install");
  }

  @Test
  @DisplayName("No thread and no connection stays after a close")
  void nothingStays() throws Exception {
    IntStream.range(0, 3)
        .forEach(
            i -> {
              try {
                watched(() -> {});
              } catch (Exception e) {
                throw new AssertionError(e);
              }
            });
    String channel = "latchkey-feed-" + FeedSql.channel(catalog());
    assertThat(Thread.getAllStackTraces().keySet())
        .extracting(Thread::getName)
        .doesNotContain(channel);
  }

  private CatalogTable catalog() throws Exception {
    try (Connection connection = server.connect()) {
      return CatalogTable.of(
          "test", connection, JdbcOptions.table(table).key("id").value("name").build());
    }
  }
}
