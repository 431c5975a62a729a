package io.latchkey.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RunCommandTest {
  @TempDir Path directory;

  private final CommandLineFixture commandLine = new CommandLineFixture();

  /** Nothing is measured here, so another run on this machine does no harm. */
  @BeforeAll
  static void ignoreOtherRuns() {
    System.setProperty("jmh.ignoreLock", "true");
  }

  @ParameterizedTest
  @ValueSource(strings = {"hit", "nohit", "startup"})
  @DisplayName("measures in a fresh JVM, prints a table and writes JMH's JSON")
  void measures(String mode) throws Exception {
    Path json = directory.resolve("result.json");
    int exit = run("--mode", mode, "--shape", "par", "--impl", "chm", "--json", json.toString());
    assertThat(commandLine.errLines()).allMatch(line -> line.startsWith("measuring: "));
    assertThat(exit).isZero();
    assertThat(commandLine.outLines())
        .anyMatch(line -> line.matches(mode + ", \\d+ threads, 64 objects, keys seq"))
        .anyMatch(line -> line.matches("  chm +[\\d.,]+ +\\S+ +[\\d.,]+"));
    assertThat(Files.readString(json))
        .contains("\"implementation\" : \"chm\"", "\"size\" : \"64\"", "\"forks\" : 1")
        .contains("gc.alloc.rate.norm");
  }

  @Test
  @DisplayName("forks that took turns are one result, with the ratio of each to ours")
  void forksAreMerged() throws Exception {
    Path json = directory.resolve("result.json");
    int exit =
        run(
            "--mode",
            "hit",
            "--shape",
            "serial",
            "--impl",
            "latchkey,chm",
            "--forks",
            "2",
            "--json",
            json.toString());
    assertThat(exit).isZero();
    assertThat(commandLine.outLines())
        .anyMatch(line -> line.matches("  latchkey +[\\d.,]+ +\\S+ +1x +[\\d.,]+"))
        .anyMatch(
            line -> line.matches("  chm +[\\d.,]+ +\\S+ +[\\d.,]+x +\\S+x \\.\\. \\S+x +\\S+"));
    assertThat(Files.readString(json))
        .containsOnlyOnce("\"implementation\" : \"chm\"")
        .contains("\"forks\" : 2");
  }

  private int run(String... arguments) {
    String[] all = new String[arguments.length + 8];
    String[] small = {"run", "--size", "64", "--iterations", "1", "--time", "10", "--quick"};
    System.arraycopy(small, 0, all, 0, small.length);
    System.arraycopy(arguments, 0, all, small.length, arguments.length);
    return commandLine.execute(all);
  }
}
