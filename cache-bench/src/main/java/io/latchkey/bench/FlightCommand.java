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
import io.latchkey.bench.flight.Callers;
import io.latchkey.bench.flight.FlightResult;
import io.latchkey.bench.flight.FlightRun;
import io.latchkey.bench.peers.Implementation;
import io.latchkey.bench.results.JsonFile;
import io.latchkey.bench.results.RunStamp;
import io.latchkey.bench.results.Warnings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code flight}: many callers, one load. */
@Command(
    name = "flight",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measures the stampede: callers ask for one cold object, and its load is held until all of"
          + " them wait. Then it ends, and it is measured how long it takes until the caller that"
          + " loaded has the object (leader), until the last caller has it, and what a waiting"
          + " caller allocates. Caches take turns, a fresh JVM each.",
      "",
    },
    footer = {
      "",
      "With virtual threads the bytes are those of all threads through the number of waiting"
          + " callers, and include what the JVM copies of their stacks, alike for all caches.",
      "chm-future, chm-task and chm-latch have a CompletableFuture, a FutureTask or a"
          + " CountDownLatch per entry.",
      "",
      "Example: latchkey-bench flight --callers 64 --impl latchkey,chm-future",
    })
final class FlightCommand implements Callable<Integer> {
  private static final int MAX_CALLERS = 10_000;
  private static final int MAX_ROUNDS = 100_000;

  private final Screen screen;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--callers",
      split = ",",
      paramLabel = "N",
      defaultValue = "1,4,16,64,512",
      description = "Callers of one object (${DEFAULT-VALUE}).")
  private List<Integer> callers = new ArrayList<>();

  @Option(
      names = "--threads",
      paramLabel = "KIND",
      defaultValue = "platform",
      description = "platform or, from JDK 21 on, virtual (${DEFAULT-VALUE}).")
  private String threads = "";

  @Option(
      names = "--fresh",
      description =
          "Callers use the cache for the first time. Without it each has loaded an object of its own"
              + " before, as threads of a pool have, so that what a cache keeps for each thread is"
              + " there already.")
  private boolean fresh;

  @Option(
      names = "--impl",
      split = ",",
      paramLabel = "IMPL",
      defaultValue = "latchkey,chm-future,chm-task,chm-latch,caffeine,cache2k,guava",
      description = "The caches, any that run takes (${DEFAULT-VALUE}).")
  private List<String> implementations = new ArrayList<>();

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Objects that count in each JVM, after as many that do not (50).")
  private @Nullable Integer rounds;

  @Option(names = "--forks", paramLabel = "N", description = "JVMs for each cache (5).")
  private @Nullable Integer forks;

  @Option(names = "--quick", description = "10 rounds in 1 JVM: a first look only.")
  private boolean quick;

  @Option(names = "--json", paramLabel = "FILE", description = "Write the results as JSON.")
  private @Nullable Path json;

  FlightCommand(Screen screen) {
    this.screen = screen;
  }

  @Override
  public Integer call() {
    callers.forEach(count -> require("--callers", count, MAX_CALLERS));
    int count = rounds != null ? rounds : quick ? 10 : 50;
    require("--rounds", count, MAX_ROUNDS);
    int jvms = forks != null ? forks : quick ? 1 : 5;
    require("--forks", jvms, 1000);
    FlightRun run = new FlightRun(caches(), callers, Callers.of(threads), fresh, count, jvms);
    OutputFile output = json != null ? OutputFile.of("--json", json) : null;
    RunStamp stamp = new RunStamp("flight", LatchkeyBench.typed(spec), quick);
    screen.out().println("  machine  " + Machine.describe());
    if (quick) {
      screen.out().println("  quick    a first look: too little was measured to rely on it");
    }
    screen.out().flush();
    Warnings warnings = new Warnings(screen);
    List<FlightResult> results;
    try (Progress progress = screen.progress("measuring", "forks", run.jvms())) {
      results = run.run(progress);
    }
    warnings.end();
    warnings.checkSpreads(
        "time to the last caller", "forks", results.stream().map(FlightResult::lastNanos).toList());
    print(results);
    if (output != null) {
      output.write(JsonFile.text(file(stamp, warnings, results, count)));
    }
    return 0;
  }

  private static void require(String option, int value, int max) {
    if (value < 1 || value > max) {
      throw new BadInputException(option + " must be from 1 to " + max + ", not " + value);
    }
  }

  private List<Implementation> caches() {
    List<Implementation> caches =
        implementations.stream().map(Implementation::of).distinct().toList();
    if (caches.contains(Implementation.DIRECT)) {
      throw new BadInputException("implementation 'direct' caches nothing: leave it out");
    }
    return caches;
  }

  private void print(List<FlightResult> results) {
    for (int count : callers.stream().distinct().toList()) {
      Table table =
          new Table(
              "implementation", "loads", "leader", "last caller", "min .. max", "bytes/waiter");
      for (FlightResult result : results) {
        if (result.callers() == count) {
          table.row(
              result.implementation().id(),
              String.valueOf(result.loads()),
              median(result.leaderNanos(), FlightCommand::duration),
              median(result.lastNanos(), FlightCommand::duration),
              range(result.lastNanos()),
              median(result.bytesPerWaiter(), Figures::decimal));
        }
      }
      screen.out().println();
      screen
          .out()
          .println(
              Figures.count(count)
                  + (count == 1 ? " caller, " : " callers, ")
                  + (fresh ? "fresh " : "")
                  + threads
                  + " threads");
      screen.print(table);
    }
  }

  private static String duration(double nanos) {
    return Figures.duration(Math.round(nanos));
  }

  private static String median(List<Double> values, Function<Double, String> figure) {
    return values.isEmpty() ? "-" : figure.apply(Spread.of(values).median());
  }

  private static String range(List<Double> values) {
    Spread spread = Spread.of(values);
    return spread.min() == spread.max()
        ? ""
        : duration(spread.min()) + " .. " + duration(spread.max());
  }

  private JsonObject file(
      RunStamp stamp, Warnings warnings, List<FlightResult> results, int count) {
    JsonArray all = new JsonArray();
    results.forEach(result -> all.add(result.json()));
    JsonObject file = new JsonObject();
    stamp.addTo(file, warnings.list());
    file.addProperty("threads", threads);
    file.addProperty("fresh", fresh);
    file.addProperty("rounds", count);
    file.add("results", all);
    return file;
  }
}
