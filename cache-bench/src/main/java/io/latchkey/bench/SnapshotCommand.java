package io.latchkey.bench;

import io.latchkey.bench.console.Figures;
import io.latchkey.bench.console.Machine;
import io.latchkey.bench.console.OutputFile;
import io.latchkey.bench.console.Progress;
import io.latchkey.bench.console.Screen;
import io.latchkey.bench.console.Spread;
import io.latchkey.bench.console.Table;
import io.latchkey.bench.jmh.Effort;
import io.latchkey.bench.jmh.JsonResults;
import io.latchkey.bench.results.RunStamp;
import io.latchkey.bench.results.Warnings;
import io.latchkey.bench.snapshot.SnapshotRun;
import io.latchkey.bench.snapshot.SnapshotRun.Cell;
import io.latchkey.bench.snapshot.SnapshotRun.Outcome;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code snapshot}: reads at one revision, and commits. */
@Command(
    name = "snapshot",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measures with JMH reads at one revision, and what a cache does when it is told of a commit:"
          + " Latchkey's cache over revisions; 'plain', its cache of current objects, which gives no"
          + " snapshots and only invalidates; and Caffeine with key and revision for a key, where"
          + " each commit moves what it did not change to the new revision. They take turns, a fresh"
          + " JVM each. Times are nanoseconds, and the ratio is the other's time to Latchkey's.",
      "",
    },
    footer = {"", "Example: latchkey-bench snapshot --quick --mode hit,commit --changed 1,100"})
final class SnapshotCommand implements Callable<Integer> {
  private final Screen screen;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--mode",
      split = ",",
      paramLabel = "MODE",
      defaultValue = "hit,nohit,commit",
      description = "What is measured: hit, nohit, commit (${DEFAULT-VALUE}).")
  private List<String> modes = new ArrayList<>();

  @Option(
      names = "--size",
      split = ",",
      paramLabel = "N",
      defaultValue = "4096",
      description = "Objects that the cache holds, for hit and nohit (${DEFAULT-VALUE}).")
  private List<Integer> sizes = new ArrayList<>();

  @Option(
      names = "--commit-size",
      paramLabel = "N",
      defaultValue = "1000000",
      description = "Objects that the cache holds, for commit (${DEFAULT-VALUE}).")
  private int commitSize;

  @Option(
      names = "--changed",
      split = ",",
      paramLabel = "N",
      defaultValue = "1,100,10000",
      description = "Keys that a commit changes (${DEFAULT-VALUE}).")
  private List<Integer> changed = new ArrayList<>();

  @Option(
      names = "--forks",
      paramLabel = "N",
      description = "JVMs for each cache in each cell (3; with --quick 1).")
  private @Nullable Integer forks;

  @Mixin private JmhOptions jmh = new JmhOptions();

  SnapshotCommand(Screen screen) {
    this.screen = screen;
  }

  @Override
  public Integer call() {
    Effort effort = jmh.effort("--forks", forks, 3, 1);
    SnapshotRun run = new SnapshotRun(cells(), effort, jmh.log());
    OutputFile output = jmh.output();
    RunStamp stamp = new RunStamp("snapshot", LatchkeyBench.typed(spec), jmh.quick());
    screen.out().println("  machine  " + Machine.describe());
    if (jmh.quick()) {
      screen.out().println("  quick    a first look: too little was measured to rely on it");
    }
    screen.out().flush();
    Warnings warnings = new Warnings(screen);
    List<Outcome> outcomes;
    try (Progress progress = screen.progress("measuring", "forks", run.forks())) {
      outcomes = run.run(progress);
    }
    warnings.end();
    for (Outcome outcome : outcomes) {
      outcome
          .nanos()
          .forEach(
              (cache, nanos) ->
                  warnings.checkSpread(outcome.cell().describe() + ", " + cache, nanos));
    }
    print(outcomes);
    if (output != null) {
      output.write(
          JsonResults.text(
              outcomes.stream().flatMap(outcome -> outcome.results().stream()).toList(),
              stamp,
              warnings));
    }
    return 0;
  }

  private List<Cell> cells() {
    Set<Cell> cells = new LinkedHashSet<>();
    for (String mode : modes) {
      if (mode.equals("commit")) {
        changed.forEach(count -> cells.add(new Cell(mode, commitSize, count)));
      } else {
        sizes.forEach(size -> cells.add(new Cell(mode, size, 0)));
      }
    }
    return List.copyOf(cells);
  }

  private void print(List<Outcome> outcomes) {
    Table table = new Table("mode", "objects", "changed", "cache", "ns", "ratio");
    for (Outcome outcome : outcomes) {
      Cell cell = outcome.cell();
      double ours = Spread.of(outcome.nanos().getOrDefault("latchkey", List.of())).median();
      outcome
          .nanos()
          .forEach(
              (cache, nanos) -> {
                double median = Spread.of(nanos).median();
                table.row(
                    cell.mode(),
                    Figures.count(cell.size()),
                    cell.changed() == 0 ? "" : Figures.count(cell.changed()),
                    cache,
                    Figures.decimal(median),
                    cache.equals("latchkey") ? "" : Figures.ratio(median / ours));
              });
    }
    screen.out().println();
    screen.print(table);
  }
}
