package io.latchkey.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.latchkey.bench.results.JsonFile;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NeighbourCommandTest {
  @TempDir Path directory;

  private final CommandLineFixture commandLine = new CommandLineFixture();

  @Test
  @DisplayName("times each kind of work beside a load, for each cache")
  void measures() {
    Path json = directory.resolve("neighbour.json");
    int exit =
        commandLine.execute(
            ("neighbour --forks 2 --load 20 --impl latchkey,guava --json " + json).split(" "));
    assertThat(exit).isZero();
    assertThat(commandLine.outLines())
        .contains("get of another key of the same hash, beside a load of 20 ms")
        .contains("20,000 inserts with eviction, beside a load of 20 ms")
        .filteredOn(
            line ->
                line.matches("  latchkey +\\S+ [a-z]+ +\\S+ [a-z]+ \\.\\. \\S+ [a-z]+ +\\d of 2"))
        .hasSize(4);
    JsonObject file = JsonFile.read(json).getAsJsonObject();
    assertThat(file.getAsJsonArray("results")).hasSize(8);
    assertThat(file.getAsJsonArray("results").get(7).getAsJsonObject().getAsJsonArray("nanos"))
        .hasSize(2);
  }
}
