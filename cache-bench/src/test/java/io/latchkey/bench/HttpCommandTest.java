package io.latchkey.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code latchkey-bench http}, with as little to measure as can be. */
class HttpCommandTest {
  @TempDir private Path folder;

  private final CommandLineFixture commandLine = new CommandLineFixture();

  @Test
  @DisplayName("It measures each target with each server, and both ways to write")
  void measures() throws Exception {
    Path json = folder.resolve("http.json");
    String arguments =
        "http --transport nio --workers 1,2 --connections 3 --pipeline 4 --rate 500 --seconds 0.1"
            + " --value-size 300000 --rounds 2 --hand-off --json ";
    assertThat(commandLine.execute((arguments + json).split(" "))).isZero();
    assertThat(commandLine.out())
        .contains("hit: 3 connections, pipelines of 4; round trips at 500 a second")
        .contains("nowhere: ", "miss: ", "hand-off: ", "event-loop", "loading-thread");
    JsonObject file = JsonParser.parseString(Files.readString(json)).getAsJsonObject();
    assertThat(file.get("tool").getAsString()).isEqualTo("latchkey-bench http");
    assertThat(file.getAsJsonArray("results")).hasSize(6);
    file.getAsJsonArray("results")
        .forEach(
            result -> {
              JsonObject one = result.getAsJsonObject();
              assertThat(one.getAsJsonArray("perSecond"))
                  .hasSize(2)
                  .allMatch(rate -> rate.getAsDouble() > 0);
              JsonObject times = one.getAsJsonObject("roundTripNanos");
              assertThat(times.get("p50.0").getAsLong())
                  .isPositive()
                  .isLessThanOrEqualTo(times.get("p100.0").getAsLong());
            });
  }
}
