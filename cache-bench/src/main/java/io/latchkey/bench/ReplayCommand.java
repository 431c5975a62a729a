package io.latchkey.bench;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.latchkey.bench.console.BadInputException;
import io.latchkey.bench.console.Figures;
import io.latchkey.bench.console.Machine;
import io.latchkey.bench.console.OutputFile;
import io.latchkey.bench.console.Progress;
import io.latchkey.bench.console.Screen;
import io.latchkey.bench.keys.CsvColumn;
import io.latchkey.bench.keys.Trace;
import io.latchkey.bench.keys.TraceFile;
import io.latchkey.bench.keys.TraceFormat;
import io.latchkey.bench.peers.Implementation;
import io.latchkey.bench.replay.CacheSize;
import io.latchkey.bench.replay.Replay;
import io.latchkey.bench.replay.ReplayResult;
import io.latchkey.bench.replay.ReplaySettings;
import io.latchkey.bench.replay.ReplayTables;
import io.latchkey.bench.results.JsonFile;
import io.latchkey.bench.results.RunStamp;
import io.latchkey.bench.results.Warnings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code replay}: hit ratios on a trace. */
@Command(
    name = "replay",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Replays the reads of a trace file against each cache, with one thread and over a storage"
          + " that answers at once, and tells hit ratios and times. Beside them stand least recently"
          + " used (lru) and Belady's optimum, which no cache can beat; both are simulated exactly.",
      "",
    },
    footer = {
      "",
      "Formats:",
      "  lirs       text: a decimal block number a line; lines with * are skipped",
      "  arc        text: start count ignored number; a request of so many blocks",
      "  cache2k    binary: keys of 4 bytes, big-endian",
      "  corda      binary: keys of 8 bytes, big-endian",
      "  scarab     binary: keys of 8 bytes, big-endian",
      "  address    text: s or l, an address like 0x1fffff50, a number",
      "  adaptsize  text: time id bytes",
      "  csv        text: comma-separated values, the key in the column of --column",
      "",
      "Keys are those of the file. Caffeine is told its size beforehand, as in its own simulator.",
      "",
      "Example: latchkey-bench replay --trace multi2.gz --format lirs --size 1%%,5%%",
    })
final class ReplayCommand implements Callable<Integer> {
  private static final int MAX_RUNS = 100;

  private final Screen screen;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--trace",
      paramLabel = "FILE",
      required = true,
      description = "The trace, plain or compressed (.gz, .xz).")
  private @Nullable Path file;

  @Option(
      names = "--format",
      paramLabel = "F",
      defaultValue = "lirs",
      description =
          "lirs, arc, cache2k, corda, scarab, address, adaptsize or csv (${DEFAULT-VALUE}).")
  private String format = "";

  @Option(
      names = "--column",
      paramLabel = "C",
      description =
          "Column of the key in csv: a number from 1, or a name that stands in the first line (1).")
  private @Nullable String column;

  @Option(
      names = "--size",
      split = ",",
      paramLabel = "N|P%",
      defaultValue = "1%,5%,10%,25%",
      description = "Objects that a cache may hold, or a share of the trace's (${DEFAULT-VALUE}).")
  private List<String> sizes = new ArrayList<>();

  @Option(
      names = "--impl",
      split = ",",
      paramLabel = "IMPL",
      defaultValue = "latchkey,caffeine,cache2k,guava",
      description = "Caches that are measured (${DEFAULT-VALUE}).")
  private List<String> implementations = new ArrayList<>();

  @Option(
      names = "--runs",
      paramLabel = "N",
      defaultValue = "3",
      description =
          "Times that each cache replays the trace at each size: hit ratios are their mean, times"
              + " their median (${DEFAULT-VALUE}).")
  private int runs;

  @Option(names = "--json", paramLabel = "FILE", description = "Write the results as JSON.")
  private @Nullable Path json;

  ReplayCommand(Screen screen) {
    this.screen = screen;
  }

  @Override
  public Integer call() {
    if (runs < 1 || runs > MAX_RUNS) {
      throw new BadInputException("--runs must be from 1 to " + MAX_RUNS + ", not " + runs);
    }
    List<CacheSize> bounds = sizes.stream().map(CacheSize::of).toList();
    List<Implementation> caches = caches();
    OutputFile output = json != null ? OutputFile.of("--json", json) : null;
    RunStamp stamp = new RunStamp("replay", LatchkeyBench.typed(spec), false);
    Path from = Objects.requireNonNull(file);
    TraceFormat kind = TraceFormat.of(format);
    Trace trace = TraceFile.read(from, kind, column(kind));
    List<Integer> entries = bounds.stream().map(b -> b.of(trace.objects())).distinct().toList();
    ReplaySettings settings = new ReplaySettings(trace, entries, caches, runs);
    announce(from, kind, trace);
    Warnings warnings = new Warnings(screen);
    List<ReplayResult> results;
    try (Progress progress = screen.progress("replaying", "passes", settings.passes())) {
      results = new Replay(settings).run(progress);
    }
    warnings.end();
    warnings.checkSpreads(
        "time for a read",
        "runs",
        results.stream().map(ReplayResult::nanosPerRead).filter(runs -> runs.size() > 1).toList());
    screen.out().println();
    ReplayTables.print(results, screen);
    if (output != null) {
      output.write(JsonFile.text(file(stamp, warnings, from, kind, trace, results)));
    }
    return 0;
  }

  private List<Implementation> caches() {
    List<Implementation> caches =
        implementations.stream().map(Implementation::of).distinct().toList();
    if (caches.contains(Implementation.DIRECT)) {
      throw new BadInputException("implementation 'direct' caches nothing: it is for demo only");
    }
    return caches;
  }

  private CsvColumn column(TraceFormat kind) {
    if (column == null) {
      return CsvColumn.FIRST;
    }
    if (kind != TraceFormat.CSV) {
      throw new BadInputException("--column is for --format csv, not for " + kind.id());
    }
    return CsvColumn.of(column);
  }

  private void announce(Path from, TraceFormat kind, Trace trace) {
    screen.out().println("  machine  " + Machine.describe());
    screen
        .out()
        .printf(
            "  trace    %s (%s): %s reads of %s objects%n",
            from.getFileName(),
            kind.id(),
            Figures.count(trace.length()),
            Figures.count(trace.objects()));
    screen.out().flush();
  }

  private static JsonObject file(
      RunStamp stamp,
      Warnings warnings,
      Path from,
      TraceFormat kind,
      Trace trace,
      List<ReplayResult> results) {
    JsonObject file = new JsonObject();
    stamp.addTo(file, warnings.list());
    file.addProperty("trace", String.valueOf(from.getFileName()));
    file.addProperty("format", kind.id());
    file.addProperty("reads", trace.length());
    file.addProperty("objects", trace.objects());
    JsonArray all = new JsonArray();
    results.forEach(result -> all.add(result.json()));
    file.add("results", all);
    return file;
  }
}
