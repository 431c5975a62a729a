package io.latchkey.bench;

import io.latchkey.bench.console.BadInputException;
import io.latchkey.bench.console.OutputFile;
import io.latchkey.bench.jmh.Effort;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What the commands that JMH measures for have in common: how much, and where it is written. */
final class JmhOptions {
  @Option(
      names = "--iterations",
      paramLabel = "N",
      description = "Iterations that count in each JVM, after as many that do not (5).")
  private @Nullable Integer iterations;

  @Option(
      names = "--time",
      paramLabel = "MS",
      description = "Length of an iteration in milliseconds (1000); startup fills caches instead.")
  private @Nullable Integer time;

  @Option(names = "--quick", description = "3 iterations of 300 ms, few JVMs: a first look only.")
  private boolean quick;

  @Option(names = "--json", paramLabel = "FILE", description = "Write the results as JMH's JSON.")
  private @Nullable Path json;

  @Option(names = "--verbose", description = "Show what JMH tells while it runs.")
  private boolean verbose;

  /** Where the results are to be written; null if nowhere. */
  @Nullable OutputFile output() {
    return json != null ? OutputFile.of("--json", json) : null;
  }

  /** Where JMH tells what it does. */
  OutputStream log() {
    return verbose ? System.err : OutputStream.nullOutputStream();
  }

  boolean quick() {
    return quick;
  }

  /**
   * The effort of a command.
   *
   * @param option what the number of JVMs is called
   * @param forks the number that was asked for; null if none was
   */
  Effort effort(String option, @Nullable Integer forks, int usualForks, int quickForks) {
    int count = iterations != null ? iterations : quick ? 3 : 5;
    require("--iterations", count, 1000);
    int jvms = forks != null ? forks : quick ? quickForks : usualForks;
    require(option, jvms, 1000);
    int millis = time != null ? time : quick ? 300 : 1000;
    require("--time", millis, 600_000);
    return new Effort(jvms, count, count, Duration.ofMillis(millis));
  }

  private static void require(String option, int value, int max) {
    if (value < 1 || value > max) {
      throw new BadInputException(option + " must be from 1 to " + max + ", not " + value);
    }
  }
}
