package io.latchkey.bench;

import io.latchkey.bench.console.BadInputException;
import io.latchkey.bench.console.Figures;
import io.latchkey.bench.console.Machine;
import io.latchkey.bench.console.OutputFile;
import io.latchkey.bench.console.Progress;
import io.latchkey.bench.console.Screen;
import io.latchkey.bench.jmh.BenchMode;
import io.latchkey.bench.jmh.CellResult;
import io.latchkey.bench.jmh.Effort;
import io.latchkey.bench.jmh.Grid;
import io.latchkey.bench.jmh.InterleavedRun;
import io.latchkey.bench.jmh.JsonResults;
import io.latchkey.bench.jmh.ResultTables;
import io.latchkey.bench.jmh.Shape;
import io.latchkey.bench.keys.KeyOrder;
import io.latchkey.bench.peers.Implementation;
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

/** {@code run}: the JMH benchmarks, implementations in turn, in fresh JVMs. */
@Command(
    name = "run",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measures the time and the bytes allocated for a get with JMH: every implementation in every"
          + " combination of mode, shape, size and keys. Implementations take turns, a fresh JVM"
          + " each, so that drift of the machine hits all alike.",
      "",
    },
    footer = {
      "",
      "Examples:",
      "  latchkey-bench run --quick --mode hit --size 4096 --impl latchkey,caffeine",
      "  latchkey-bench run --mode startup,nohit,hit --shape serial,par,proc"
          + " --size 0,16,128,512,4096 --impl latchkey,latchkey-future --json run.json",
    })
final class RunCommand implements Callable<Integer> {
  private final Screen screen;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--mode",
      split = ",",
      paramLabel = "MODE",
      defaultValue = "hit,nohit,startup",
      description =
          "hit: each get finds its object; nohit: each loads one and evicts another; startup: each"
              + " loads one into a cache with room; mixed: hits and misses, as keys over ten times"
              + " as many objects as the bound bring them; noop-storage: loads without a cache"
              + " (${DEFAULT-VALUE}).")
  private List<String> modes = new ArrayList<>();

  @Option(
      names = "--shape",
      split = ",",
      paramLabel = "SHAPE",
      defaultValue = "serial,par",
      description =
          "serial: one thread; par: several threads on one cache; proc: several threads with a"
              + " cache each (${DEFAULT-VALUE}).")
  private List<String> shapes = new ArrayList<>();

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Threads of par and proc (one for each core, at least 2).")
  private @Nullable Integer threads;

  @Option(
      names = "--size",
      split = ",",
      paramLabel = "N",
      description =
          "Objects: cached by hit, the bound of the others (16,512,4096; hit 1000000 too). 0 is for"
              + " nohit: a cache that holds nothing; among several sizes the other modes leave it"
              + " out, and cache2k, which has no such bound.")
  private List<Integer> sizes = new ArrayList<>();

  @Option(
      names = "--keys",
      split = ",",
      paramLabel = "KEYS",
      defaultValue = "seq",
      description =
          "Order of the keys: seq, uniform (each once, shuffled), collide (the same with one hash"
              + " for all), zipf or zipf:SKEW, trace:FILE or trace:FORMAT:FILE (lirs). hit takes all, of a trace with all its objects cached;"
              + " nohit and startup take seq, uniform and collide; mixed takes zipf and trace"
              + " (${DEFAULT-VALUE}).")
  private List<String> keys = new ArrayList<>();

  @Option(
      names = "--impl",
      split = ",",
      paramLabel = "IMPL",
      defaultValue = "latchkey,caffeine,cache2k,chm",
      description =
          "latchkey, caffeine, cache2k, guava, each also with -expiring; caffeine-async; chm: a bare"
              + " map; chm-future, chm-task, chm-latch: a map of futures, FutureTasks, latches;"
              + " latchkey-future: latchkey with a future per entry; latchkey-chm: its latch in the"
              + " entries of a map (${DEFAULT-VALUE}).")
  private List<String> implementations = new ArrayList<>();

  @Mixin private SourceOptions sources = new SourceOptions();

  @Option(
      names = "--forks",
      paramLabel = "N",
      description = "JVMs for each implementation in each combination (5; with --quick 1).")
  private @Nullable Integer forks;

  @Mixin private JmhOptions jmh = new JmhOptions();

  RunCommand(Screen screen) {
    this.screen = screen;
  }

  @Override
  public Integer call() {
    Grid grid =
        Grid.of(
            modes.stream().map(BenchMode::of).toList(),
            shapes.stream().map(Shape::of).toList(),
            threads(),
            sizes,
            keys.stream().map(KeyOrder::of).toList(),
            implementations.stream().map(Implementation::of).distinct().toList());
    Effort effort = jmh.effort("--forks", forks, 5, 1);
    OutputFile output = jmh.output();
    InterleavedRun run = new InterleavedRun(grid, sources.source(), effort, jmh.log());
    RunStamp stamp = new RunStamp("run", LatchkeyBench.typed(spec), jmh.quick());
    announce(grid, effort, run);
    Warnings warnings = new Warnings(screen);
    List<CellResult> results;
    try (Progress progress = screen.progress("measuring", "forks", run.forks())) {
      results = run.run(progress);
    }
    warnings.end();
    results.forEach(result -> warnings.checkSpread(result.describe(), result.nanosOfForks()));
    screen.out().println();
    ResultTables.print(results, screen);
    if (output != null) {
      output.write(JsonResults.text(JsonResults.merged(results), stamp, warnings));
    }
    return 0;
  }

  private void announce(Grid grid, Effort effort, InterleavedRun run) {
    screen.out().println("  machine  " + Machine.describe());
    screen
        .out()
        .printf(
            "  effort   combinations: %d, implementations: %d, forks of each: %d, iterations of each:"
                + " %d + %d of %s; about %s in all%n",
            grid.cells().size(),
            grid.implementations().size(),
            effort.forks(),
            effort.warmups(),
            effort.iterations(),
            Figures.duration(effort.time().toNanos()),
            Figures.duration(effort.ofOneFork().plusSeconds(1).toNanos() * run.forks()));
    if (jmh.quick()) {
      screen.out().println("  quick    a first look: too little was measured to rely on it");
    }
    screen.out().flush();
  }

  private int threads() {
    if (threads == null) {
      return Math.max(2, Runtime.getRuntime().availableProcessors());
    }
    if (threads < 2 || threads > 1024) {
      throw new BadInputException("--threads must be from 2 to 1024, not " + threads);
    }
    return threads;
  }
}
