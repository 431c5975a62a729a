package io.latchkey.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import io.latchkey.bench.results.JsonFile;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SnapshotCommandTest {
  @TempDir Path directory;

  private final CommandLineFixture commandLine = new CommandLineFixture();

  /** Nothing is measured here, so another run on this machine does no harm. */
  @BeforeAll
  static void ignoreOtherRuns() {
    System.setProperty("jmh.ignoreLock", "true");
  }

  @Test
  @DisplayName("reads and commits, checked to be right, in a table and in JMH's JSON")
  void measures() {
    Path json = directory.resolve("snapshot.json");
    int exit =
        commandLine.execute(
            ("snapshot --quick --iterations 1 --time 10 --size 100 --commit-size 1000"
                    + " --changed 10 --json "
                    + json)
                .split(" "));
    assertThat(exit).isZero();
    assertThat(commandLine.outLines())
        .anyMatch(line -> line.matches("  hit +100 +latchkey +\\S+"))
        .anyMatch(line -> line.matches("  nohit +100 +plain +\\S+ +\\S+x"))
        .anyMatch(line -> line.matches("  commit +1,000 +10 +caffeine +\\S+ +\\S+x"));
    JsonArray results = JsonFile.read(json).getAsJsonArray();
    assertThat(results).hasSize(9);
  }

  @ParameterizedTest
  @CsvSource({
    "--mode=hits, unknown mode 'hits' in --mode: use hit; nohit; commit",
    "--size=0, --size must be from 1 to 16777216; not 0",
    "--commit-size=5 --changed=6, --changed 6 is more than the 5 objects of --commit-size",
    "--mode=commit --changed=-1, --changed must be from 1 to 1048576; not -1",
  })
  @DisplayName("what cannot be measured is refused with one line")
  void refuses(String options, String message) {
    assertThat(commandLine.execute(("snapshot " + options).split(" "))).isEqualTo(2);
    assertThat(commandLine.errLines())
        .singleElement()
        .asString()
        .contains(message.replace(';', ','));
  }
}
