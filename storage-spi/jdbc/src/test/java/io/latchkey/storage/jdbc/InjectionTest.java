package io.latchkey.storage.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.latchkey.storage.Codec;
import io.latchkey.storage.Storages;
import io.latchkey.storage.WritableStorage;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Names, keys, objects and URLs that are SQL change nothing but what they name. */
class InjectionTest {
  private static final String[] ATTACKS = {
    "x\"; DROP TABLE victim; --",
    "x'; DROP TABLE victim; --",
    "x`; DROP TABLE victim; --",
    "x]; DROP TABLE victim; --",
    "victim\" WHERE 1 = 1 --",
    "victim\" --",
    "\"victim\"",
    "victim\"; DELETE FROM \"victim",
    "(SELECT 1)",
    "x\\\"; DROP TABLE victim; --",
    "x\"\"; DROP TABLE victim; --",
    "*",
    "?",
    "a b.c",
    "public.victim",
    "x/*",
    "--",
    "Ünï \uD83D\uDD11",
    "x\ny\t"
  };

  @TempDir private Path folder;

  static Stream<Arguments> attacks() {
    return Stream.of("postgresql", "h2", "sqlite")
        .flatMap(database -> Stream.of(ATTACKS).map(attack -> Arguments.of(database, attack)));
  }

  private String bare(String database) throws Exception {
    return database.equals("postgresql")
        ? PostgresServer.shared().url()
        : "jdbc:" + database + ":" + folder.resolve("file");
  }

  private String url(String database, String... parameters) throws Exception {
    StringBuilder url = new StringBuilder(bare(database));
    for (int i = 0; i < parameters.length; i += 2) {
      url.append(url.indexOf("?") < 0 ? '?' : '&').append(parameters[i]).append('=');
      url.append(URLEncoder.encode(parameters[i + 1], StandardCharsets.UTF_8).replace("+", "%20"));
    }
    return url.toString();
  }

  private void execute(String database, String... statements) throws Exception {
    try (Connection connection = DriverManager.getConnection(bare(database));
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  /** The names of all tables, and what stands in the one that is attacked. */
  private Set<String> contents(String database) throws Exception {
    Set<String> all = new TreeSet<>();
    try (Connection connection = DriverManager.getConnection(bare(database));
        Statement statement = connection.createStatement()) {
      String[] kinds = {"TABLE", "BASE TABLE", "VIEW"};
      try (ResultSet tables = connection.getMetaData().getTables(null, null, "%", kinds)) {
        while (tables.next()) {
          all.add("table " + tables.getString("TABLE_NAME"));
        }
      }
      try (ResultSet rows = statement.executeQuery("SELECT * FROM victim")) {
        while (rows.next()) {
          all.add("row " + rows.getString(1) + "=" + rows.getString(2));
        }
      }
    }
    return all;
  }

  private void createVictim(String database) throws Exception {
    execute(
        database,
        "DROP TABLE IF EXISTS victim",
        "CREATE TABLE victim (\"key\" VARCHAR(99) PRIMARY KEY, \"value\" VARCHAR(99))",
        "INSERT INTO victim VALUES ('k', 'v'), ('l', 'w')");
  }

  private static String victim(String database) {
    return database.equals("h2") ? "VICTIM" : "victim";
  }

  private static WritableStorage<String, String> open(String url) throws Exception {
    return (WritableStorage<String, String>) Storages.open(url, Codec.utf8(), Codec.utf8());
  }

  @ParameterizedTest
  @MethodSource("attacks")
  @DisplayName("A name of a table or column is only a name, however it is written")
  void names(String database, String attack) throws Exception {
    createVictim(database);
    Set<String> before = contents(database);
    for (String parameter : new String[] {"table", "schema", "key", "value"}) {
      String victim = victim(database);
      String url =
          parameter.equals("table")
              ? url(database, "table", attack)
              : url(database, "table", victim, parameter, attack);
      Throwable refusal = catchThrowable(() -> open(url).close());
      assertThat(refusal).as(parameter).isNotNull();
      assertThat(contents(database)).as(parameter).isEqualTo(before);
    }
    try (WritableStorage<String, String> storage =
        open(
            url(
                database,
                "create",
                "true",
                "table",
                attack,
                "key",
                attack + "k",
                "value",
                attack.replace(',', ';') + "v"))) {
      storage.store("a", "b");
      storage.storeAll(Map.of("c", "d", "e", "f"));
      assertThat(storage.loadAll(Set.of("a", "c", "e")))
          .isEqualTo(Map.of("a", "b", "c", "d", "e", "f"));
      storage.delete("e");
      assertThat(storage.load("e")).isNull();
      assertThat(storage.load("a")).isEqualTo("b");
    }
    Set<String> after = contents(database);
    assertThat(after).containsAll(before).contains("table " + attack);
    assertThat(after).hasSize(before.size() + 1);
    execute(database, "DROP TABLE \"" + attack.replace("\"", "\"\"") + "\"");
  }

  @ParameterizedTest
  @MethodSource("attacks")
  @DisplayName("A key and an object are only values, and come back as they are")
  void values(String database, String attack) throws Exception {
    createVictim(database);
    Set<String> before = contents(database);
    try (WritableStorage<String, String> storage = open(url(database, "table", victim(database)))) {
      assertThat(storage.load(attack)).isNull();
      storage.delete(attack);
      assertThat(storage.loadAll(Set.of(attack, "k"))).isEqualTo(Map.of("k", "v"));
      assertThat(contents(database)).isEqualTo(before);
      storage.store(attack, attack);
      storage.storeAll(Map.of(attack + 2, attack));
      assertThat(storage.loadAll(Set.of(attack, attack + 2, "k")))
          .isEqualTo(Map.of(attack, attack, attack + 2, attack, "k", "v"));
      storage.delete(attack + 2);
      storage.delete(attack);
    }
    assertThat(contents(database)).isEqualTo(before);
  }

  @ParameterizedTest
  @MethodSource("attacks")
  @DisplayName("Any other parameter is a word of the driver's or refused, and no SQL")
  void parameters(String database, String attack) throws Exception {
    createVictim(database);
    Set<String> before = contents(database);
    String[] ours = {
      "create", "readOnly", "connections", "timeout", "bulk", "feed", "revisions", "history"
    };
    for (String parameter : ours) {
      String url = url(database, "table", victim(database), parameter, attack);
      assertThat(catchThrowable(() -> open(url).close())).as(parameter).isNotNull();
    }
    String named = url(database, "table", victim(database)) + "&" + encoded(attack) + "=1";
    Throwable refusal =
        catchThrowable(() -> Storages.open(named, Codec.utf8(), Codec.utf8()).close());
    assertThat(refusal).as("a parameter of that name").isNotNull();
    assertThat(contents(database)).isEqualTo(before);
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
