package io.latchkey.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.latchkey.bench.results.JsonFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompareCommandTest {
  private static final double[] SLOW = {100, 101, 102, 103, 104};
  private static final double[] FAST = {50, 51, 52, 53, 54};
  private static final double[] NOTHING = {0.001, 0.002, 0.001, 0.003, 0.001};
  private static final double[] FUTURE = {24, 24, 24, 24, 24};

  @TempDir Path directory;

  private final CommandLineFixture commandLine = new CommandLineFixture();
  private Path old;

  @BeforeEach
  void oldRun() throws Exception {
    old = new JmhJson().add("latchkey", SLOW, FUTURE).write(directory.resolve("old.json"));
  }

  private int compare(String... arguments) {
    String[] all = new String[arguments.length + 1];
    all[0] = "compare";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    return commandLine.execute(all);
  }

  private String complaint() {
    assertThat(commandLine.out()).isEmpty();
    assertThat(commandLine.errLines()).hasSize(1);
    return commandLine.errLines().get(0);
  }

  @Test
  @DisplayName("prints both sides, the change, p and n; then bytes; geometric means last")
  void compares() throws Exception {
    Path now = new JmhJson().add("latchkey", FAST, NOTHING).write(directory.resolve("new.json"));
    Path json = directory.resolve("delta.json");
    assertThat(compare(old.toString(), now.toString(), "--json", json.toString())).isZero();
    assertThat(commandLine.errLines()).isEmpty();
    assertThat(commandLine.outLines())
        .anyMatch(line -> line.matches("  name +old time/op +new time/op +delta"))
        .anyMatch(
            line ->
                line.matches(
                    "  hit/serial/512/seq-1/latchkey +102ns +± 2% +52.0ns +± 4% +-49.02% "
                        + " \\(p=0.008 n=5\\+5\\)"))
        .anyMatch(line -> line.matches("  geomean +102ns +52.0ns +-49.02%"))
        .anyMatch(line -> line.matches("  name +old alloc/op +new alloc/op +delta"))
        .anyMatch(line -> line.matches("  hit/.*latchkey +24.0B +± 0% +0.00B +± 0% +-100.00% .*"));

    JsonObject file = JsonFile.read(json).getAsJsonObject();
    JsonObject time = file.getAsJsonArray("tables").get(0).getAsJsonObject();
    JsonObject row = time.getAsJsonArray("rows").get(0).getAsJsonObject();
    assertThat(row.get("p").getAsDouble()).isEqualTo(2.0 / 252);
    assertThat(row.get("differs").getAsBoolean()).isTrue();
    assertThat(row.getAsJsonObject("old").get("median").getAsDouble()).isEqualTo(102);
  }

  @Test
  @DisplayName("a run does not differ from itself")
  void identical() {
    assertThat(compare(old.toString(), old.toString())).isZero();
    assertThat(commandLine.outLines())
        .anyMatch(line -> line.matches("  hit/.* +~  \\(p=1.000 n=5\\+5\\)"))
        .anyMatch(line -> line.matches("  geomean .* \\+0.00%"));
  }

  @Test
  @DisplayName("one fork on each side proves nothing")
  void oneFork() throws Exception {
    double[] one = {100};
    double[] other = {50};
    Path first = new JmhJson().add("latchkey", one, one).write(directory.resolve("1.json"));
    Path second = new JmhJson().add("latchkey", other, other).write(directory.resolve("2.json"));
    assertThat(compare(first.toString(), second.toString())).isZero();
    assertThat(commandLine.outLines())
        .filteredOn(line -> line.startsWith("  hit/"))
        .hasSize(2)
        .allMatch(line -> line.matches(".* ~ +\\(p=1.000 n=1\\+1\\)"));
  }

  @Test
  @DisplayName("iterations can be the values, when told to")
  void iterations() {
    assertThat(compare(old.toString(), old.toString(), "--samples", "iterations")).isZero();
    assertThat(commandLine.outLines()).anyMatch(line -> line.contains("n=10+10"));
  }

  @Test
  @DisplayName("two implementations within one run")
  void within() throws Exception {
    Path run =
        new JmhJson()
            .add("latchkey-future", SLOW, FUTURE)
            .add("latchkey", FAST, NOTHING)
            .write(directory.resolve("run.json"));
    String[] sides = {"--old", "latchkey-future", "--new", "latchkey"};
    assertThat(compare("--within", run.toString(), sides[0], sides[1], sides[2], sides[3]))
        .isZero();
    assertThat(commandLine.outLines())
        .anyMatch(line -> line.matches("  hit/serial/512/seq-1 +102ns .* -49.02% .*"));

    CommandLineFixture unknown = new CommandLineFixture();
    assertThat(
            unknown.execute(
                "compare", "--within", run.toString(), "--old", "guava", "--new", "latchkey"))
        .isEqualTo(2);
    assertThat(unknown.errLines())
        .singleElement()
        .asString()
        .contains("no implementation 'guava': use two of latchkey-future, latchkey");
  }

  @Test
  @DisplayName("different settings are refused, and compared with a warning when told to")
  void differentSettings() throws Exception {
    Path now =
        new JmhJson()
            .add("latchkey", FAST, NOTHING)
            .with("jdkVersion", "\"25.0.3\"")
            .with("jvmArgs", "[\"-Xmx2g\"]")
            .write(directory.resolve("new.json"));
    assertThat(compare(old.toString(), now.toString())).isEqualTo(2);
    assertThat(complaint())
        .contains("the settings differ: jdkVersion 17.0.15 / 25.0.3; jvmArgs")
        .contains("add --allow-different");

    CommandLineFixture told = new CommandLineFixture();
    assertThat(told.execute("compare", old.toString(), now.toString(), "--allow-different"))
        .isZero();
    assertThat(told.errLines()).singleElement().asString().startsWith("warning: the settings");
    assertThat(told.out()).contains("-49.02%");
  }

  @Test
  @DisplayName("a quick run is a difference of settings, and so is another machine")
  void quickRun() throws Exception {
    Path now =
        new JmhJson()
            .add("latchkey", FAST, NOTHING)
            .with(
                "latchkey",
                "{\"quick\": true, \"machine\": {\"cpu\": \"x\", \"cores\": 2, \"memory\": \"1\"}}")
            .write(directory.resolve("new.json"));
    assertThat(compare(old.toString(), now.toString())).isEqualTo(2);
    assertThat(complaint()).contains("quick false / true", "cpu abacus / x");
  }

  @Test
  @DisplayName("results of one side only are counted; without any in common there is nothing")
  void inCommon() throws Exception {
    Path now =
        new JmhJson()
            .add("latchkey", FAST, NOTHING)
            .add("guava", SLOW, FUTURE)
            .write(directory.resolve("new.json"));
    assertThat(compare(old.toString(), now.toString())).isZero();
    assertThat(commandLine.errLines()).containsExactly("left out: 1 results of one side only");

    CommandLineFixture none = new CommandLineFixture();
    Path other = new JmhJson().add("guava", SLOW, FUTURE).write(directory.resolve("other.json"));
    assertThat(none.execute("compare", old.toString(), other.toString())).isEqualTo(2);
    assertThat(none.errLines()).singleElement().asString().contains("no benchmark in common");
  }

  @Test
  @DisplayName("any JMH benchmark can be compared, in sampling mode and other units too")
  void otherBenchmarks() throws Exception {
    String sampled =
        """
        [{"benchmark": "org.acme.Codec.parse", "mode": "sample", "threads": 4,
          "params": {"length": "10"},
          "primaryMetric": {"scoreUnit": "us/op", "rawDataHistogram":
            [[[[2.0, 3], [6.0, 1]]], [[[3.0, 1]]]]}}]
        """;
    Path file = Files.writeString(directory.resolve("acme.json"), sampled);
    assertThat(compare(file.toString(), file.toString())).isZero();
    assertThat(commandLine.outLines())
        .anyMatch(line -> line.matches("  Codec.parse/length=10-4 +3.00us +± 0% .* n=2\\+2\\)"));
  }

  @Test
  @DisplayName("files that are missing, empty, cut short, or not JMH's are named, with the mend")
  void badFiles() throws Exception {
    Path empty = Files.writeString(directory.resolve("empty.json"), "");
    Path none = Files.writeString(directory.resolve("none.json"), "[]");
    Path cut = Files.writeString(directory.resolve("cut.json"), "[{\"benchmark\": \"x\"");
    Path object = Files.writeString(directory.resolve("object.json"), "{\"hits\": 7}");
    Path numbers = Files.writeString(directory.resolve("numbers.json"), "[1, 2]");
    Path raw =
        Files.writeString(
            directory.resolve("raw.json"),
            "[{\"benchmark\": \"a.B.c\", \"threads\": 1, \"primaryMetric\":"
                + " {\"scoreUnit\": \"ns/op\", \"rawData\": []}}]");
    Path memory =
        Files.writeString(
            directory.resolve("memory.json"), "{\"tool\": \"latchkey-bench memory\"}");
    Path twice =
        new JmhJson()
            .add("latchkey", SLOW, FUTURE)
            .add("latchkey", FAST, FUTURE)
            .write(directory.resolve("twice.json"));
    assertComplaint(directory.resolve("nowhere.json"), "does not exist");
    assertComplaint(directory, "is a directory");
    assertComplaint(empty, "is empty");
    assertComplaint(none, "has no results");
    assertComplaint(cut, "is cut short");
    assertComplaint(object, "none of JMH");
    assertComplaint(numbers, "result 1: expected a result of JMH");
    assertComplaint(raw, "result 1: expected a result of JMH");
    assertComplaint(memory, "was written by latchkey-bench memory");
    assertComplaint(twice, "latchkey twice");
  }

  private void assertComplaint(Path file, String complaint) {
    CommandLineFixture asked = new CommandLineFixture();
    assertThat(asked.execute("compare", file.toString(), old.toString())).isEqualTo(2);
    assertThat(asked.errLines())
        .singleElement()
        .asString()
        .startsWith("latchkey-bench compare: ")
        .contains(file.toString(), complaint)
        .doesNotContain("Exception");
  }
}
