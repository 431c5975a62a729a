package io.latchkey.bench.jmh;

import io.latchkey.bench.console.FailedRunException;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.format.OutputFormat;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs one benchmark with JMH, and tells in one line why it failed. */
public final class ForkedJmh {
  private final OutputStream log;

  /**
   * Prepares to run benchmarks.
   *
   * @param log gets what JMH tells while it runs
   */
  public ForkedJmh(OutputStream log) {
    this.log = log;
  }

  /**
   * Runs the one benchmark that the options name.
   *
   * @param what is measured, for messages
   * @throws FailedRunException if the benchmark failed, or JMH cannot run
   */
  public RunResult run(String what, Options options) {
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    PrintStream both = new PrintStream(new Tee(said, log), true, StandardCharsets.UTF_8);
    OutputFormat format = OutputFormatFactory.createFormatInstance(both, VerboseMode.NORMAL);
    try {
      return new Runner(options, format).runSingle();
    } catch (RunnerException e) {
      throw new FailedRunException(what + ": " + reason(said.toString(StandardCharsets.UTF_8), e));
    }
  }

  /** JMH tells in its log what a benchmark threw, and in its exception only that one did. */
  private static String reason(String log, RunnerException e) {
    return log.lines()
        .dropWhile(line -> !line.endsWith("<failure>"))
        .skip(1)
        .filter(line -> !line.isBlank())
        .findFirst()
        .orElse(String.valueOf(e.getMessage()).replaceFirst("^ERROR: ", ""));
  }
}
