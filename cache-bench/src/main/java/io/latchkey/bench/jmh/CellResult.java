package io.latchkey.bench.jmh;

import io.latchkey.bench.peers.Implementation;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;

/** What was measured on one implementation in one cell, over all forks. */
public final class CellResult {
  private static final String ALLOCATED = "gc.alloc.rate.norm";

  private final Cell cell;
  private final Implementation implementation;
  private final List<BenchmarkResult> forks = new ArrayList<>();

  CellResult(Cell cell, Implementation implementation) {
    this.cell = cell;
    this.implementation = implementation;
  }

  void add(Collection<BenchmarkResult> fork) {
    forks.addAll(fork);
  }

  /** Where it was measured. */
  public Cell cell() {
    return cell;
  }

  /** What was measured. */
  public Implementation implementation() {
    return implementation;
  }

  /** Nanoseconds for a get, mean of all iterations of all forks. */
  public double nanos() {
    return merged().getPrimaryResult().getScore();
  }

  /** Half the width of the 99.9 % confidence interval, in nanoseconds; NaN if too few values. */
  public double error() {
    return merged().getPrimaryResult().getScoreError();
  }

  /** Nanoseconds for a get in each fork, in the order in which they ran. */
  public List<Double> nanosOfForks() {
    return forks.stream().map(fork -> fork.getPrimaryResult().getScore()).toList();
  }

  /** Bytes allocated for a get. */
  public double bytes() {
    return bytes(merged().getSecondaryResults().get(ALLOCATED));
  }

  private static double bytes(@Nullable Result<?> allocated) {
    return allocated == null ? Double.NaN : allocated.getScore();
  }

  /** Bytes allocated for a get in each fork, in the order in which they ran. */
  public List<Double> bytesOfForks() {
    return forks.stream().map(fork -> bytes(fork.getSecondaryResults().get(ALLOCATED))).toList();
  }

  /** The cell and the implementation in a few words. */
  public String describe() {
    return cell.describe() + ", " + implementation.id();
  }

  /** As JMH has it when the forks run one after the other. */
  RunResult merged() {
    return MergedForks.of(forks);
  }
}
