package io.latchkey.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.latchkey.bench.results.JsonFile;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExpiryCommandTest {
  @TempDir Path directory;

  private final CommandLineFixture commandLine = new CommandLineFixture();

  /** Nothing is measured here, so another run on this machine does no harm. */
  @BeforeAll
  static void ignoreOtherRuns() {
    System.setProperty("jmh.ignoreLock", "true");
  }

  @Test
  @DisplayName("both searches, checked to find the same, in a table and in JMH's JSON")
  void measures() {
    Path json = directory.resolve("expiry.json");
    int exit =
        commandLine.execute(
            ("expiry --quick --iterations 1 --time 10 --length 10,1000 --cut 10 --json " + json)
                .split(" "));
    assertThat(exit).isZero();
    assertThat(commandLine.outLines())
        .anyMatch(line -> line.matches("  10 +10 % +\\S+ +\\S+ +\\S+x"))
        .anyMatch(line -> line.matches("  1,000 +10 % +\\S+ +\\S+ +\\S+x"));
    JsonArray results = JsonFile.read(json).getAsJsonArray();
    assertThat(results).hasSize(4);
    JsonObject linear = results.get(3).getAsJsonObject();
    assertThat(linear.get("benchmark").getAsString()).endsWith("ExpirySearchBenchmark.linear");
    assertThat(linear.getAsJsonObject("params").get("length").getAsString()).isEqualTo("1000");
    assertThat(linear.getAsJsonObject("latchkey").get("quick").getAsBoolean()).isTrue();

    CommandLineFixture compared = new CommandLineFixture();
    assertThat(compared.execute("compare", json.toString(), json.toString())).isZero();
    assertThat(compared.out()).contains("ExpirySearchBenchmark.binary/cut=10/length=10-1");
  }
}
