package io.latchkey.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.latchkey.bench.results.JsonFile;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RatioCommandTest {
  @TempDir Path directory;

  private final CommandLineFixture commandLine = new CommandLineFixture();

  /** Nothing is measured here, so another run on this machine does no harm. */
  @BeforeAll
  static void ignoreOtherRuns() {
    System.setProperty("jmh.ignoreLock", "true");
  }

  private int ratio(String... arguments) {
    String[] small = "ratio --quick --iterations 1 --time 20 --size 64".split(" ");
    return commandLine.execute(
        Stream.of(small, arguments).flatMap(Stream::of).toArray(String[]::new));
  }

  @Test
  @DisplayName("prints one line, and the figures behind it on standard error and in the file")
  void oneLine() {
    Path json = directory.resolve("ratio.json");
    int exit = ratio("--mode", "hit", "--peer", "caffeine", "--pairs", "2", "--json", "" + json);
    assertThat(exit).isZero();
    assertThat(commandLine.outLines())
        .singleElement()
        .asString()
        .matches("ratio \\d+\\.\\d\\d \\(min \\d+\\.\\d\\d max \\d+\\.\\d\\d\\)");
    assertThat(commandLine.errLines())
        .anyMatch(line -> line.startsWith("quick: "))
        .anyMatch(line -> line.matches("hit, serial, .*, latchkey: \\S+ ns/get, \\S+ bytes/get"))
        .anyMatch(line -> line.matches("hit, serial, .*, caffeine: \\S+ ns/get, \\S+ bytes/get"));

    JsonArray results = JsonFile.read(json).getAsJsonArray();
    assertThat(results).hasSize(2);
    JsonObject theirs = results.get(1).getAsJsonObject();
    assertThat(theirs.getAsJsonObject("params").get("implementation").getAsString())
        .isEqualTo("caffeine");
    assertThat(theirs.get("forks").getAsInt()).isEqualTo(2);
    assertThat(theirs.getAsJsonObject("latchkey").get("tool").getAsString())
        .isEqualTo("latchkey-bench ratio");
  }

  @Test
  @DisplayName("the ratio of bytes is the peer's through ours: a future per entry allocates more")
  void bytes() {
    int exit = ratio("--mode", "startup", "--peer", "latchkey-future", "--metric", "alloc");
    assertThat(exit).isZero();
    double ratio = Double.parseDouble(commandLine.out().split(" ")[1]);
    assertThat(ratio).isGreaterThan(1);
  }

  @Test
  @DisplayName("hits allocate nothing, so there is no ratio of bytes: exit 1, and one line")
  void noBytes() {
    // Long enough that what JMH itself allocates is nothing for each of so many gets.
    String[] longer =
        "ratio --mode hit --peer chm --metric alloc --pairs 1 --iterations 1 --time 300".split(" ");
    int exit = commandLine.execute(longer);
    assertThat(exit).isEqualTo(1);
    assertThat(commandLine.out()).isEmpty();
    assertThat(commandLine.errLines()).anyMatch(line -> line.contains("allocates nothing"));
  }

  @Test
  @DisplayName("our side can be chosen, threads can have a cache each")
  void sides() {
    int exit =
        ratio("--mode hit --ours latchkey-expiring --peer latchkey --threads 2 --proc".split(" "));
    assertThat(exit).isZero();
    assertThat(commandLine.outLines()).singleElement().asString().startsWith("ratio ");
    assertThat(commandLine.errLines())
        .anyMatch(
            line -> line.contains("2 threads with a cache each") && line.contains("expiring"));
  }
}
