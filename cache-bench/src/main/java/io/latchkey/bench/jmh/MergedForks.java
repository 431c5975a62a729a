package io.latchkey.bench.jmh;

import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.WorkloadParams;

/** Forks that ran between others, as JMH has them when they run one after the other. */
public final class MergedForks {
  private MergedForks() {}

  /** One result of several forks. */
  public static RunResult of(List<BenchmarkResult> forks) {
    return new RunResult(withForks(forks.get(0).getParams(), forks.size()), forks);
  }

  /** JMH was told to run one fork at a time; its result file should tell how many there were. */
  private static BenchmarkParams withForks(BenchmarkParams one, int forks) {
    WorkloadParams parameters = new WorkloadParams();
    int position = 0;
    for (String key : one.getParamsKeys()) {
      parameters.put(key, one.getParam(key), position++);
    }
    return new BenchmarkParams(
        one.getBenchmark(),
        one.generatedBenchmark(),
        one.shouldSynchIterations(),
        one.getThreads(),
        one.getThreadGroups(),
        one.getThreadGroupLabels(),
        forks,
        one.getWarmupForks(),
        one.getWarmup(),
        one.getMeasurement(),
        one.getMode(),
        parameters,
        one.getTimeUnit(),
        one.getOpsPerInvocation(),
        one.getJvm(),
        one.getJvmArgs(),
        one.getJdkVersion(),
        one.getVmName(),
        one.getVmVersion(),
        one.getJmhVersion(),
        one.getTimeout());
  }
}
