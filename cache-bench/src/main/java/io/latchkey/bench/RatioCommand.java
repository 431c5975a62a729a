package io.latchkey.bench;

import io.latchkey.bench.console.BadInputException;
import io.latchkey.bench.console.FailedRunException;
import io.latchkey.bench.console.Figures;
import io.latchkey.bench.console.OutputFile;
import io.latchkey.bench.console.Progress;
import io.latchkey.bench.console.Screen;
import io.latchkey.bench.console.Spread;
import io.latchkey.bench.jmh.BenchMode;
import io.latchkey.bench.jmh.Cell;
import io.latchkey.bench.jmh.CellResult;
import io.latchkey.bench.jmh.Effort;
import io.latchkey.bench.jmh.Grid;
import io.latchkey.bench.jmh.InterleavedRun;
import io.latchkey.bench.jmh.JsonResults;
import io.latchkey.bench.jmh.Shape;
import io.latchkey.bench.keys.KeyOrder;
import io.latchkey.bench.peers.Implementation;
import io.latchkey.bench.results.RunStamp;
import io.latchkey.bench.results.Warnings;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ratio}: two implementations, in turn, in one line for scripts. */
@Command(
    name = "ratio",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measures two caches in pairs of fresh JVMs, in turn, and prints one line on standard output:"
          + " 'ratio 2.31 (min 2.10 max 2.44)', the median over the pairs of the peer's time for a"
          + " get divided by ours, and its range. Everything else goes to standard error.",
      "",
    },
    footer = {
      "",
      "Examples:",
      "  latchkey-bench ratio --mode hit --size 1000000 --keys zipf:0.99 --peer caffeine",
      "  latchkey-bench ratio --mode nohit --size 512 --threads 2 --peer cache2k",
      "  latchkey-bench ratio --mode nohit --size 4096 --peer guava --metric alloc",
      "  latchkey-bench ratio --mode hit --ours latchkey --peer latchkey-expiring",
      "  latchkey-bench ratio --mode hit --size 10000 --keys collide --ours chm --peer latchkey",
    })
final class RatioCommand implements Callable<Integer> {
  private final Screen screen;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      required = true,
      description = "hit, nohit, startup or mixed, as in run.")
  private String mode = "";

  @Option(
      names = "--peer",
      paramLabel = "IMPL",
      required = true,
      description = "The other cache, any that run takes.")
  private String peer = "";

  @Option(
      names = "--ours",
      paramLabel = "IMPL",
      defaultValue = "latchkey",
      description = "The cache that is compared with it (${DEFAULT-VALUE}).")
  private String ours = "";

  @Option(
      names = "--metric",
      paramLabel = "METRIC",
      defaultValue = "time",
      description = "time: nanoseconds for a get; alloc: bytes allocated (${DEFAULT-VALUE}).")
  private String metric = "";

  @Option(
      names = "--size",
      paramLabel = "N",
      defaultValue = "4096",
      description = "Objects: cached by hit, the bound of the others (${DEFAULT-VALUE}).")
  private int size;

  @Option(
      names = "--keys",
      paramLabel = "KEYS",
      description =
          "seq, uniform, collide, zipf:SKEW or trace:FILE, as in run (seq; for mixed zipf:0.99).")
  private @Nullable String keys;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "1",
      description = "Threads on one cache (${DEFAULT-VALUE}).")
  private int threads;

  @Option(names = "--proc", description = "Give each thread a cache of its own.")
  private boolean proc;

  @Mixin private SourceOptions sources = new SourceOptions();

  @Option(names = "--pairs", paramLabel = "N", description = "Pairs of JVMs (7; with --quick 3).")
  private @Nullable Integer pairs;

  @Mixin private JmhOptions jmh = new JmhOptions();

  RatioCommand(Screen screen) {
    this.screen = screen;
  }

  @Override
  public Integer call() {
    boolean alloc = isAlloc();
    Grid grid = grid();
    Effort effort = jmh.effort("--pairs", pairs, 7, 3);
    OutputFile output = jmh.output();
    InterleavedRun run = new InterleavedRun(grid, sources.source(), effort, jmh.log());
    RunStamp stamp = new RunStamp("ratio", LatchkeyBench.typed(spec), jmh.quick());
    if (jmh.quick()) {
      tell("quick: a first look, too little is measured to rely on it");
    }
    Warnings warnings = new Warnings(screen);
    List<CellResult> results;
    try (Progress progress = screen.progress("measuring", "forks", run.forks())) {
      results = run.run(progress);
    }
    warnings.end();
    results.forEach(this::tell);
    results.forEach(
        result -> warnings.checkSpread(result.implementation().id(), values(result, alloc)));
    if (output != null) {
      output.write(JsonResults.text(JsonResults.merged(results), stamp, warnings));
    }
    print(values(results.get(0), alloc), values(results.get(1), alloc));
    return 0;
  }

  private boolean isAlloc() {
    return switch (metric) {
      case "time" -> false;
      case "alloc" -> true;
      default ->
          throw new BadInputException("unknown metric '" + metric + "': use one of time, alloc");
    };
  }

  private Grid grid() {
    BenchMode what = BenchMode.of(mode);
    if (what == BenchMode.NOOP_STORAGE) {
      throw new BadInputException("mode 'noop-storage' has no cache to compare: use run for it");
    }
    if (threads < 1 || threads > 1024) {
      throw new BadInputException("--threads must be from 1 to 1024, not " + threads);
    }
    Implementation left = Implementation.of(ours);
    Implementation right = Implementation.of(peer);
    if (left == right) {
      throw new BadInputException("--peer " + peer + " is the same as --ours: name another");
    }
    Shape shape = threads == 1 ? Shape.SERIAL : proc ? Shape.PROC : Shape.PAR;
    String usual = what == BenchMode.MIXED ? "zipf:0.99" : "seq";
    Grid grid =
        Grid.of(
            List.of(what),
            List.of(shape),
            threads,
            List.of(size),
            List.of(KeyOrder.of(keys != null ? keys : usual)),
            List.of(left, right));
    Cell cell = grid.cells().get(0);
    if (grid.implementations(cell).size() != 2) {
      throw new BadInputException("size must be 1 or more for cache2k, not " + size);
    }
    return grid;
  }

  private static List<Double> values(CellResult result, boolean alloc) {
    return alloc ? result.bytesOfForks() : result.nanosOfForks();
  }

  private void print(List<Double> ours, List<Double> theirs) {
    List<Double> ratios = new ArrayList<>();
    for (int pair = 0; pair < ours.size(); pair++) {
      if (isNothing(ours.get(pair))) {
        throw new FailedRunException(
            this.ours + " allocates nothing, so there is no ratio: see its bytes above");
      }
      ratios.add(theirs.get(pair) / ours.get(pair));
    }
    Spread spread = Spread.of(ratios);
    screen
        .out()
        .printf(
            Locale.ROOT,
            "ratio %.2f (min %.2f max %.2f)%n",
            spread.median(),
            spread.min(),
            spread.max());
    screen.out().flush();
  }

  /** JMH finds a few thousandths of a byte where nothing is allocated. */
  private boolean isNothing(double value) {
    return isAlloc() && value < 0.5;
  }

  private void tell(CellResult result) {
    tell(
        result.describe()
            + ": "
            + Figures.decimal(result.nanos())
            + " ns/get, "
            + Figures.decimal(result.bytes())
            + " bytes/get");
  }

  private void tell(String line) {
    screen.err().println(line);
    screen.err().flush();
  }
}
