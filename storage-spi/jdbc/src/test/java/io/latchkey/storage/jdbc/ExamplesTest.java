package io.latchkey.storage.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import io.latchkey.cache.Cache;
import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.WritableStorage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Examples of the documentation, word for word, with what they claim asserted around them. */
class ExamplesTest {
  private final PostgresServer server = PostgresServer.shared();
  private final List<String> shown = new ArrayList<>();

  @BeforeEach
  void createTable() throws Exception {
    server.execute(
        "DROP TABLE IF EXISTS users",
        "CREATE TABLE users (id bigint PRIMARY KEY, name text, age int, gone boolean DEFAULT false)",
        "INSERT INTO users VALUES (1, 'Grace', 85, false), (2, 'Alan', 41, true)");
  }

  private void show(String text) {
    shown.add(text);
  }

  private DataSource source() {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(server.url());
    return source;
  }

  @Test
  @DisplayName("JdbcStorage: over the application's own source of connections")
  void ofJdbcStorage() throws Exception {
    DataSource source = source();
    JdbcOptions options = JdbcOptions.table("users").key("id").value("name").build();
    try (Storage<Long, String> users =
        JdbcStorage.open(source, options, Codec.int64(), Codec.utf8())) {
      show(users.load(1L)); // null if there is no such row
    }

    assertThat(shown).containsExactly("Grace");
  }

  @Test
  @DisplayName("README: several columns as an object, through a cache")
  void ofTheReadme() throws Exception {
    DataSource dataSource = source();

    record User(String name, int age) {}

    Gson gson = new Gson();
    Codec<User> json =
        Codec.of(
            user -> gson.toJson(user).getBytes(UTF_8),
            bytes -> gson.fromJson(new String(bytes, UTF_8), User.class));
    JdbcOptions options = JdbcOptions.table("users").key("id").value("name", "age").build();
    try (Storage<Long, User> users = JdbcStorage.open(dataSource, options, Codec.int64(), json);
        Cache<Long, User> cache = Cache.over(users).maximumSize(10_000).build()) {
      cache.put(7L, new User("Ada", 36)); // stored in the table, then cached
      System.out.println(cache.get(7L)); // a hit
    }

    assertThat(server.query("SELECT name || age FROM users WHERE id = 7")).isEqualTo("Ada36");
    try (Storage<Long, User> users = JdbcStorage.open(dataSource, options, Codec.int64(), json)) {
      assertThat(users.load(7L)).isEqualTo(new User("Ada", 36));
    }
  }

  @Test
  @DisplayName("README: SQL of one's own")
  void ofOwnSql() throws Exception {
    JdbcOptions options =
        JdbcOptions.select("SELECT name FROM users WHERE id = ? AND NOT gone")
            .selectAll("SELECT id, name FROM users WHERE id = ANY(?) AND NOT gone")
            .upsert(
                "INSERT INTO users (id, name) VALUES (?, ?)"
                    + " ON CONFLICT (id) DO UPDATE SET name = excluded.name, gone = false")
            .delete("UPDATE users SET gone = true WHERE id = ?")
            .build();

    try (WritableStorage<Long, String> users =
        (WritableStorage<Long, String>)
            JdbcStorage.open(source(), options, Codec.int64(), Codec.utf8())) {
      assertThat(users.loadAll(Set.of(1L, 2L))).isEqualTo(Map.of(1L, "Grace"));
      users.store(2L, "Alan T.");
      users.delete(1L);
      assertThat(users.loadAll(Set.of(1L, 2L))).isEqualTo(Map.of(2L, "Alan T."));
    }
  }
}
