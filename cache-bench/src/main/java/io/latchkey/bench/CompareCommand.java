package io.latchkey.bench;

import com.google.gson.JsonObject;
import io.latchkey.bench.compare.CompareTables;
import io.latchkey.bench.compare.Comparison;
import io.latchkey.bench.compare.SampleKind;
import io.latchkey.bench.console.BadInputException;
import io.latchkey.bench.console.OutputFile;
import io.latchkey.bench.console.Screen;
import io.latchkey.bench.results.JsonFile;
import io.latchkey.bench.results.RunStamp;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code compare}: two runs, or two caches of one run. */
@Command(
    name = "compare",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Compares the results of two runs, or two implementations within one run, as Go's benchstat"
          + " does: medians with the distance of the farthest value, the change, and the p-value of"
          + " the Mann-Whitney U test, or ~ where that is not significant; then bytes allocated;"
          + " geometric means last. Reads what run and ratio write with --json, and any other JSON"
          + " of JMH.",
      "",
    },
    footer = {
      "",
      "A value is the mean of a fork, so that fewer than 4 forks on each side prove nothing.",
      "",
      "Examples:",
      "  latchkey-bench compare old.json new.json",
      "  latchkey-bench compare --within run.json --old latchkey-future --new latchkey",
    })
final class CompareCommand implements Callable<Integer> {
  private final Screen screen;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(arity = "0..2", paramLabel = "FILE", description = "The old run, and the new one.")
  private List<Path> files = new ArrayList<>();

  @Option(
      names = "--within",
      paramLabel = "FILE",
      description = "Compare two implementations of this run.")
  private @Nullable Path within;

  @Option(names = "--old", paramLabel = "IMPL", description = "With --within: the old side.")
  private @Nullable String before;

  @Option(names = "--new", paramLabel = "IMPL", description = "With --within: the new side.")
  private @Nullable String after;

  @Option(
      names = "--samples",
      paramLabel = "KIND",
      defaultValue = "forks",
      description =
          "forks: a value is the mean of a fork; iterations: it is one iteration, which makes"
              + " chance look like proof where forks differ (${DEFAULT-VALUE}).")
  private String samples = "";

  @Option(
      names = "--alpha",
      paramLabel = "P",
      defaultValue = "0.05",
      description = "Changes with a p-value below it are significant (${DEFAULT-VALUE}).")
  private double alpha;

  @Option(
      names = "--allow-different",
      description = "Compare runs of different settings or machines all the same.")
  private boolean allowDifferent;

  @Option(names = "--json", paramLabel = "FILE", description = "Write the comparison as JSON.")
  private @Nullable Path json;

  CompareCommand(Screen screen) {
    this.screen = screen;
  }

  @Override
  public Integer call() {
    if (!(alpha > 0 && alpha < 1)) {
      throw new BadInputException("--alpha must be more than 0 and less than 1, not " + alpha);
    }
    OutputFile output = json != null ? OutputFile.of("--json", json) : null;
    RunStamp stamp = new RunStamp("compare", LatchkeyBench.typed(spec), false);
    Comparison comparison = comparison(SampleKind.of(samples));
    if (!comparison.differences().isEmpty()) {
      String differences =
          comparison.differences().entrySet().stream()
              .map(each -> each.getKey() + " " + each.getValue())
              .collect(Collectors.joining("; "));
      if (!allowDifferent) {
        throw new BadInputException(
            "the settings differ: "
                + differences
                + "; add --allow-different to compare all the same");
      }
      screen.err().println("warning: the settings differ: " + differences);
    }
    if (comparison.alone() > 0) {
      screen.err().println("left out: " + comparison.alone() + " results of one side only");
    }
    screen.err().flush();
    new CompareTables(screen, alpha).print(comparison);
    if (output != null) {
      JsonObject file = new JsonObject();
      stamp.addTo(file, List.of());
      file.addProperty("alpha", alpha);
      file.addProperty("samples", samples);
      file.add("tables", comparison.json(alpha));
      output.write(JsonFile.text(file));
    }
    return 0;
  }

  private Comparison comparison(SampleKind kind) {
    if (within != null) {
      if (!files.isEmpty()) {
        throw new BadInputException("--within takes the place of " + files.get(0) + ": name one");
      }
      if (before == null || after == null) {
        throw new BadInputException("--within " + within + " needs --old IMPL and --new IMPL");
      }
      return Comparison.within(within, before, after, kind);
    }
    if (before != null || after != null) {
      throw new BadInputException("--old and --new need --within FILE");
    }
    if (files.size() != 2) {
      throw new BadInputException(
          "two files are needed, the old run and the new one, not " + files.size());
    }
    return Comparison.ofFiles(files.get(0), files.get(1), kind);
  }
}
