package io.latchkey.bench;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.latchkey.bench.console.BadInputException;
import io.latchkey.bench.console.Figures;
import io.latchkey.bench.console.Machine;
import io.latchkey.bench.console.OutputFile;
import io.latchkey.bench.console.Progress;
import io.latchkey.bench.console.Screen;
import io.latchkey.bench.console.Spread;
import io.latchkey.bench.console.Table;
import io.latchkey.bench.forks.FreshJvm;
import io.latchkey.bench.neighbour.DelayProbe;
import io.latchkey.bench.neighbour.Work;
import io.latchkey.bench.peers.Implementation;
import io.latchkey.bench.results.JsonFile;
import io.latchkey.bench.results.RunStamp;
import io.latchkey.bench.results.Warnings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code neighbour}: what a slow load delays. */
@Command(
    name = "neighbour",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measures what a slow load delays that has nothing to do with it. While one thread loads a"
          + " key, another one gets or removes a key of the same hash, removes the loading key, or"
          + " inserts 20,000 keys into a cache bounded to 1,000. Each cache is measured in fresh"
          + " JVMs, in turn; the median is shown. It waited if the load was over before it ended.",
      "",
    },
    footer = {"", "Example: latchkey-bench neighbour --impl latchkey,caffeine"})
final class NeighbourCommand implements Callable<Integer> {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final int MAX_LOAD = 10_000;

  private final Screen screen;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--impl",
      split = ",",
      paramLabel = "IMPL",
      defaultValue = "latchkey,caffeine,cache2k,guava,chm,chm-future",
      description = "The caches, any that run takes (${DEFAULT-VALUE}).")
  private List<String> implementations = new ArrayList<>();

  @Option(
      names = "--load",
      paramLabel = "MS",
      defaultValue = "500",
      description = "How long the slow load takes, in milliseconds (${DEFAULT-VALUE}).")
  private int loadMillis;

  @Option(names = "--forks", paramLabel = "N", description = "JVMs for each cache (5).")
  private @Nullable Integer forks;

  @Option(names = "--quick", description = "1 JVM for each cache: a first look only.")
  private boolean quick;

  @Option(names = "--json", paramLabel = "FILE", description = "Write the results as JSON.")
  private @Nullable Path json;

  NeighbourCommand(Screen screen) {
    this.screen = screen;
  }

  @Override
  public Integer call() {
    if (loadMillis < 1 || loadMillis > MAX_LOAD) {
      throw new BadInputException("--load must be from 1 to " + MAX_LOAD + ", not " + loadMillis);
    }
    int jvms = forks != null ? forks : quick ? 1 : 5;
    if (jvms < 1 || jvms > 1000) {
      throw new BadInputException("--forks must be from 1 to 1000, not " + jvms);
    }
    List<Implementation> caches =
        implementations.stream().map(Implementation::of).distinct().toList();
    OutputFile output = json != null ? OutputFile.of("--json", json) : null;
    RunStamp stamp = new RunStamp("neighbour", LatchkeyBench.typed(spec), quick);
    screen.out().println("  machine  " + Machine.describe());
    if (quick) {
      screen.out().println("  quick    a first look: too little was measured to rely on it");
    }
    screen.out().flush();
    Warnings warnings = new Warnings(screen);
    List<JsonObject> rounds = new ArrayList<>();
    try (Progress progress = screen.progress("measuring", "forks", (long) jvms * caches.size())) {
      for (int fork = 0; fork < jvms; fork++) {
        for (Implementation cache : caches) {
          rounds.add(measure(cache));
          progress.stepTo(rounds.size());
        }
      }
    }
    warnings.end();
    JsonArray results = print(caches, rounds);
    if (output != null) {
      JsonObject file = new JsonObject();
      stamp.addTo(file, warnings.list());
      file.addProperty("loadMillis", loadMillis);
      file.add("results", results);
      output.write(JsonFile.text(file));
    }
    return 0;
  }

  private JsonObject measure(Implementation cache) {
    FreshJvm jvm =
        new FreshJvm("neighbour of " + cache.id(), DelayProbe.class, List.of(), PATIENCE);
    return jvm.run(List.of(cache.id(), String.valueOf(loadMillis)));
  }

  /** Prints medians, and returns all values for the file. */
  private JsonArray print(List<Implementation> caches, List<JsonObject> rounds) {
    JsonArray results = new JsonArray();
    for (Work work : Work.values()) {
      Table table = new Table("implementation", "median", "min .. max", "waited");
      for (int place = 0; place < caches.size(); place++) {
        List<Double> nanos = new ArrayList<>();
        int waited = 0;
        for (int round = place; round < rounds.size(); round += caches.size()) {
          JsonObject outcome = rounds.get(round).getAsJsonObject(work.id());
          nanos.add(outcome.get("nanos").getAsDouble());
          waited += outcome.get("loadOver").getAsBoolean() ? 1 : 0;
        }
        String id = caches.get(place).id();
        Spread spread = Spread.of(nanos);
        table.row(
            id,
            duration(spread.median()),
            spread.min() == spread.max()
                ? ""
                : duration(spread.min()) + " .. " + duration(spread.max()),
            waited + " of " + nanos.size());
        results.add(result(work, id, nanos, waited));
      }
      screen.out().println();
      screen.out().println(work.title() + ", beside a load of " + loadMillis + " ms");
      screen.print(table);
    }
    return results;
  }

  private static JsonObject result(
      Work work, String implementation, List<Double> nanos, int waited) {
    JsonObject result = new JsonObject();
    result.addProperty("work", work.id());
    result.addProperty("implementation", implementation);
    JsonArray all = new JsonArray();
    nanos.forEach(all::add);
    result.add("nanos", all);
    result.addProperty("waited", waited);
    return result;
  }

  private static String duration(double nanos) {
    return Figures.duration(Math.round(nanos));
  }
}
