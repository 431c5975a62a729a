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
import io.latchkey.bench.pool.Contestant;
import io.latchkey.bench.pool.PoolCell;
import io.latchkey.bench.pool.PoolResult;
import io.latchkey.bench.pool.PoolRun;
import io.latchkey.bench.pool.TaskKind;
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

/** {@code pool}: executors for loads. */
@Command(
    name = "pool",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measures what a task costs on an executor: the time from the first to the last task through"
          + " their number, and what all threads allocate for it. Submitters have so many tasks in"
          + " flight each: 1 is a hand-over and the way back, one after the other. Executors take"
          + " turns, a fresh JVM each.",
      "",
    },
    footer = {
      "",
      "thread and virtual start a thread for each task, virtual from JDK 21 on; tpe is a"
          + " ThreadPoolExecutor of so many workers before a queue, tpe-cached one without bounds.",
      "Bytes are told from JDK 21 on.",
      "",
      "Example: latchkey-bench pool --quick --task increment --submitters 1",
    })
final class PoolCommand implements Callable<Integer> {
  private final Screen screen;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--task",
      split = ",",
      paramLabel = "TASK",
      defaultValue = "increment,park-10us,park-1ms,close-socket",
      description = "What the tasks do (${DEFAULT-VALUE}).")
  private List<String> tasks = new ArrayList<>();

  @Option(
      names = "--submitters",
      split = ",",
      paramLabel = "N",
      defaultValue = "1,4,8",
      description = "Threads that submit tasks (${DEFAULT-VALUE}).")
  private List<Integer> submitters = new ArrayList<>();

  @Option(
      names = "--in-flight",
      split = ",",
      paramLabel = "N",
      defaultValue = "1,32",
      description = "Tasks of each submitter that are under way at once (${DEFAULT-VALUE}).")
  private List<Integer> inFlight = new ArrayList<>();

  @Option(
      names = "--executor",
      split = ",",
      paramLabel = "NAME",
      description =
          "The executors (thread,virtual,forkjoin,tpe,tpe-cached,loaderpool; those that this JDK"
              + " has).")
  private List<String> executors = new ArrayList<>();

  @Option(
      names = "--workers",
      paramLabel = "N",
      defaultValue = "256",
      description = "The most threads of forkjoin, tpe and loaderpool (${DEFAULT-VALUE}).")
  private int workers;

  @Option(
      names = "--time",
      paramLabel = "MS",
      description = "How long each is measured in each JVM, in milliseconds (250).")
  private @Nullable Integer time;

  @Option(names = "--forks", paramLabel = "N", description = "JVMs for each executor (7).")
  private @Nullable Integer forks;

  @Option(names = "--quick", description = "100 ms in 1 JVM: a first look only.")
  private boolean quick;

  @Option(names = "--json", paramLabel = "FILE", description = "Write the results as JSON.")
  private @Nullable Path json;

  PoolCommand(Screen screen) {
    this.screen = screen;
  }

  @Override
  public Integer call() {
    submitters.forEach(count -> require("--submitters", count, 64));
    inFlight.forEach(count -> require("--in-flight", count, 1024));
    require("--workers", workers, 10_000);
    int millis = time != null ? time : quick ? 100 : 250;
    require("--time", millis, 60_000);
    int jvms = forks != null ? forks : quick ? 1 : 7;
    require("--forks", jvms, 1000);
    List<TaskKind> kinds = tasks.stream().map(TaskKind::of).distinct().toList();
    List<Contestant> contestants =
        executors.isEmpty()
            ? List.of(Contestant.available())
            : executors.stream().map(Contestant::of).distinct().toList();
    PoolRun run = new PoolRun(contestants, cells(kinds), workers, millis, jvms);
    OutputFile output = json != null ? OutputFile.of("--json", json) : null;
    RunStamp stamp = new RunStamp("pool", LatchkeyBench.typed(spec), quick);
    screen.out().println("  machine  " + Machine.describe());
    if (quick) {
      screen.out().println("  quick    a first look: too little was measured to rely on it");
    }
    screen.out().flush();
    Warnings warnings = new Warnings(screen);
    List<PoolResult> results;
    try (Progress progress = screen.progress("measuring", "forks", run.jvms())) {
      results = run.run(progress);
    }
    warnings.end();
    warnings.checkSpreads(
        "time for a task", "forks", results.stream().map(PoolResult::nanosPerTask).toList());
    for (TaskKind kind : kinds) {
      print(kind, contestants, results);
    }
    if (output != null) {
      output.write(JsonFile.text(file(stamp, warnings, results, millis)));
    }
    return 0;
  }

  private static void require(String option, int value, int max) {
    if (value < 1 || value > max) {
      throw new BadInputException(option + " must be from 1 to " + max + ", not " + value);
    }
  }

  private List<PoolCell> cells(List<TaskKind> kinds) {
    List<PoolCell> cells = new ArrayList<>();
    for (TaskKind kind : kinds) {
      for (int flying : inFlight.stream().distinct().toList()) {
        for (int count : submitters.stream().distinct().toList()) {
          cells.add(new PoolCell(kind, count, flying));
        }
      }
    }
    return cells;
  }

  private void print(TaskKind kind, List<Contestant> contestants, List<PoolResult> all) {
    List<PoolResult> results = all.stream().filter(each -> each.cell().task() == kind).toList();
    print(
        kind.id() + ": microseconds for a task, median and range of the forks",
        contestants,
        results,
        PoolCommand::micros);
    if (results.stream().noneMatch(each -> each.bytesPerTask().isEmpty())) {
      print(
          kind.id() + ": bytes for a task, median of the forks",
          contestants,
          results,
          each -> Figures.decimal(Spread.of(each.bytesPerTask()).median()));
    }
  }

  private void print(
      String title,
      List<Contestant> contestants,
      List<PoolResult> results,
      Function<PoolResult, String> figure) {
    List<String> header = new ArrayList<>(List.of("submitters", "in flight"));
    contestants.forEach(each -> header.add(each.id()));
    Table table = new Table(header.toArray(String[]::new));
    for (int i = 0; i < results.size(); i += contestants.size()) {
      PoolCell cell = results.get(i).cell();
      List<String> row =
          new ArrayList<>(
              List.of(String.valueOf(cell.submitters()), String.valueOf(cell.inFlight())));
      results.subList(i, i + contestants.size()).forEach(each -> row.add(figure.apply(each)));
      table.row(row.toArray(String[]::new));
    }
    screen.out().println();
    screen.out().println(title);
    screen.print(table);
  }

  private static String micros(PoolResult result) {
    Spread spread = Spread.of(result.nanosPerTask());
    String median = Figures.decimal(spread.median() / 1e3);
    return spread.min() == spread.max()
        ? median
        : median
            + " ("
            + Figures.decimal(spread.min() / 1e3)
            + ".."
            + Figures.decimal(spread.max() / 1e3)
            + ")";
  }

  private JsonObject file(RunStamp stamp, Warnings warnings, List<PoolResult> results, int millis) {
    JsonArray all = new JsonArray();
    results.forEach(result -> all.add(result.json()));
    JsonObject file = new JsonObject();
    stamp.addTo(file, warnings.list());
    file.addProperty("workers", workers);
    file.addProperty("millis", millis);
    file.add("results", all);
    return file;
  }
}
