package io.latchkey.storage.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.Storages;
import io.latchkey.storage.WritableStorage;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** SQL of the user's own. */
class OwnSqlTest {
  private final PostgresServer server = PostgresServer.shared();
  private final String table = PostgresServer.freshName();
  private final String select = "SELECT name, age FROM " + table + " WHERE id = ? AND NOT gone";

  @BeforeEach
  void createTable() throws Exception {
    server.execute(
        "CREATE TABLE "
            + table
            + " (id bigint PRIMARY KEY, name text, age int, gone boolean DEFAULT false)",
        "INSERT INTO "
            + table
            + " SELECT i, 'n' || i, i % 90, i = 13 FROM generate_series(1, 40) i");
  }

  private Storage<Long, String> open(JdbcOptions.Builder options) throws Exception {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(server.url());
    return JdbcStorage.open(source, options.build(), Codec.int64(), Codec.utf8());
  }

  private static Map<Long, String> named(long... ids) {
    Map<Long, String> all = new LinkedHashMap<>();
    for (long id : ids) {
      all.put(id, "{\"name\":\"n" + id + "\",\"age\":" + id % 90 + "}");
    }
    return all;
  }

  @ParameterizedTest
  @ValueSource(strings = {"= ANY(?)", "= ANY (?)", "IN (?)", "in ( ? )", "IN(?)", ""})
  @DisplayName("Several objects are selected by an array, by a list of any length, or one by one")
  void bulk(String condition) throws Exception {
    JdbcOptions.Builder options = JdbcOptions.select(select).bulk(7);
    if (!condition.isEmpty()) {
      options.selectAll(
          "SELECT id, name, age FROM " + table + " WHERE NOT gone AND id " + condition);
    }
    try (Storage<Long, String> storage = open(options)) {
      assertThat(storage).isNotInstanceOf(WritableStorage.class);
      assertThat(storage.load(7L)).isEqualTo(named(7).get(7L));
      assertThat(storage.load(13L)).isNull();
      for (int count : new int[] {1, 2, 6, 7, 8, 13, 14, 15, 40}) {
        Set<Long> asked = LongStream.rangeClosed(1, count).boxed().collect(Collectors.toSet());
        long[] there = LongStream.rangeClosed(1, count).filter(i -> i != 13).toArray();
        assertThat(storage.loadAll(asked)).as(count + " keys").isEqualTo(named(there));
      }
      assertThat(storage.loadAll(Set.of())).isEmpty();
      assertThat(storage.loadAll(Set.of(99L, 3L))).isEqualTo(named(3));
    }
  }

  @Test
  @DisplayName("With upsert and delete it can be written; readOnly takes that back")
  void writes() throws Exception {
    JdbcOptions.Builder options =
        JdbcOptions.select(select)
            .upsert(
                "INSERT INTO "
                    + table
                    + " (id, name, age) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET"
                    + " name = excluded.name, age = excluded.age, gone = false")
            .delete("UPDATE " + table + " SET gone = true WHERE id = ?");
    try (Storage<Long, String> storage = open(options)) {
      WritableStorage<Long, String> writable = (WritableStorage<Long, String>) storage;
      writable.store(13L, "{\"age\":1,\"name\":\"Ada\"}");
      assertThat(storage.load(13L)).isEqualTo("{\"name\":\"Ada\",\"age\":1}");
      writable.storeAll(named(50, 51, 52));
      writable.delete(51L);
      assertThat(storage.loadAll(Set.of(50L, 51L, 52L))).isEqualTo(named(50, 52));
    }
    assertThat(server.query("SELECT gone FROM " + table + " WHERE id = 51")).isEqualTo("t");
    try (Storage<Long, String> storage = open(options.readOnly(true))) {
      assertThat(storage).isNotInstanceOf(WritableStorage.class);
    }
  }

  @Test
  @DisplayName("A storeAll of one's own SQL stores all or none")
  void allOrNone() throws Exception {
    JdbcOptions.Builder options =
        JdbcOptions.select("SELECT name FROM " + table + " WHERE id = ?")
            .upsert("INSERT INTO " + table + " (id, name) VALUES (?, ?)")
            .delete("DELETE FROM " + table + " WHERE id = ?");
    try (Storage<Long, String> storage = open(options)) {
      WritableStorage<Long, String> writable = (WritableStorage<Long, String>) storage;
      assertThatThrownBy(() -> writable.storeAll(Map.of(39L, "there", 70L, "new", 1L, "there")))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("duplicate key");
      assertThat(storage.loadAll(Set.of(39L, 70L))).isEqualTo(Map.of(39L, "n39"));
    }
  }

  @ParameterizedTest
  @CsvSource({"text, 7, text", "integer, 7, integer", "binary, 7, blob"})
  @DisplayName("keyType says what keys are where the database cannot tell")
  void keyType(String type, String key, String known) throws Exception {
    String url = "jdbc:sqlite::memory:?select=SELECT typeof(?)&keyType=" + type;
    try (Storage<String, String> storage = Storages.open(url, Codec.utf8(), Codec.utf8())) {
      assertThat(storage.load(key)).isEqualTo(known);
    }
  }

  @Test
  @DisplayName("A select that finds two rows for a key fails, alone and in bulk")
  void twoRows() throws Exception {
    JdbcOptions.Builder options =
        JdbcOptions.select("SELECT name FROM " + table + " WHERE age = ?")
            .selectAll("SELECT age, name FROM " + table + " WHERE age IN (?)");
    server.execute("UPDATE " + table + " SET age = 5 WHERE id = 6");
    try (Storage<Long, String> storage = open(options)) {
      assertThat(storage.loadAll(Set.of(7L, 8L))).isEqualTo(Map.of(7L, "n7", 8L, "n8"));
      assertThatThrownBy(() -> storage.load(5L)).hasMessageContaining("more than one row");
      assertThatThrownBy(() -> storage.loadAll(Set.of(5L, 7L)))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("more than one row for the key '5'");
    }
  }

  private void assertRefused(JdbcOptions.Builder options, String message) {
    assertThatThrownBy(() -> open(options).close())
        .isInstanceOf(StorageException.class)
        .hasMessageStartingWith("cannot open jdbc:PGSimpleDataSource: ")
        .hasMessageContaining(message);
  }

  @Test
  @DisplayName("Statements that cannot do are refused when the storage is opened")
  void refusals() {
    assertRefused(JdbcOptions.select("SELEKT 1 WHERE 1 = ?"), "SELEKT");
    assertRefused(JdbcOptions.select("SELECT 1"), "select has 0 parameters: its one ? is the key");
    assertRefused(
        JdbcOptions.select("SELECT 1 WHERE 1 = ? AND 2 = ?"),
        "select has 2 parameters: its one ? is the key");
    assertRefused(
        JdbcOptions.select("DELETE FROM " + table + " WHERE id = ?"), "select returns no rows");
    assertRefused(
        JdbcOptions.select("SELECT name, gone AS name FROM " + table + " WHERE id = ?"),
        "select has two columns 'name': name them differently by AS");
    assertRefused(
        JdbcOptions.select(select).selectAll("SELECT id, name, age FROM " + table),
        "selectAll has 0 parameters, and 1 are set");
    assertRefused(
        JdbcOptions.select(select).selectAll("SELECT id FROM " + table + " WHERE id IN (?)"),
        "selectAll has 1 columns: give the key first, then the 2 of select");
    assertRefused(
        JdbcOptions.select(select)
            .upsert("INSERT INTO " + table + " VALUES (?, ?)")
            .delete("DELETE FROM " + table + " WHERE id = ?"),
        "upsert has 2 parameters, and 3 are set");
    assertRefused(
        JdbcOptions.select(select)
            .upsert("INSERT INTO " + table + " VALUES (?, ?, ?)")
            .delete("DELETE FROM " + table),
        "delete has 0 parameters, and 1 are set");
  }
}
