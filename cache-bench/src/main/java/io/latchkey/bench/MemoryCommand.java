package io.latchkey.bench;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.latchkey.bench.console.BadInputException;
import io.latchkey.bench.console.Figures;
import io.latchkey.bench.console.Machine;
import io.latchkey.bench.console.OutputFile;
import io.latchkey.bench.console.Progress;
import io.latchkey.bench.console.Screen;
import io.latchkey.bench.console.Table;
import io.latchkey.bench.memory.MemoryRun;
import io.latchkey.bench.memory.MemoryRun.Subject;
import io.latchkey.bench.memory.Retained;
import io.latchkey.bench.peers.Implementation;
import io.latchkey.bench.results.JsonFile;
import io.latchkey.bench.results.RunStamp;
import io.latchkey.bench.results.Warnings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code memory}: retained bytes per entry. */
@Command(
    name = "memory",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measures what a full cache retains for each entry: everything of the cache, keys and values"
          + " not counted. Each cache is filled in a fresh JVM and measured twice: by a walk over"
          + " all objects it reaches (without classes, threads and executors), and by the heap in"
          + " use with it and without it.",
      "",
    },
    footer = {
      "",
      "chm and chm-future include the ring that bounds them, 4 bytes an entry.",
      "",
      "Example: latchkey-bench memory --entries 100000 --impl latchkey,caffeine",
    })
final class MemoryCommand implements Callable<Integer> {
  private static final int QUICK_ENTRIES = 20_000;
  private static final int MAX_ENTRIES = 1 << 24;

  private final Screen screen;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--entries", paramLabel = "N", description = "Entries of each cache (1000000).")
  private @Nullable Integer entries;

  @Option(
      names = "--impl",
      split = ",",
      paramLabel = "IMPL",
      defaultValue = "latchkey,caffeine,cache2k,guava,chm,chm-future",
      description = "The caches (${DEFAULT-VALUE}).")
  private List<String> implementations = new ArrayList<>();

  @Option(
      names = "--expiry",
      split = ",",
      paramLabel = "EXPIRY",
      defaultValue = "none,write",
      description =
          "none: bounded by count only; write: with expireAfterWrite too, for those that have it"
              + " (${DEFAULT-VALUE}).")
  private List<String> expiries = new ArrayList<>();

  @Option(
      names = "--quick",
      description = "20000 entries: a first look, in which what is paid once weighs too much.")
  private boolean quick;

  @Option(names = "--json", paramLabel = "FILE", description = "Write the results as JSON.")
  private @Nullable Path json;

  MemoryCommand(Screen screen) {
    this.screen = screen;
  }

  @Override
  public Integer call() {
    int count = entries != null ? entries : quick ? QUICK_ENTRIES : 1_000_000;
    if (count < 1 || count > MAX_ENTRIES) {
      throw new BadInputException(
          "--entries must be from 1 to " + MAX_ENTRIES + ", not " + entries);
    }
    MemoryRun run = new MemoryRun(subjects(), count);
    OutputFile output = json != null ? OutputFile.of("--json", json) : null;
    RunStamp stamp = new RunStamp("memory", LatchkeyBench.typed(spec), quick);
    screen.out().println("  machine  " + Machine.describe());
    if (quick) {
      screen.out().println("  quick    a first look: what is paid once weighs too much");
    }
    screen.out().flush();
    Warnings warnings = new Warnings(screen);
    List<Retained> results;
    try (Progress progress = screen.progress("measuring", "caches", subjects().size())) {
      results = run.run(progress);
    }
    warnings.end();
    print(results);
    if (output != null) {
      output.write(JsonFile.text(file(stamp, warnings, results, count)));
    }
    return 0;
  }

  private List<Subject> subjects() {
    List<Subject> subjects = new ArrayList<>();
    for (String expiry : expiries) {
      boolean expiring = isExpiring(expiry);
      for (String id : implementations) {
        Implementation implementation = Implementation.of(id);
        if (implementation == Implementation.DIRECT) {
          throw new BadInputException("implementation 'direct' caches nothing: leave it out");
        }
        if (!expiring || implementation.expiring() != null) {
          subjects.add(new Subject(implementation, expiring));
        }
      }
    }
    if (subjects.isEmpty()) {
      throw new BadInputException(
          "nothing to measure: none of " + String.join(", ", implementations) + " has an expiry");
    }
    return subjects;
  }

  private static boolean isExpiring(String expiry) {
    return switch (expiry) {
      case "none" -> false;
      case "write" -> true;
      default ->
          throw new BadInputException("unknown expiry '" + expiry + "': use one of none, write");
    };
  }

  private void print(List<Retained> results) {
    Table table =
        new Table("implementation", "expiry", "entries", "bytes/entry", "by heap", "objects/entry");
    for (Retained result : results) {
      table.row(
          result.implementation().id(),
          result.expiring() ? "write" : "none",
          Figures.count(result.entries()),
          Figures.decimal(result.bytesPerEntry()),
          Figures.decimal(result.heapBytesPerEntry()),
          Figures.decimal((double) result.objects() / result.entries()));
    }
    screen.out().println();
    screen.print(table);
  }

  private static JsonObject file(
      RunStamp stamp, Warnings warnings, List<Retained> results, int entries) {
    JsonArray all = new JsonArray();
    results.forEach(result -> all.add(result.json()));
    JsonObject file = new JsonObject();
    stamp.addTo(file, warnings.list());
    file.addProperty("entries", entries);
    file.add("results", all);
    return file;
  }
}
