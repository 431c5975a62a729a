package io.latchkey.storage.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.google.gson.JsonParser;
import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.Storages;
import io.latchkey.storage.WritableStorage;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which columns hold which keys and objects, on PostgreSQL. */
class ColumnsTest {
  /**
   * After some uses of a statement the driver reads the types that it can as bytes, not as text.
   */
  private static final int READS = 12;

  private final PostgresServer server = PostgresServer.shared();
  private final String table = PostgresServer.freshName();

  private <K, V> WritableStorage<K, V> open(String parameters, Codec<K> keys, Codec<V> values)
      throws Exception {
    return (WritableStorage<K, V>)
        Storages.open(
            server.url() + "&options=-c TimeZone=UTC&table=" + table + parameters, keys, values);
  }

  private WritableStorage<String, String> openText() throws Exception {
    return open("", Codec.utf8(), Codec.utf8());
  }

  private void create(String columns) throws Exception {
    server.execute("CREATE TABLE " + table + " (" + columns + ")");
  }

  private static void assertHolds(WritableStorage<String, String> storage, String one, String two)
      throws Exception {
    storage.store(one, "1");
    storage.storeAll(Map.of(one, "first", two, "second"));
    for (int i = 0; i < READS; i++) {
      assertThat(storage.load(one)).isEqualTo("first");
      assertThat(storage.loadAll(Set.of(one, two))).isEqualTo(Map.of(one, "first", two, "second"));
    }
    storage.delete(one);
    assertThat(storage.load(one)).isNull();
    assertThat(storage.loadAll(Set.of(one, two))).isEqualTo(Map.of(two, "second"));
  }

  @ParameterizedTest
  @CsvSource({
    "text, ada, bob",
    "varchar(40), ada, bob",
    "varchar, ada, bob",
    "char(8), ada, bob",
    "smallint, 7, -32768",
    "integer, 7, -2147483648",
    "bigint, 7, -9223372036854775808",
    "bytea, ada, bob",
    "uuid, 00000000-0000-0001-0000-00000000000a, ffffffff-ffff-ffff-ffff-ffffffffffff"
  })
  @DisplayName("Keys are text, whole numbers, bytes or UUIDs")
  void keys(String type, String one, String two) throws Exception {
    create("key " + type + " PRIMARY KEY, value text");
    try (WritableStorage<String, String> storage = openText()) {
      assertHolds(storage, one, two);
      String left = "SELECT key = '" + two + "' FROM " + table;
      assertThat(server.query(left)).isEqualTo("t");
    }
  }

  @ParameterizedTest
  @CsvSource({"smallint", "integer", "bigint", "text", "bytea"})
  @DisplayName("int64 keys are numbers, or their text, or eight bytes")
  void numbersAsKeys(String type) throws Exception {
    create("key " + type + " PRIMARY KEY, value bigint");
    try (WritableStorage<Long, Long> storage = open("", Codec.int64(), Codec.int64())) {
      storage.storeAll(Map.of(-1L, Long.MIN_VALUE, 300L, Long.MAX_VALUE));
      assertThat(storage.load(300L)).isEqualTo(Long.MAX_VALUE);
      assertThat(storage.loadAll(Set.of(-1L, 2L, 300L)))
          .isEqualTo(Map.of(-1L, Long.MIN_VALUE, 300L, Long.MAX_VALUE));
    }
  }

  @Test
  @DisplayName("A key that its column cannot hold is no object to load, and fails to be stored")
  void numbersOutOfRange() throws Exception {
    create("key smallint PRIMARY KEY, value text");
    try (WritableStorage<Long, String> storage = open("", Codec.int64(), Codec.utf8())) {
      assertThat(storage.load(1L << 40)).isNull();
      assertThat(storage.loadAll(Set.of(1L << 40))).isEmpty();
      assertThat(catchThrowable(() -> storage.store(1L << 40, "v")))
          .hasMessageContaining("out of range");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "bigint, 01",
    "bigint, +1",
    "bigint, -0",
    "bigint, 1.0",
    "bigint, ' 1'",
    "bigint, ''",
    "bigint, 9223372036854775808",
    "bigint, ١",
    "uuid, FFFFFFFF-0000-0000-0000-000000000000",
    "uuid, 1-1-1-1-1",
    "uuid, {00000000-0000-0000-0000-000000000001}",
    "char(8), 'ada '"
  })
  @DisplayName("A second spelling of a key is refused, since it would be the same row")
  void secondSpellings(String type, String key) throws Exception {
    create("key " + type + " PRIMARY KEY, value text");
    try (WritableStorage<String, String> storage = openText()) {
      List<ThrowingCallable> calls =
          List.of(
              () -> storage.load(key),
              () -> storage.loadAll(Set.of(key)),
              () -> storage.store(key, "v"),
              () -> storage.storeAll(Map.of(key, "v")),
              () -> storage.delete(key));
      for (var call : calls) {
        assertThatIllegalArgumentException()
            .isThrownBy(call)
            .withMessageContaining("the key '" + key + "'");
      }
    }
    assertThat(server.query("SELECT count(*) FROM " + table)).isEqualTo("0");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "text | ada",
        "varchar(40) | ada",
        "char(8) | ada",
        "smallint | -7",
        "integer | -7",
        "bigint | 1152921504606846977",
        "numeric | 12345678901234567890.123456789",
        "numeric(6,2) | 3.50",
        "numeric | NaN",
        "real | 1.5",
        "double precision | 0.1",
        "double precision | 1e+100",
        "real | 1e+20",
        "double precision | Infinity",
        "boolean | true",
        "boolean | false",
        "date | 2026-02-28",
        "time | 12:34:56.789",
        "timestamp | 2026-02-28 12:34:56.789",
        "timestamp with time zone | 2026-02-28 12:34:56.789+00",
        "time with time zone | 12:34:56.789+02",
        "interval | 1 day 02:03:04.5",
        "text[] | {a,NULL,\"b c\"}",
        "uuid[] | {00000000-0000-0001-0000-00000000000a}",
        "point | (1,2.5)",
        "money | $1.50",
        "uuid | 00000000-0000-0001-0000-00000000000a",
        "json | {\"b\": [1,  2]}",
        "jsonb | {\"b\": [1, 2]}",
        "bytea | \\x00",
        "inet | 10.0.0.1",
        "integer[] | {1,2,3}",
        "xml | <a>b</a>"
      })
  @DisplayName("One value column is the object as text, whatever its type, each time the same")
  void values(String type, String object) throws Exception {
    create("key text PRIMARY KEY, value " + type);
    try (WritableStorage<String, String> storage = openText()) {
      storage.store("a", object);
      storage.storeAll(Map.of("b", object, "c", object));
      for (int i = 0; i < READS; i++) {
        assertThat(storage.load("a")).as("read " + i).isEqualTo(object);
        assertThat(storage.loadAll(Set.of("a", "b")))
            .as("bulk " + i)
            .isEqualTo(Map.of("a", object, "b", object));
      }
    }
  }

  @Test
  @DisplayName("An enumeration is its label; what is none of them is refused by the database")
  void enumerations() throws Exception {
    server.execute("CREATE TYPE mood_" + table + " AS ENUM ('sad', 'glad')");
    create("key text PRIMARY KEY, value mood_" + table);
    try (WritableStorage<String, String> storage = openText()) {
      storage.storeAll(Map.of("a", "sad", "b", "glad"));
      assertThat(storage.loadAll(Set.of("a", "b"))).isEqualTo(Map.of("a", "sad", "b", "glad"));
      assertThat(catchThrowable(() -> storage.store("a", "bad"))).hasMessageContaining("bad");
      assertThat(storage.load("a")).isEqualTo("sad");
    }
  }

  @Test
  @DisplayName("Several value columns are a JSON object, both ways, NULL being null")
  void severalColumns() throws Exception {
    create(
        "key bigint PRIMARY KEY, name text, age int, score numeric, ok boolean, photo bytea,"
            + " born date, doc jsonb, id uuid");
    String object =
        "{\"name\":\"Ada \\\"\\u00e9\",\"age\":36,\"score\":1.50,\"ok\":true,\"photo\":\"AAH/\","
            + "\"born\":\"1815-12-10\",\"doc\":\"{\\\"a\\\": 1}\","
            + "\"id\":\"00000000-0000-0001-0000-00000000000a\"}";
    String nulls =
        "{\"name\":null,\"age\":null,\"score\":null,\"ok\":null,\"photo\":null,\"born\":null,"
            + "\"doc\":null,\"id\":null}";
    String columns = "&value=name,age,score,ok,photo,born,doc,id";
    try (WritableStorage<Long, String> storage = open(columns, Codec.int64(), Codec.utf8())) {
      storage.store(1L, object);
      storage.storeAll(Map.of(2L, nulls, 3L, object));
      for (int i = 0; i < READS; i++) {
        assertJson(storage.load(1L), object);
        assertJson(storage.load(2L), nulls);
        Map<Long, String> all = storage.loadAll(Set.of(1L, 2L, 3L, 4L));
        assertThat(all).containsOnlyKeys(1L, 2L, 3L);
        assertJson(all.get(3L), object);
      }
    }
    assertThat(server.query("SELECT photo = '\\x0001ff' AND age = 36 FROM " + table))
        .isEqualTo("t");
  }

  private static void assertJson(String actual, String wanted) {
    assertThat(JsonParser.parseString(actual)).isEqualTo(JsonParser.parseString(wanted));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "nonsense | is written as a JSON object, and this is none",
        "[1] | is written as a JSON object, and this is none",
        "{\"a\":1} | no plain value for the column 'b': the columns are a, b",
        "{\"a\":1,\"b\":{}} | no plain value for the column 'b'",
        "{\"a\":1,\"b\":\"x\",\"c\":2} | a member 'c' that no column takes: the columns are a, b",
        "{\"a\":\"one\",\"b\":\"x\"} | the column 'a' cannot hold 'one'",
        "{\"a\":1.5,\"b\":\"x\"} | the column 'a' cannot hold '1.5'"
      })
  @DisplayName("An object that does not fit the columns is refused, and nothing is stored")
  void objectsThatDoNotFit(String object, String message) throws Exception {
    create("key text PRIMARY KEY, a int, b text");
    try (WritableStorage<String, String> storage = open("&value=a,b", Codec.utf8(), Codec.utf8())) {
      String good = "{\"a\":1,\"b\":\"x\"}";
      assertThatIllegalArgumentException()
          .isThrownBy(() -> storage.storeAll(Map.of("good", good, "bad", object)))
          .withMessageContaining(message);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> storage.store("bad", object))
          .withMessageContaining(message);
      assertThat(storage.loadAll(Set.of("good", "bad"))).isEmpty();
    }
  }

  @Test
  @DisplayName("A NULL in the one value column is an absent object")
  void nullIsAbsent() throws Exception {
    create("key text PRIMARY KEY, value text");
    server.execute("INSERT INTO " + table + " VALUES ('n', NULL), ('v', 'v')");
    try (Storage<String, String> storage = openText()) {
      assertThat(storage.load("n")).isNull();
      assertThat(storage.loadAll(Set.of("n", "v"))).isEqualTo(Map.of("v", "v"));
    }
  }

  @Test
  @DisplayName("A column of text refuses bytes that are no UTF-8, and names the mend")
  void bytesInText() throws Exception {
    create("key text PRIMARY KEY, value text");
    try (WritableStorage<String, byte[]> storage = open("", Codec.utf8(), Codec.bytes())) {
      storage.store("text", "é".getBytes(UTF_8));
      assertThat(storage.load("text")).hasSize(2);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> storage.store("bytes", new byte[] {(byte) 0xff}))
          .withMessageContaining("UTF-8");
      assertThat(storage.load("bytes")).isNull();
    }
  }

  @Test
  @DisplayName("The wrong codec fails the load with the key and the mend, and spoils nothing")
  void wrongCodec() throws Exception {
    create("key text PRIMARY KEY, value text");
    server.execute("INSERT INTO " + table + " VALUES ('k', 'no number')");
    try (Storage<String, Long> storage = open("", Codec.utf8(), Codec.int64())) {
      for (var call :
          List.<ThrowingCallable>of(() -> storage.load("k"), () -> storage.loadAll(Set.of("k")))) {
        assertThatThrownBy(call)
            .isInstanceOf(StorageException.class)
            .hasMessageContaining("the object of the key 'k' in " + storage.name())
            .hasMessageContaining("Open it with the codec that it was stored by");
      }
    }
  }
}
