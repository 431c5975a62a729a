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
import io.latchkey.bench.keys.KeyOrder;
import io.latchkey.bench.peers.Implementation;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

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
      "Example: latchkey-bench run --quick --mode hit --size 4096 --impl latchkey,caffeine",
    })
final class RunCommand implements Callable<Integer> {
  private static final Effort QUICK = new Effort(1, 3, 3, Duration.ofMillis(300));

  private final Screen screen;

  @Option(
      names = "--mode",
      split = ",",
      paramLabel = "MODE",
      defaultValue = "hit,nohit,startup",
      description =
          "hit: each get finds its object; nohit: each loads one and evicts another; startup: each"
              + " loads one into a cache with room (${DEFAULT-VALUE}).")
  private List<String> modes = new ArrayList<>();

  @Option(
      names = "--shape",
      split = ",",
      paramLabel = "SHAPE",
      defaultValue = "serial,par",
      description = "serial: one thread; par: several threads on one cache (${DEFAULT-VALUE}).")
  private List<String> shapes = new ArrayList<>();

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Threads of par (one for each core, at least 2).")
  private @Nullable Integer threads;

  @Option(
      names = "--size",
      split = ",",
      paramLabel = "N",
      description =
          "Objects: cached by hit, the bound of the others (16,512,4096; hit 1000000 too).")
  private List<Integer> sizes = new ArrayList<>();

  @Option(
      names = "--keys",
      split = ",",
      paramLabel = "KEYS",
      defaultValue = "seq",
      description =
          "Order of the keys: seq, uniform, zipf or zipf:SKEW; zipf for hit only"
              + " (${DEFAULT-VALUE}).")
  private List<String> keys = new ArrayList<>();

  @Option(
      names = "--impl",
      split = ",",
      paramLabel = "IMPL",
      defaultValue = "latchkey,caffeine,cache2k,chm",
      description = "for example latchkey, caffeine, cache2k, guava, chm (${DEFAULT-VALUE}).")
  private List<String> implementations = new ArrayList<>();

  @Option(
      names = "--forks",
      paramLabel = "N",
      description = "JVMs for each implementation in each combination (5).")
  private @Nullable Integer forks;

  @Option(
      names = "--iterations",
      paramLabel = "N",
      description = "Iterations that count in each JVM, after as many that do not (5).")
  private @Nullable Integer iterations;

  @Option(
      names = "--time",
      paramLabel = "MS",
      description = "Length of an iteration in milliseconds (1000); not for startup.")
  private @Nullable Integer time;

  @Option(names = "--quick", description = "1 fork, 3 iterations of 300 ms: a first look only.")
  private boolean quick;

  @Option(names = "--json", paramLabel = "FILE", description = "Write the results as JMH's JSON.")
  private @Nullable Path json;

  @Option(names = "--verbose", description = "Show what JMH tells while it runs.")
  private boolean verbose;

  RunCommand(Screen screen) {
    this.screen = screen;
  }

  @Override
  public Integer call() {
    Grid grid =
        Grid.of(
            modes.stream().map(BenchMode::of).toList(),
            threadCounts(),
            sizes,
            keys.stream().map(KeyOrder::of).toList(),
            implementations.stream().map(Implementation::of).toList());
    Effort effort = effort();
    OutputFile output = json != null ? OutputFile.of("--json", json) : null;
    OutputStream log = verbose ? System.err : OutputStream.nullOutputStream();
    InterleavedRun run = new InterleavedRun(grid, effort, log);
    announce(grid, effort, run);
    List<CellResult> results;
    try (Progress progress = screen.progress("measuring", "forks", run.forks())) {
      results = run.run(progress);
    }
    screen.out().println();
    ResultTables.print(results, screen);
    if (output != null) {
      output.write(JsonResults.text(results));
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
    if (quick) {
      screen.out().println("  quick    a first look: too little was measured to rely on it");
    }
    screen.out().flush();
  }

  private List<Integer> threadCounts() {
    int parallel = Math.max(2, Runtime.getRuntime().availableProcessors());
    if (threads != null) {
      require("--threads", threads, 2, 1024);
      parallel = threads;
    }
    List<Integer> counts = new ArrayList<>();
    for (String shape : shapes) {
      switch (shape) {
        case "serial" -> counts.add(1);
        case "par" -> counts.add(parallel);
        default ->
            throw new BadInputException("unknown shape '" + shape + "': use one of serial, par");
      }
    }
    return counts;
  }

  private Effort effort() {
    Effort usual = quick ? QUICK : new Effort(5, 5, 5, Duration.ofSeconds(1));
    int count = iterations != null ? iterations : usual.iterations();
    require("--iterations", count, 1, 1000);
    int jvms = forks != null ? forks : usual.forks();
    require("--forks", jvms, 1, 1000);
    int millis = time != null ? time : (int) usual.time().toMillis();
    require("--time", millis, 1, 600_000);
    return new Effort(jvms, count, count, Duration.ofMillis(millis));
  }

  private static void require(String option, int value, int min, int max) {
    if (value < min || value > max) {
      throw new BadInputException(
          option + " must be from " + min + " to " + max + ", not " + value);
    }
  }
}
