package io.latchkey.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class BackendCommandTest {
  @TempDir static Path directory;

  private final CommandLineFixture commandLine = new CommandLineFixture();

  @Test
  @DisplayName("shows single and bulk, cold and warm, with and without the cache")
  void table() {
    int exit =
        commandLine.execute(
            "backend", "--storage", "memory:", "--fill", "--keys", "0..399", "--batch", "10");
    assertThat(commandLine.errLines())
        .allMatch(line -> line.matches("(filling|reading|warning): .*"));
    assertThat(exit).isZero();
    assertThat(commandLine.outLines())
        .contains("  storage  memory:, 400 keys (int64)")
        .anyMatch(line -> line.startsWith("  filled   400 objects of 256 bytes"))
        .anyMatch(line -> line.matches("  storage, one by one +cold +100 .*"))
        .anyMatch(line -> line.matches("  storage, one by one +warm +300 .*"))
        .anyMatch(line -> line.matches("  storage, bulks of 10 +cold +10 .*"))
        .anyMatch(line -> line.matches("  cache, one by one +cold +100 .*"))
        .anyMatch(line -> line.matches("  cache, bulks of 10 +warm +30 .*"))
        .anyMatch(
            line ->
                line.matches(
                    "In a bulk of 10 an object takes 1/\\d+\\.\\d of the time of a single load,"
                        + " warm 1/\\d+\\.\\d\\."));
  }

  @Test
  @DisplayName("an existing store is only read, also if keys are missing")
  void readsOnly() throws Exception {
    Path file = directory.resolve("read.db");
    OtherStore.create(file);
    int exit = commandLine.execute("backend", "--storage", "mvstore:" + file, "--keys", "0..99");
    assertThat(exit).isZero();
    assertThat(commandLine.errLines())
        .contains("warning: 50 of 100 keys have no object; the cache loads those each time");
    OtherStore.assertUntouched(file);
  }

  @Test
  @DisplayName("--fill adds what is missing and leaves what is there")
  void fills() throws Exception {
    Path file = directory.resolve("fill.db");
    OtherStore.create(file);
    String[] arguments = {
      "backend", "--storage", "mvstore:" + file, "--keys", "40..59", "--fill", "--value-size", "7"
    };
    assertThat(commandLine.execute(arguments)).isZero();
    assertThat(commandLine.out()).contains("filled   10 objects of 7 bytes");
    try (var store = OtherStore.open(file)) {
      assertThat(store.load(49L)).isEqualTo("a letter to Theo");
      assertThat(store.load(60L)).isNull();
    }
  }

  @Test
  @DisplayName("keys that are text come from a file; the JSON tells what was measured")
  void keyFileAndJson() throws Exception {
    Path keys = Files.writeString(directory.resolve("keys"), "a\nb\n\nc\nd\na\n");
    Path json = directory.resolve("backend.json");
    int exit =
        commandLine.execute(
            "backend",
            "--storage",
            "memory:",
            "--key-file",
            keys.toString(),
            "--key-codec",
            "utf8",
            "--fill",
            "--json",
            json.toString());
    assertThat(exit).isZero();
    JsonObject file = JsonParser.parseString(Files.readString(json)).getAsJsonObject();
    assertThat(file.get("tool").getAsString()).isEqualTo("latchkey-bench backend");
    assertThat(file.get("keys").getAsInt()).isEqualTo(4);
    assertThat(file.getAsJsonArray("results")).hasSize(8);
    assertThat(file.getAsJsonObject("bulkGain").keySet()).containsExactly("batch", "cold", "warm");
    JsonObject first = file.getAsJsonArray("results").get(0).getAsJsonObject();
    assertThat(first.get("through").getAsString()).isEqualTo("storage");
    assertThat(first.get("asked").getAsInt()).isEqualTo(1);
    assertThat(first.get("found").getAsInt()).isEqualTo(1);
    assertThat(first.getAsJsonObject("nanosPerCall").keySet())
        .containsExactly("p50", "p90", "p99", "p99.9", "max");
  }

  @Test
  @DisplayName("nothing found: exit code 2, and what to do")
  void nothingFound() {
    assertThat(commandLine.execute("backend", "--storage", "memory:")).isEqualTo(2);
    assertThat(commandLine.errLines())
        .last()
        .asString()
        .contains("none of the 10000 keys has an object", "--keys", "--key-codec", "--fill");
  }

  static Stream<List<String>> badInput() throws Exception {
    String words = Files.writeString(directory.resolve("words"), "1\ntwo\n3\n4\n").toString();
    String missing = "mvstore:" + directory.resolve("missing.db");
    return Stream.of(
        List.of("--storage", "backend"),
        List.of("has no scheme", "backend", "--storage", "objects"),
        List.of("'nosuch' of nosuch://***@h", "backend", "--storage", "nosuch://me:hunter2@h/x"),
        List.of("no such file", "backend", "--storage", missing),
        List.of("no such folder", "backend", "--storage", missing.replace("mvstore", "rocksdb")),
        List.of("like 0..9999, not 'all'", "backend", "--storage", "memory:", "--keys", "all"),
        List.of("from 4 to", "backend", "--storage", "memory:", "--keys", "5..6"),
        List.of("from 4 to", "backend", "--storage", "memory:", "--keys", "6..5"),
        List.of("line 2: 'two'", "backend", "--storage", "memory:", "--key-file", words),
        List.of("does not exist", "backend", "--storage", "memory:", "--key-file", "nowhere"),
        List.of(
            "exclude each other",
            "backend",
            "--storage",
            "memory:",
            "--key-file",
            words,
            "--keys",
            "0..9"),
        List.of("unknown key codec", "backend", "--storage", "memory:", "--key-codec", "xml"),
        List.of("--batch must be from 1", "backend", "--storage", "memory:", "--batch", "0"),
        List.of("--warm must be from 1", "backend", "--storage", "memory:", "--warm", "0"),
        List.of("--bound must be from 0", "backend", "--storage", "memory:", "--bound", "-1"),
        List.of("is a directory", "backend", "--storage", "memory:", "--json", "" + directory));
  }

  @ParameterizedTest
  @MethodSource
  @DisplayName("bad input gets exit code 2 and one line that names it, and creates nothing")
  void badInput(List<String> messageAndArguments) {
    String[] arguments = messageAndArguments.stream().skip(1).toArray(String[]::new);
    assertThat(commandLine.execute(arguments)).isEqualTo(2);
    assertThat(commandLine.errLines())
        .singleElement()
        .asString()
        .startsWith("latchkey-bench")
        .contains(messageAndArguments.get(0))
        .doesNotContain("Exception", "hunter2");
    assertThat(directory.resolve("missing.db")).doesNotExist();
  }
}
