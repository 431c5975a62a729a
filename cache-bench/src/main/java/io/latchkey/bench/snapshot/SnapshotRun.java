package io.latchkey.bench.snapshot;

import io.latchkey.bench.console.BadInputException;
import io.latchkey.bench.console.FailedRunException;
import io.latchkey.bench.console.Progress;
import io.latchkey.bench.jmh.Effort;
import io.latchkey.bench.jmh.ForkedJmh;
import io.latchkey.bench.jmh.MergedForks;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** Measures snapshot reads and commits; the caches take turns in each cell, a fresh JVM each. */
public final class SnapshotRun {
  private static final int MAX_SIZE = 1 << 24;
  private static final int MAX_CHANGED = 1 << 20;

  /** Keys that are changed in one shot, so that a shot of small commits is long enough. */
  private static final int KEYS_A_SHOT = 20_000;

  private final List<Cell> cells;
  private final Effort effort;
  private final ForkedJmh jmh;

  /**
   * What is measured.
   *
   * @param mode {@code hit}, {@code nohit} or {@code commit}
   * @param size cached objects
   * @param changed keys of a commit; 0 in the other modes
   */
  public record Cell(String mode, int size, int changed) {
    private List<SnapshotReader.Kind> caches() {
      return List.of(SnapshotReader.Kind.values());
    }

    /** The cell in a few words. */
    public String describe() {
      String objects = mode + ", " + size + " objects";
      return changed == 0 ? objects : objects + ", " + changed + " changed";
    }
  }

  /**
   * What came out for one cell.
   *
   * @param nanos nanoseconds for a read or a commit, of each fork, by cache
   * @param results as JMH has them
   */
  public record Outcome(Cell cell, Map<String, List<Double>> nanos, List<RunResult> results) {}

  /**
   * Prepares a run.
   *
   * @param log gets what JMH tells while it runs
   */
  public SnapshotRun(List<Cell> cells, Effort effort, OutputStream log) {
    for (Cell cell : cells) {
      if (!List.of("hit", "nohit", "commit").contains(cell.mode)) {
        throw new BadInputException(
            "unknown mode '" + cell.mode + "' in --mode: use hit, nohit, commit");
      }
      require("--size", cell.size, 1, MAX_SIZE);
      if (cell.mode.equals("commit")) {
        require("--changed", cell.changed, 1, MAX_CHANGED);
        if (cell.changed > cell.size) {
          throw new BadInputException(
              "--changed "
                  + cell.changed
                  + " is more than the "
                  + cell.size
                  + " objects of --commit-size");
        }
      }
    }
    this.cells = List.copyOf(cells);
    this.effort = effort;
    jmh = new ForkedJmh(log);
  }

  private static void require(String option, int value, int min, int max) {
    if (value < min || value > max) {
      throw new BadInputException(
          option + " must be from " + min + " to " + max + ", not " + value);
    }
  }

  /** How many forks there are in all, which is what the progress counts. */
  public int forks() {
    return cells.stream().mapToInt(cell -> cell.caches().size()).sum() * effort.forks();
  }

  /**
   * Measures; outcomes are in the order of the cells.
   *
   * @throws FailedRunException if a benchmark failed, or JMH cannot run
   */
  public List<Outcome> run(Progress progress) {
    List<Outcome> outcomes = new ArrayList<>();
    int done = 0;
    for (Cell cell : cells) {
      Map<SnapshotReader.Kind, List<BenchmarkResult>> forks = new LinkedHashMap<>();
      List<SnapshotReader.Kind> turns = new ArrayList<>(cell.caches());
      turns.forEach(kind -> forks.put(kind, new ArrayList<>()));
      for (int fork = 0; fork < effort.forks(); fork++) {
        for (SnapshotReader.Kind kind : turns) {
          forks.computeIfAbsent(kind, same -> new ArrayList<>()).addAll(fork(cell, kind));
          progress.stepTo(++done);
        }
        Collections.reverse(turns);
      }
      Map<String, List<Double>> nanos = new LinkedHashMap<>();
      List<RunResult> results = new ArrayList<>();
      forks.forEach(
          (kind, found) -> {
            double operations = cell.mode.equals("commit") ? commits(cell, kind) : 1;
            nanos.put(
                kind.id(),
                found.stream()
                    .map(result -> result.getPrimaryResult().getScore() / operations)
                    .toList());
            results.add(MergedForks.of(found));
          });
      outcomes.add(new Outcome(cell, nanos, results));
    }
    return outcomes;
  }

  /** Commits in one shot. A cache that scans gets one, as it takes long enough. */
  private static int commits(Cell cell, SnapshotReader.Kind kind) {
    int keys = Math.min(KEYS_A_SHOT, cell.size / 2); // not the same one twice
    return kind == SnapshotReader.Kind.CAFFEINE ? 1 : Math.max(1, keys / cell.changed);
  }

  private List<BenchmarkResult> fork(Cell cell, SnapshotReader.Kind kind) {
    boolean commit = cell.mode.equals("commit");
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include("^" + Pattern.quote(SnapshotBenchmark.class.getName() + "." + cell.mode) + "$")
            .param("cache", kind.id())
            .param("size", String.valueOf(cell.size))
            .forks(1)
            .warmupIterations(commit ? effort.warmups() * 3 : effort.warmups())
            .measurementIterations(commit ? effort.iterations() * 3 : effort.iterations())
            .warmupTime(TimeValue.milliseconds(effort.time().toMillis()))
            .measurementTime(TimeValue.milliseconds(effort.time().toMillis()))
            .jvmArgsAppend("-Xms2g", "-Xmx2g")
            .shouldFailOnError(true);
    if (commit) {
      options
          .param("changed", String.valueOf(cell.changed))
          .param("commits", String.valueOf(commits(cell, kind)));
    }
    RunResult result = jmh.run(kind.id() + ", " + cell.describe(), options.build());
    return List.copyOf(result.getBenchmarkResults());
  }
}
