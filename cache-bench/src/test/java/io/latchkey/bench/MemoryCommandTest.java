package io.latchkey.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.gson.JsonObject;
import io.latchkey.bench.results.JsonFile;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemoryCommandTest {
  private static final int ENTRIES = 50_000;

  @TempDir Path directory;

  private final CommandLineFixture commandLine = new CommandLineFixture();

  @Test
  @DisplayName("the walk and the used heap agree, and a bare map retains what its layout says")
  void measures() {
    Path json = directory.resolve("memory.json");
    int exit =
        commandLine.execute(
            "memory",
            "--quick",
            "--entries",
            String.valueOf(ENTRIES),
            "--impl",
            "chm,caffeine",
            "--json",
            json.toString());
    assertThat(commandLine.errLines()).allMatch(line -> line.matches("(measuring|warning): .*"));
    assertThat(exit).isZero();
    assertThat(commandLine.outLines())
        .anyMatch(line -> line.startsWith("  quick"))
        .anyMatch(line -> line.matches("  chm +none +50,000 +\\S+ +\\S+ +1.00"))
        .anyMatch(line -> line.matches("  caffeine +write +50,000 +\\S+ +\\S+ +2.00"))
        .noneMatch(line -> line.matches("  chm +write.*"));

    JsonObject file = JsonFile.read(json).getAsJsonObject();
    assertThat(file.get("tool").getAsString()).isEqualTo("latchkey-bench memory");
    assertThat(file.getAsJsonArray("command").toString())
        .startsWith("[\"memory\",\"--quick\",\"--entries\",\"50000\"");
    assertThat(file.get("quick").getAsBoolean()).isTrue();
    assertThat(file.getAsJsonObject("machine").get("cores").getAsInt()).isPositive();
    assertThat(file.getAsJsonArray("results")).hasSize(3);
    file.getAsJsonArray("results")
        .forEach(
            each -> {
              JsonObject result = each.getAsJsonObject();
              double walked = result.get("bytesPerEntry").getAsDouble();
              assertThat(result.get("heapBytesPerEntry").getAsDouble())
                  .isCloseTo(walked, within(6.0));
              // A node of 32 bytes, a slot of 4 in 65536 or 131072 of them, 4 bytes of the ring.
              if (result.get("implementation").getAsString().equals("chm")) {
                assertThat(walked).isBetween(40.0, 48.0);
              }
            });
  }
}
