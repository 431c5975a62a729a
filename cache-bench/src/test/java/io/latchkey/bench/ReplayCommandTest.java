package io.latchkey.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ReplayCommandTest {
  private static final int OBJECTS = 40;
  private static final int TURNS = 10;

  @TempDir static Path directory;

  private final CommandLineFixture commandLine = new CommandLineFixture();
  private Path trace = Path.of("");

  /** A loop over 40 objects: LRU never hits with fewer places, all hit with 40. */
  @BeforeEach
  void writeLoop() throws Exception {
    trace = directory.resolve("loop.txt");
    Files.writeString(
        trace,
        IntStream.range(0, OBJECTS * TURNS)
            .mapToObj(read -> String.valueOf(read % OBJECTS))
            .collect(Collectors.joining("\n")));
  }

  @Test
  @DisplayName("shows ratios and times; a loop hits as much as can be told beforehand")
  void loop() {
    int exit = commandLine.execute("replay", "--trace", trace.toString(), "--size", "25%,40");
    assertThat(commandLine.errLines()).allMatch(line -> line.matches("(replaying|warning): .*"));
    assertThat(exit).isZero();
    assertThat(commandLine.outLines())
        .anyMatch(line -> line.endsWith("loop.txt (lirs): 400 reads of 40 objects"))
        .anyMatch(line -> line.matches("  size +latchkey +caffeine +cache2k +guava +lru +optimum"))
        // The optimum keeps 10 of 40: 9 turns of 10 hits; with 40 places all turns but the first.
        .anyMatch(line -> line.matches("  10 +\\S+ +\\S+ +\\S+ +\\S+ +0\\.00 +22\\.50"))
        .anyMatch(line -> line.matches("  40 +90\\.00 +90\\.00 +\\S+ +\\S+ +90\\.00 +90\\.00"));
  }

  @Test
  @DisplayName("the JSON tells command, machine, trace, and hits and time of each run")
  void json() throws Exception {
    Path json = directory.resolve("replay.json");
    String[] arguments = {
      "replay", "--trace", trace.toString(), "--size", "40", "--runs", "2", "--json", "" + json
    };
    assertThat(commandLine.execute(arguments)).isZero();
    JsonObject file = JsonParser.parseString(Files.readString(json)).getAsJsonObject();
    assertThat(file.get("tool").getAsString()).isEqualTo("latchkey-bench replay");
    assertThat(file.getAsJsonArray("command")).hasSize(arguments.length);
    assertThat(file.getAsJsonObject("machine").keySet()).contains("cpu", "cores", "memory", "jvm");
    assertThat(file.get("reads").getAsInt()).isEqualTo(OBJECTS * TURNS);
    assertThat(file.get("objects").getAsInt()).isEqualTo(OBJECTS);
    JsonArray results = file.getAsJsonArray("results");
    assertThat(results).hasSize(6);
    JsonObject ours = results.get(0).getAsJsonObject();
    assertThat(ours.get("policy").getAsString()).isEqualTo("latchkey");
    assertThat(ours.getAsJsonArray("hits").toString()).isEqualTo("[360,360]");
    assertThat(ours.getAsJsonArray("nanosPerRead")).hasSize(2);
    JsonObject optimum = results.get(5).getAsJsonObject();
    assertThat(optimum.get("policy").getAsString()).isEqualTo("optimum");
    assertThat(optimum.getAsJsonArray("nanosPerRead")).isEmpty();
  }

  @Test
  @DisplayName("the same trace gives Caffeine the same hits each time")
  void repeatable() throws Exception {
    Path json = directory.resolve("repeat.json");
    assertThat(
            commandLine.execute(
                "replay",
                "--trace",
                trace.toString(),
                "--impl",
                "caffeine",
                "--size",
                "40",
                "--json",
                json.toString()))
        .isZero();
    assertThat(Files.readString(json)).containsPattern("\"hits\": \\[\\s*360,\\s*360,\\s*360\\s*]");
  }

  @Test
  @DisplayName("csv: the column that is named is the key")
  void csv() throws Exception {
    Path csv = Files.writeString(directory.resolve("t.csv"), "at,key\n1,a\n2,a\n3,b\n4,a\n");
    int exit =
        commandLine.execute(
            "replay",
            "--trace",
            csv.toString(),
            "--format",
            "csv",
            "--column",
            "key",
            "--size",
            "2");
    assertThat(exit).isZero();
    assertThat(commandLine.outLines())
        .anyMatch(line -> line.endsWith("t.csv (csv): 4 reads of 2 objects"))
        .anyMatch(line -> line.matches("  2 +50\\.00.* +50\\.00 +50\\.00"));
  }

  static Stream<List<String>> badInput() throws Exception {
    String good = Files.writeString(directory.resolve("good"), "1\n2\n").toString();
    String bad = Files.writeString(directory.resolve("bad"), "1\n2\nx\n").toString();
    return Stream.of(
        List.of("--trace", "replay"),
        List.of("nowhere does not exist", "replay", "--trace", directory + "/nowhere"),
        List.of("record 3: expected a decimal", "replay", "--trace", bad),
        List.of("'arcane': use one of", "replay", "--trace", good, "--format", "arcane"),
        List.of("not '0'", "replay", "--trace", good, "--size", "0"),
        List.of("not '-1'", "replay", "--trace", good, "--size", "1%,-1"),
        List.of("unknown implementation", "replay", "--trace", good, "--impl", "ehcache"),
        List.of("'direct'", "replay", "--trace", good, "--impl", "direct"),
        List.of("--runs must be from 1", "replay", "--trace", good, "--runs", "0"),
        List.of("--column is for", "replay", "--trace", good, "--column", "2"),
        List.of("is a directory", "replay", "--trace", good, "--json", "" + directory),
        List.of("no directory", "replay", "--trace", good, "--json", directory + "/no/x"));
  }

  @ParameterizedTest
  @MethodSource
  @DisplayName("bad input gets exit code 2 and one line that names it")
  void badInput(List<String> messageAndArguments) {
    String[] arguments = messageAndArguments.stream().skip(1).toArray(String[]::new);
    assertThat(commandLine.execute(arguments)).isEqualTo(2);
    assertThat(commandLine.errLines())
        .singleElement()
        .asString()
        .startsWith("latchkey-bench")
        .contains(messageAndArguments.get(0))
        .doesNotContain("Exception");
    assertThat(commandLine.out()).isEmpty();
  }

  @Test
  @DisplayName("--help names each format")
  void help() {
    assertThat(commandLine.execute("replay", "--help")).isZero();
    assertThat(commandLine.out())
        .contains("lirs", "arc", "cache2k", "corda", "scarab", "address", "adaptsize", "csv");
    assertThat(commandLine.errLines()).isEmpty();
  }
}
