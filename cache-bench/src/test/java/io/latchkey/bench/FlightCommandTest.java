package io.latchkey.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.latchkey.bench.results.JsonFile;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

class FlightCommandTest {
  @TempDir Path directory;

  private final CommandLineFixture commandLine = new CommandLineFixture();

  @Test
  @DisplayName("one load for all callers, and what waiting costs them")
  void measures() {
    Path json = directory.resolve("flight.json");
    int exit =
        commandLine.execute(
            "flight",
            "--quick",
            "--rounds",
            "3",
            "--forks",
            "2",
            "--callers",
            "1,8",
            "--impl",
            "latchkey,chm-future,caffeine-async",
            "--json",
            json.toString());
    assertThat(exit).isZero();
    assertThat(commandLine.outLines())
        .contains("1 caller, platform threads", "8 callers, platform threads")
        .anyMatch(line -> line.startsWith("  quick"))
        .anyMatch(line -> line.matches("  latchkey +1 .* \\d+(\\.\\d+)?"))
        .as("nobody waits with one caller")
        .anyMatch(line -> line.matches("  latchkey +1 .* -"))
        .as("Caffeine's pool loads, so no caller leads")
        .anyMatch(line -> line.matches("  caffeine-async +1 +- .*"));

    JsonObject file = JsonFile.read(json).getAsJsonObject();
    assertThat(file.get("tool").getAsString()).isEqualTo("latchkey-bench flight");
    assertThat(file.getAsJsonArray("results")).hasSize(6);
    JsonObject futures = file.getAsJsonArray("results").get(4).getAsJsonObject();
    assertThat(futures.get("implementation").getAsString()).isEqualTo("chm-future");
    assertThat(futures.get("callers").getAsInt()).isEqualTo(8);
    assertThat(futures.getAsJsonArray("lastNanos")).hasSize(2);
    assertThat(futures.getAsJsonArray("bytesPerWaiter").get(0).getAsDouble())
        .as("a waiter of a future allocates a node on its stack")
        .isBetween(16.0, 4096.0);
  }

  @Test
  @DisplayName("threads that use the cache for the first time")
  void freshThreads() {
    int exit =
        commandLine.execute(
            "flight --quick --rounds 3 --callers 4 --fresh --impl latchkey".split(" "));
    assertThat(exit).isZero();
    assertThat(commandLine.outLines())
        .contains("4 callers, fresh platform threads")
        .anyMatch(line -> line.matches("  latchkey +1 .* \\d+(\\.\\d+)?"));
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_24, disabledReason = "virtual threads block their carriers")
  @DisplayName("virtual threads wait, too")
  void virtual() {
    int exit =
        commandLine.execute(
            "flight --quick --rounds 3 --callers 8 --threads virtual --fresh --impl latchkey"
                .split(" "));
    assertThat(exit).isZero();
    assertThat(commandLine.outLines()).contains("8 callers, fresh virtual threads");
  }

  @Test
  @EnabledForJreRange(max = JRE.JAVA_20)
  @DisplayName("virtual threads are refused where there are none")
  void noVirtual() {
    assertThat(commandLine.execute("flight", "--threads", "virtual")).isEqualTo(2);
    assertThat(commandLine.errLines())
        .singleElement()
        .asString()
        .contains("virtual threads need JDK 21 or later");
  }
}
