package io.latchkey.storage.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.Storages;
import io.latchkey.storage.WatchableStorage;
import io.latchkey.storage.WritableStorage;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Future;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A storage in a table, beyond the contract. */
class JdbcStorageTest {
  private final PostgresServer server = PostgresServer.shared();
  private final String table = PostgresServer.freshName();

  @TempDir private Path folder;

  private WritableStorage<String, String> open(String parameters) throws Exception {
    return (WritableStorage<String, String>)
        Storages.open(server.url() + "&table=" + table + parameters, Codec.utf8(), Codec.utf8());
  }

  @Test
  @DisplayName(
      "A storage that is opened to read cannot be written, and one without feed not watched")
  void abilities() throws Exception {
    try (Storage<String, String> storage = open("&create=true")) {
      assertThat(storage)
          .isInstanceOf(WritableStorage.class)
          .isNotInstanceOf(WatchableStorage.class);
      assertThat(storage.name())
          .isEqualTo("jdbc:postgresql://127.0.0.1:" + server.port() + "/postgres table " + table);
    }
    String url = server.url() + "&readOnly=true&table=" + table;
    try (Storage<String, String> storage = Storages.open(url, Codec.utf8(), Codec.utf8())) {
      assertThat(storage).isNotInstanceOf(WritableStorage.class);
      assertThat(storage.load("k")).isNull();
    }
  }

  @Test
  @DisplayName("A table of another schema, whose name needs quotes, is found and made")
  void schema() throws Exception {
    server.execute("CREATE SCHEMA \"Other one." + table + "\"");
    try (WritableStorage<String, String> storage = open("&create=true&schema=Other one." + table)) {
      storage.store("k", "v");
      assertThat(storage.load("k")).isEqualTo("v");
    }
    String there = "SELECT value FROM \"Other one." + table + "\"." + table;
    assertThat(server.query(there)).isEqualTo("v");
  }

  @Test
  @DisplayName("create leaves a table that is there as it is")
  void createsOnlyWhatIsMissing() throws Exception {
    server.execute(
        "CREATE TABLE " + table + " (key varchar(9) PRIMARY KEY, more int, value varchar(9))",
        "INSERT INTO " + table + " VALUES ('k', 1, 'v')");
    try (WritableStorage<String, String> storage = open("&create=true")) {
      assertThat(storage.load("k")).isEqualTo("v");
      storage.store("k", "w");
    }
    assertThat(server.query("SELECT more || value FROM " + table)).isEqualTo("1w");
  }

  @ParameterizedTest
  @ValueSource(strings = {"postgresql", "h2", "sqlite"})
  @DisplayName("A key with two rows fails, alone and in bulk")
  void twoRows(String database) throws Exception {
    String url =
        switch (database) {
          case "h2" -> "jdbc:h2:" + folder.resolve("h2") + "?";
          case "sqlite" -> "jdbc:sqlite:" + folder.resolve("sqlite") + "?";
          default -> server.url() + "&";
        };
    String bare = database.equals("postgresql") ? server.url() : url.substring(0, url.length() - 1);
    try (Connection connection = DriverManager.getConnection(bare);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE " + table + "(\"key\" VARCHAR(9), \"value\" VARCHAR(9))");
      statement.execute("INSERT INTO " + table + " VALUES ('k', 'v'), ('k', 'v'), ('o', 'w')");
    }
    String name = database.equals("h2") ? table.toUpperCase(Locale.ROOT) : table;
    try (Storage<String, String> storage =
        Storages.open(url + "table=" + name, Codec.utf8(), Codec.utf8())) {
      assertThat(storage.load("o")).isEqualTo("w");
      assertThat(storage.loadAll(Set.of("o", "p"))).isEqualTo(Map.of("o", "w"));
      assertThatThrownBy(() -> storage.load("k"))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("more than one row for the key 'k': the key column needs a unique");
      assertThatThrownBy(() -> storage.loadAll(Set.of("k", "o")))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("more than one row for the key 'k': the key column needs a unique");
    }
  }

  @Test
  @DisplayName("A store into a table without a unique index says what is missing")
  void noUniqueIndex() throws Exception {
    server.execute("CREATE TABLE " + table + "(key text, value text)");
    try (WritableStorage<String, String> storage = open("")) {
      assertThatThrownBy(() -> storage.store("k", "v"))
          .hasMessageContaining("The key column needs a primary key or unique index");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"h2", "sqlite"})
  @DisplayName("Lists of keys of any length around the chunk find each object once")
  void chunks(String database) throws Exception {
    String url = "jdbc:" + database + ":" + folder.resolve("file") + "?create=true&table=t&bulk=8";
    try (Storage<Long, String> storage = Storages.open(url, Codec.int64(), Codec.utf8())) {
      Map<Long, String> all = new LinkedHashMap<>();
      for (long key = 0; key < 40; key++) {
        all.put(key, "v" + key);
      }
      ((WritableStorage<Long, String>) storage).storeAll(all);
      for (int count = 1; count <= 40; count++) {
        Map<Long, String> wanted = new LinkedHashMap<>();
        for (long key = 0; key < count; key++) {
          wanted.put(key, "v" + key);
        }
        Set<Long> asked = new LinkedHashSet<>(wanted.keySet());
        asked.add(1_000L);
        assertThat(storage.loadAll(asked)).isEqualTo(wanted);
      }
    }
  }

  @Test
  @DisplayName("A storeAll stores all or none")
  void allOrNone() throws Exception {
    server.execute("CREATE TABLE " + table + "(key text PRIMARY KEY, value varchar(3))");
    try (WritableStorage<String, String> storage = open("")) {
      storage.store("b", "old");
      assertThatThrownBy(() -> storage.storeAll(Map.of("a", "new", "b", "new", "c", "too long")))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("too long for type")
          .satisfies(e -> assertThat(((StorageException) e).retryable()).isFalse());
      assertThat(storage.loadAll(Set.of("a", "b", "c"))).isEqualTo(Map.of("b", "old"));
      storage.storeAll(Map.of("a", "new"));
      assertThat(storage.load("a")).isEqualTo("new");
    }
  }

  @Test
  @DisplayName("A storeAll that is the victim of a deadlock is run again")
  void deadlock() throws Exception {
    // The third party waits for a deadlock to be noticed longer than the storage does.
    try (WritableStorage<String, String> storage = open("&create=true");
        Connection other = server.connect();
        Statement statement = other.createStatement()) {
      storage.storeAll(Map.of("a", "old", "b", "old"));
      statement.execute("SET deadlock_timeout = '50s'");
      other.setAutoCommit(false);
      statement.execute("UPDATE " + table + " SET value = 'other' WHERE key = 'b'");
      Future<?> stored =
          CompletableFuture.runAsync(() -> storeUnchecked(storage, Map.of("a", "new", "b", "new")));
      awaitLockWait();
      // Now it has a and wants b: this closes the circle, and returns when the storage gave way.
      statement.execute("UPDATE " + table + " SET value = 'other' WHERE key = 'a'");
      other.commit();
      stored.get();
      assertThat(storage.loadAll(Set.of("a", "b"))).isEqualTo(Map.of("a", "new", "b", "new"));
    }
  }

  private void awaitLockWait() throws Exception {
    String waiting =
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%"
            + table
            + "%' AND pid <> pg_backend_pid()";
    while (!"1".equals(server.query(waiting))) {
      Thread.onSpinWait();
    }
  }

  private static void storeUnchecked(
      WritableStorage<String, String> storage, Map<String, String> entries) {
    try {
      storage.storeAll(entries);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"postgresql", "h2", "sqlite"})
  @DisplayName("Writers of the same keys in opposite orders all succeed, and one of them is last")
  void oppositeOrders(String database) throws Exception {
    String url =
        database.equals("postgresql")
            ? server.url() + "&"
            : "jdbc:" + database + ":" + folder.resolve("file") + "?";
    int writers = 4;
    int rounds = 25;
    try (Storage<String, String> storage =
        Storages.open(url + "create=true&table=" + table, Codec.utf8(), Codec.utf8())) {
      WritableStorage<String, String> writable = (WritableStorage<String, String>) storage;
      CyclicBarrier start = new CyclicBarrier(writers);
      List<CompletableFuture<Void>> all = new ArrayList<>();
      for (int w = 0; w < writers; w++) {
        int writer = w;
        all.add(
            CompletableFuture.runAsync(
                () -> writeRounds(writable, start, writer, rounds),
                task -> new Thread(task).start()));
      }
      for (CompletableFuture<Void> one : all) {
        one.get();
      }
      for (int round = 0; round < rounds; round++) {
        Map<String, String> found = storage.loadAll(keys(round));
        assertThat(found).hasSize(3);
        assertThat(Set.copyOf(found.values())).as("round " + round).hasSize(1);
      }
    }
  }

  private static Set<String> keys(int round) {
    return Set.of("a" + round, "b" + round, "c" + round);
  }

  private static void writeRounds(
      WritableStorage<String, String> storage, CyclicBarrier start, int writer, int rounds) {
    try {
      for (int round = 0; round < rounds; round++) {
        List<String> order = new ArrayList<>(keys(round));
        order.sort(writer % 2 == 0 ? Comparator.naturalOrder() : Comparator.reverseOrder());
        Map<String, String> entries = new LinkedHashMap<>();
        order.forEach(key -> entries.put(key, "writer " + writer));
        start.await();
        storage.storeAll(entries);
      }
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private HikariDataSource source(boolean autoCommit) {
    HikariDataSource source = new HikariDataSource();
    source.setJdbcUrl(server.url());
    source.setAutoCommit(autoCommit);
    source.setMaximumPoolSize(2);
    return source;
  }

  private WritableStorage<String, String> over(HikariDataSource source, Duration timeout)
      throws Exception {
    JdbcOptions options = JdbcOptions.table(table).create(true).timeout(timeout).build();
    return (WritableStorage<String, String>)
        JdbcStorage.open(source, options, Codec.utf8(), Codec.utf8());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @DisplayName("The application's connections are used as they come, and are its own to close")
  void overTheApplicationsConnections(boolean autoCommit) throws Exception {
    try (HikariDataSource source = source(autoCommit)) {
      WritableStorage<String, String> storage = over(source, Duration.ofSeconds(30));
      assertThat(storage.name()).isEqualTo("jdbc:HikariDataSource table " + table);
      storage.store("k", "v");
      storage.storeAll(Map.of("l", "w", "m", "x"));
      storage.delete("m");
      assertThat(server.query("SELECT string_agg(key || value, ' ' ORDER BY key) FROM " + table))
          .isEqualTo("kv lw");
      assertThat(storage.load("k")).isEqualTo("v");
      storage.close();
      storage.close();
      assertThatThrownBy(() -> storage.load("k")).hasMessageEndingWith(" is closed");
      assertThat(source.isClosed()).isFalse();
      try (Connection connection = source.getConnection()) {
        assertThat(connection.getAutoCommit()).isEqualTo(autoCommit);
        assertThat(connection.isValid(5)).isTrue();
      }
      String left =
          "SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction'"
              + " AND query LIKE '%"
              + table
              + "%'";
      assertThat(server.query(left)).isEqualTo("0");
    }
  }

  @Test
  @DisplayName("A statement over the application's connections ends in the time of the options")
  void timeOutOverTheApplicationsConnections() throws Exception {
    try (HikariDataSource source = source(true);
        WritableStorage<String, String> storage = over(source, Duration.ofMillis(300));
        Connection other = server.connect();
        Statement statement = other.createStatement()) {
      storage.store("k", "v");
      other.setAutoCommit(false);
      statement.execute("LOCK TABLE " + table);
      assertThatThrownBy(() -> storage.load("k"))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("It took longer than the time-out of the storage")
          .satisfies(e -> assertThat(((StorageException) e).retryable()).isTrue());
      other.rollback();
      assertThat(storage.load("k")).isEqualTo("v");
    }
  }

  @Test
  @DisplayName("A table that is another's while the storage is open is told, and found again")
  void tableDroppedMeanwhile() throws Exception {
    try (WritableStorage<String, String> storage = open("&create=true")) {
      storage.store("k", "v");
      server.execute("ALTER TABLE " + table + " RENAME TO " + table + "x");
      assertThatThrownBy(() -> storage.load("k"))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("Create the table, or name the right one with table=NAME");
      server.execute("ALTER TABLE " + table + "x RENAME TO " + table);
      assertThat(storage.load("k")).isEqualTo("v");
    }
  }
}
