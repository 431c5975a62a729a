package io.latchkey.bench;

import io.latchkey.bench.console.Figures;
import io.latchkey.bench.console.Machine;
import io.latchkey.bench.console.OutputFile;
import io.latchkey.bench.console.Progress;
import io.latchkey.bench.console.Screen;
import io.latchkey.bench.console.Spread;
import io.latchkey.bench.console.Table;
import io.latchkey.bench.jmh.Effort;
import io.latchkey.bench.jmh.ExpirySearchBenchmark;
import io.latchkey.bench.jmh.ExpirySearchRun;
import io.latchkey.bench.jmh.ExpirySearchRun.Pair;
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

/** {@code expiry}: binary against linear search of the expired entries. */
@Command(
    name = "expiry",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measures with JMH how long it takes to find the expired entries at the front of a queue that"
          + " is ordered by time: by binary search, as Latchkey does, and by looking at one after"
          + " the other. The two take turns, a fresh JVM each.",
      "",
    },
    footer = {"", "Example: latchkey-bench expiry --quick --length 1000"})
final class ExpiryCommand implements Callable<Integer> {
  private final Screen screen;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--length",
      split = ",",
      paramLabel = "N",
      defaultValue = "10,100,1000,10000",
      description = "Entries in the queue (${DEFAULT-VALUE}).")
  private List<Integer> lengths = new ArrayList<>();

  @Option(
      names = "--cut",
      split = ",",
      paramLabel = "PERCENT",
      defaultValue = "10,50,90",
      description = "How many of them are expired, in percent (${DEFAULT-VALUE}).")
  private List<Integer> cuts = new ArrayList<>();

  @Option(
      names = "--forks",
      paramLabel = "N",
      description = "JVMs for each search at each length and cut (3; with --quick 1).")
  private @Nullable Integer forks;

  @Mixin private JmhOptions jmh = new JmhOptions();

  ExpiryCommand(Screen screen) {
    this.screen = screen;
  }

  @Override
  public Integer call() {
    Effort effort = jmh.effort("--forks", forks, 3, 1);
    ExpirySearchRun run =
        new ExpirySearchRun(
            ExpirySearchBenchmark.class, "--length", lengths, cuts, effort, jmh.log());
    OutputFile output = jmh.output();
    RunStamp stamp = new RunStamp("expiry", LatchkeyBench.typed(spec), jmh.quick());
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
    screen.print(table("entries", "expired", pairs));
    if (output != null) {
      output.write(
          JsonResults.text(
              pairs.stream().flatMap(pair -> pair.results().stream()).toList(), stamp, warnings));
    }
    return 0;
  }

  /** Both searches side by side. */
  static Table table(String length, String cut, List<Pair> pairs) {
    Table table = new Table(length, cut, "binary ns", "linear ns", "linear/binary", "min .. max");
    for (Pair pair : pairs) {
      List<Double> ratios = new ArrayList<>();
      for (int fork = 0; fork < pair.binary().size(); fork++) {
        ratios.add(pair.linear().get(fork) / pair.binary().get(fork));
      }
      Spread ratio = Spread.of(ratios);
      table.row(
          Figures.count(pair.length()),
          pair.cut() + " %",
          Figures.decimal(Spread.of(pair.binary()).median()),
          Figures.decimal(Spread.of(pair.linear()).median()),
          Figures.ratio(ratio.median()),
          ratio.min() == ratio.max()
              ? ""
              : Figures.ratio(ratio.min()) + " .. " + Figures.ratio(ratio.max()));
    }
    return table;
  }
}
