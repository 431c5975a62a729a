package io.latchkey.bench;

import io.latchkey.bench.console.Machine;
import io.latchkey.bench.console.OutputFile;
import io.latchkey.bench.console.Progress;
import io.latchkey.bench.console.Screen;
import io.latchkey.bench.jmh.Effort;
import io.latchkey.bench.jmh.ExpirySearchRun;
import io.latchkey.bench.jmh.ExpirySearchRun.Pair;
import io.latchkey.bench.jmh.IdleSweepBenchmark;
import io.latchkey.bench.jmh.JsonResults;
import io.latchkey.bench.results.RunStamp;
import io.latchkey.bench.results.Warnings;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code pool cleaning}: binary against linear search of the workers that are idle for too long.
 */
@Command(
    name = "cleaning",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measures with JMH how long the pool's lock is held to clean its stack of idle workers: to find"
          + " how many are idle for too long, by binary search, as LoaderPool does, and by looking at"
          + " one after the other; and to take those out and move the others down, which is the same"
          + " for both. The two take turns, a fresh JVM each.",
      "",
    },
    footer = {"", "Example: latchkey-bench pool cleaning --quick --idle 1000"})
final class PoolCleaningCommand implements Callable<Integer> {
  private final Screen screen;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--idle",
      split = ",",
      paramLabel = "N",
      defaultValue = "10,100,1000,10000",
      description = "Workers in the stack (${DEFAULT-VALUE}).")
  private List<Integer> lengths = new ArrayList<>();

  @Option(
      names = "--cut",
      split = ",",
      paramLabel = "PERCENT",
      defaultValue = "10,50,90",
      description = "How many of them have to go, in percent (${DEFAULT-VALUE}).")
  private List<Integer> cuts = new ArrayList<>();

  @Option(
      names = "--forks",
      paramLabel = "N",
      description = "JVMs for each search at each size and cut (7; with --quick 1).")
  private @Nullable Integer forks;

  @Mixin private JmhOptions jmh = new JmhOptions();

  PoolCleaningCommand(Screen screen) {
    this.screen = screen;
  }

  @Override
  public Integer call() {
    Effort effort = jmh.effort("--forks", forks, 7, 1);
    ExpirySearchRun run =
        new ExpirySearchRun(IdleSweepBenchmark.class, "--idle", lengths, cuts, effort, jmh.log());
    OutputFile output = jmh.output();
    RunStamp stamp = new RunStamp("pool cleaning", LatchkeyBench.typed(spec), jmh.quick());
    screen.out().println("  machine  " + Machine.describe());
    if (jmh.quick()) {
      screen.out().println("  quick    a first look: too little was measured to rely on it");
    }
    screen.out().flush();
    Warnings warnings = new Warnings(screen);
    List<Pair> pairs;
    try (Progress progress = screen.progress("measuring", "forks", run.forks())) {
      pairs = run.run(progress);
    }
    warnings.end();
    for (Pair pair : pairs) {
      warnings.checkSpread(pair.describe() + ", binary", pair.binary());
      warnings.checkSpread(pair.describe() + ", linear", pair.linear());
    }
    screen.out().println();
    screen.print(ExpiryCommand.table("idle workers", "cut", pairs));
    if (output != null) {
      output.write(
          JsonResults.text(
              pairs.stream().flatMap(pair -> pair.results().stream()).toList(), stamp, warnings));
    }
    return 0;
  }
}
