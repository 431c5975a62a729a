package io.latchkey.bench.jmh;

import io.latchkey.bench.console.BadInputException;
import io.latchkey.bench.console.FailedRunException;
import io.latchkey.bench.console.Progress;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** Runs a binary and a linear search in turn, a fresh JVM each, for every length and cut. */
public final class ExpirySearchRun {
  private static final int MAX_LENGTH = 1 << 24;
  private static final List<String> SEARCHES = List.of("binary", "linear");

  private final Class<?> benchmark;
  private final List<Integer> lengths;
  private final List<Integer> cuts;
  private final Effort effort;
  private final ForkedJmh jmh;

  /**
   * What was measured at one length and cut.
   *
   * @param length of the queue
   * @param cut percentage that is expired
   * @param binary nanoseconds of a binary search in each fork
   * @param linear nanoseconds of a linear search in each fork, in pairs with the binary ones
   * @param results of both as JMH has them
   */
  public record Pair(
      int length, int cut, List<Double> binary, List<Double> linear, List<RunResult> results) {
    /** The cell in a few words. */
    public String describe() {
      return length + " entries, " + cut + " % expired";
    }
  }

  /**
   * Prepares a run.
   *
   * @param benchmark has the methods {@code binary} and {@code linear}, with the parameters {@code
   *     length} and {@code cut}
   * @param option what the lengths are called on the command line
   * @param lengths of the queue, each 2 or more
   * @param cuts percentages of it that are expired, from 1 to 99
   * @param log gets what JMH tells while it runs
   */
  public ExpirySearchRun(
      Class<?> benchmark,
      String option,
      List<Integer> lengths,
      List<Integer> cuts,
      Effort effort,
      OutputStream log) {
    lengths.forEach(length -> require(option, length, 2, MAX_LENGTH));
    cuts.forEach(cut -> require("--cut", cut, 1, 99));
    this.benchmark = benchmark;
    this.lengths = List.copyOf(lengths);
    this.cuts = List.copyOf(cuts);
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
    return lengths.size() * cuts.size() * SEARCHES.size() * effort.forks();
  }

  /**
   * Measures; results are in order of length and cut.
   *
   * @throws FailedRunException if a benchmark failed, or JMH cannot run
   */
  public List<Pair> run(Progress progress) {
    List<Pair> pairs = new ArrayList<>();
    int done = 0;
    for (int length : lengths) {
      for (int cut : cuts) {
        List<BenchmarkResult> binary = new ArrayList<>();
        List<BenchmarkResult> linear = new ArrayList<>();
        for (int fork = 0; fork < effort.forks(); fork++) {
          for (int turn = 0; turn < 2; turn++) {
            boolean first = (fork + turn) % 2 == 0;
            (first ? binary : linear).addAll(fork(SEARCHES.get(first ? 0 : 1), length, cut));
            progress.stepTo(++done);
          }
        }
        pairs.add(
            new Pair(
                length,
                cut,
                nanos(binary),
                nanos(linear),
                List.of(MergedForks.of(binary), MergedForks.of(linear))));
      }
    }
    return pairs;
  }

  private static List<Double> nanos(List<BenchmarkResult> forks) {
    return forks.stream().map(fork -> fork.getPrimaryResult().getScore()).toList();
  }

  private List<BenchmarkResult> fork(String search, int length, int cut) {
    RunResult result =
        jmh.run(
            search + " search, " + length + " entries",
            new OptionsBuilder()
                .include("^" + Pattern.quote(benchmark.getName() + "." + search))
                .param("length", String.valueOf(length))
                .param("cut", String.valueOf(cut))
                .forks(1)
                .warmupIterations(effort.warmups())
                .measurementIterations(effort.iterations())
                .warmupTime(TimeValue.milliseconds(effort.time().toMillis()))
                .measurementTime(TimeValue.milliseconds(effort.time().toMillis()))
                .shouldFailOnError(true)
                .build());
    return List.copyOf(result.getBenchmarkResults());
  }
}
