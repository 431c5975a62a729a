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
import io.latchkey.bench.http.HandOffResult;
import io.latchkey.bench.http.HttpResult;
import io.latchkey.bench.http.HttpRun;
import io.latchkey.bench.http.ServerOptions;
import io.latchkey.bench.http.Target;
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

/** {@code http}: the server's throughput and round trips. */
@Command(
    name = "http",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measures a cache served over HTTP: responses per second with pipelined requests, and round"
          + " trips at a fixed rate. The server has a JVM of its own, fresh for each round; the"
          + " requests come from one thread of this one, over loopback. Servers take turns.",
      "",
    },
    footer = {
      "",
      "Targets: hit is one cached object, nowhere a path that there is not, miss an object that is"
          + " loaded anew each time.",
      "Round trips are measured from when a request was due, not from when it was sent, so that a"
          + " stall counts for all requests that it delays.",
      "",
      "Example: latchkey-bench http --transport nio,epoll --workers 1 --rate 20000",
    })
final class HttpCommand implements Callable<Integer> {
  private static final List<String> TRANSPORTS = List.of("nio", "epoll", "io_uring");
  private static final List<String> BUFFERS = List.of("adaptive", "pooled", "unpooled");
  private static final double[] PERCENTILES = {50, 90, 99, 99.9};

  private final Screen screen;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--target",
      split = ",",
      paramLabel = "TARGET",
      defaultValue = "hit,nowhere,miss",
      description = "What is asked for (${DEFAULT-VALUE}).")
  private List<String> targets = new ArrayList<>();

  @Option(
      names = "--transport",
      split = ",",
      paramLabel = "KIND",
      defaultValue = "nio,epoll,io_uring",
      description = "How the server waits for sockets (${DEFAULT-VALUE}).")
  private List<String> transports = new ArrayList<>();

  @Option(
      names = "--workers",
      split = ",",
      paramLabel = "N",
      defaultValue = "1,4",
      description = "Event loops of the server (${DEFAULT-VALUE}).")
  private List<Integer> workers = new ArrayList<>();

  @Option(
      names = "--buffers",
      split = ",",
      paramLabel = "KIND",
      defaultValue = "adaptive",
      description = "Any of adaptive, pooled, unpooled (${DEFAULT-VALUE}).")
  private List<String> buffers = new ArrayList<>();

  @Option(
      names = "--connections",
      paramLabel = "N",
      defaultValue = "100",
      description = "Connections (${DEFAULT-VALUE}).")
  private int connections;

  @Option(
      names = "--pipeline",
      paramLabel = "N",
      defaultValue = "16",
      description = "Requests under way on each (${DEFAULT-VALUE}).")
  private int depth;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "10000",
      description = "Requests a second of the round trips; 0 for none (${DEFAULT-VALUE}).")
  private int rate;

  @Option(
      names = "--value-size",
      paramLabel = "BYTES",
      defaultValue = "1024",
      description = "Size of the objects (${DEFAULT-VALUE}).")
  private int valueSize;

  @Option(
      names = "--hand-off",
      description =
          "Measure besides whether what another thread has loaded is better written by that thread"
              + " or by the event loop.")
  private boolean handOff;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "3",
      description = "Seconds that count, after as many that do not (${DEFAULT-VALUE}).")
  private double seconds;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "3",
      description = "Fresh JVMs for each server (${DEFAULT-VALUE}).")
  private int rounds;

  @Option(names = "--quick", description = "One round of a second each: a first look only.")
  private boolean quick;

  @Option(names = "--json", paramLabel = "FILE", description = "Write the results as JSON.")
  private @Nullable Path json;

  HttpCommand(Screen screen) {
    this.screen = screen;
  }

  @Override
  public Integer call() {
    HttpRun run = checked();
    OutputFile output = json != null ? OutputFile.of("--json", json) : null;
    RunStamp stamp = new RunStamp("http", LatchkeyBench.typed(spec), quick);
    screen.out().println("  machine  " + Machine.describe());
    if (quick) {
      screen.out().println("  quick    a first look: too little was measured to rely on it");
    }
    screen.out().flush();
    Warnings warnings = new Warnings(screen);
    List<HttpResult> results;
    try (Progress progress = screen.progress("measuring", "JVMs", run.jvms())) {
      results = run.run(progress);
    }
    List<HandOffResult> handOffs = handOff ? run.handOffs() : List.of();
    warnings.end();
    warnings.checkSpreads(
        "responses per second", "rounds", results.stream().map(HttpResult::perSecond).toList());
    run.targets().forEach(target -> print(target, results));
    print(handOffs);
    if (output != null) {
      output.write(JsonFile.text(file(stamp, warnings, results)));
    }
    return 0;
  }

  private HttpRun checked() {
    List<Target> asked = targets.stream().map(Target::of).distinct().toList();
    transports.forEach(kind -> requireOneOf("transport", kind, TRANSPORTS));
    buffers.forEach(kind -> requireOneOf("buffers", kind, BUFFERS));
    workers.forEach(count -> require("--workers", count, 1, 1024));
    require("--connections", connections, 1, 10_000);
    require("--pipeline", depth, 1, 128);
    require("--rate", rate, 0, 10_000_000);
    require("--value-size", valueSize, 0, 1 << 20);
    require("--rounds", rounds, 1, 1000);
    if (!(seconds > 0 && seconds <= 3600)) {
      throw new BadInputException("--seconds must be more than 0, up to 3600, not " + seconds);
    }
    List<ServerOptions> servers = new ArrayList<>();
    for (String transport : transports) {
      for (int count : workers) {
        for (String kind : buffers) {
          servers.add(new ServerOptions(transport, count, kind, valueSize));
        }
      }
    }
    return new HttpRun(
        servers, asked, connections, depth, rate, quick ? 1 : seconds, quick ? 1 : rounds);
  }

  private static void requireOneOf(String option, String value, List<String> known) {
    if (!known.contains(value)) {
      throw new BadInputException(
          "unknown " + option + " '" + value + "': use one of " + String.join(", ", known));
    }
  }

  private static void require(String option, int value, int min, int max) {
    if (value < min || value > max) {
      throw new BadInputException(
          option + " must be from " + min + " to " + max + ", not " + value);
    }
  }

  private void print(Target target, List<HttpResult> results) {
    Table table =
        new Table(
            "transport",
            "workers",
            "buffers",
            "responses/s",
            "min .. max",
            "CPUs",
            "p50",
            "p90",
            "p99",
            "p99.9",
            "max");
    for (HttpResult result : results) {
      if (result.target() == target) {
        String[] cells = new String[11];
        cells[0] = result.server().transport();
        cells[1] = "" + result.server().workers();
        cells[2] = result.server().buffers();
        cells[3] = whole(Spread.of(result.perSecond()).median());
        cells[4] = range(result.perSecond());
        cells[5] = Figures.decimal(Spread.of(result.busy()).median());
        boolean timed = result.roundTrips().getTotalCount() > 0;
        for (int i = 0; i < PERCENTILES.length; i++) {
          cells[6 + i] =
              timed
                  ? Figures.duration(result.roundTrips().getValueAtPercentile(PERCENTILES[i]))
                  : "-";
        }
        cells[10] = timed ? Figures.duration(result.roundTrips().getMaxValue()) : "-";
        table.row(cells);
      }
    }
    screen.out().println();
    screen
        .out()
        .println(
            target.label()
                + ": "
                + Figures.count(connections)
                + " connections, pipelines of "
                + depth
                + (rate > 0 ? "; round trips at " + Figures.count(rate) + " a second" : ""));
    screen.print(table);
  }

  private void print(List<HandOffResult> handOffs) {
    if (handOffs.isEmpty()) {
      return;
    }
    Table table = new Table("written by", "responses/s", "min .. max", "server's CPU a response");
    for (HandOffResult result : handOffs) {
      table.row(
          result.way(),
          whole(Spread.of(result.perSecond()).median()),
          range(result.perSecond()),
          Figures.duration(Math.round(Spread.of(result.cpuNanos()).median())));
    }
    screen.out().println();
    screen.out().println("hand-off: " + Figures.count(connections) + " connections");
    screen.print(table);
  }

  private static String whole(double value) {
    return Figures.count(Math.round(value));
  }

  private static String range(List<Double> values) {
    Spread spread = Spread.of(values);
    return spread.min() == spread.max() ? "" : whole(spread.min()) + " .. " + whole(spread.max());
  }

  private JsonObject file(RunStamp stamp, Warnings warnings, List<HttpResult> results) {
    JsonArray all = new JsonArray();
    results.forEach(result -> all.add(result.json()));
    JsonObject file = new JsonObject();
    stamp.addTo(file, warnings.list());
    file.addProperty("connections", connections);
    file.addProperty("pipeline", depth);
    file.addProperty("rate", rate);
    file.add("results", all);
    return file;
  }
}
