package io.latchkey.bench.jmh;

import io.latchkey.bench.console.BadInputException;
import io.latchkey.bench.console.FailedRunException;
import io.latchkey.bench.console.Progress;
import io.latchkey.bench.peers.Implementation;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Runs a grid. In each cell the implementations take turns, one fresh JVM each, as often as there
 * are forks, so that drift of the machine hits all alike; every other round goes backwards, so that
 * none always runs after the same other.
 */
public final class InterleavedRun {
  private static final long HEAP_MEGABYTES = 1024;
  private static final long BYTES_PER_ENTRY = 200;
  private static final long BYTES_PER_OBJECT = 64;

  /** A start-up iteration is one invocation, so there are more of them than of timed ones. */
  private static final int SINGLE_SHOTS = 10;

  private final Grid grid;
  private final Source source;
  private final Effort effort;
  private final ForkedJmh jmh;

  /**
   * Prepares a run.
   *
   * @param source where loads come from
   * @param log gets what JMH tells while it runs
   */
  public InterleavedRun(Grid grid, Source source, Effort effort, OutputStream log) {
    if (source.isOpened() && grid.cells().stream().anyMatch(cell -> cell.keys().collides())) {
      throw new BadInputException(
          "keys 'collide' are no numbers, which --storage " + source.url() + " needs: use others");
    }
    this.grid = grid;
    this.source = source;
    this.effort = effort;
    jmh = new ForkedJmh(log);
  }

  /** How many forks there are in all, which is what the progress counts. */
  public int forks() {
    return grid.round() * effort.forks();
  }

  /**
   * Measures; results are in the order of the grid.
   *
   * @throws FailedRunException if a benchmark failed, or JMH cannot run
   */
  public List<CellResult> run(Progress progress) {
    List<CellResult> results = new ArrayList<>();
    int done = 0;
    for (Cell cell : grid.cells()) {
      List<CellResult> inCell =
          grid.implementations(cell).stream().map(i -> new CellResult(cell, i)).toList();
      List<CellResult> backwards = new ArrayList<>(inCell);
      Collections.reverse(backwards);
      for (int fork = 0; fork < effort.forks(); fork++) {
        for (CellResult result : fork % 2 == 0 ? inCell : backwards) {
          Options options = options(cell, result.implementation());
          result.add(jmh.run(result.describe(), options).getBenchmarkResults());
          progress.stepTo(++done);
        }
      }
      results.addAll(inCell);
    }
    return results;
  }

  private Options options(Cell cell, Implementation implementation) {
    boolean startup = cell.mode() == BenchMode.STARTUP;
    String heap = heapMegabytes(cell) + "m";
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include("^" + Pattern.quote(cell.mode().benchmark().getName()) + "\\.")
            .param("implementation", implementation.id())
            .param("size", String.valueOf(cell.size()))
            .param("keys", cell.keys().id())
            .param("shape", cell.shape().id())
            .param("valueSize", String.valueOf(source.valueSize()))
            .param("latency", String.valueOf(source.latencyMicros()))
            .param("storage", source.url())
            .threads(cell.threads())
            .forks(1)
            .warmupIterations(effort.warmups() * (startup ? SINGLE_SHOTS : 1))
            .measurementIterations(effort.iterations() * (startup ? SINGLE_SHOTS : 1))
            .warmupTime(TimeValue.milliseconds(effort.time().toMillis()))
            .measurementTime(TimeValue.milliseconds(effort.time().toMillis()))
            .addProfiler(GCProfiler.class)
            .jvmArgsAppend("-Xms" + heap, "-Xmx" + heap)
            .shouldFailOnError(true);
    if (startup) {
      options.operationsPerInvocation(
          StartupBenchmark.operations(cell.size(), cell.shape(), cell.threads()));
    }
    return options.build();
  }

  /** Alike for all caches, with room for keys, values, caches and the keys' order. */
  private long heapMegabytes(Cell cell) {
    long entries = (long) cell.size() * cell.shape().caches(cell.threads());
    long bytesPerEntry = BYTES_PER_ENTRY + source.valueSize();
    long objects = cell.mode() == BenchMode.MIXED ? MixedBenchmark.OBJECTS_PER_ENTRY : 1;
    long bytes = entries * bytesPerEntry + cell.size() * objects * BYTES_PER_OBJECT;
    return HEAP_MEGABYTES + (bytes >> 20);
  }
}
