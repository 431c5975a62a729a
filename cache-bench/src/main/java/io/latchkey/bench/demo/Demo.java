package io.latchkey.bench.demo;

import io.latchkey.bench.console.FailedRunException;
import io.latchkey.bench.console.Progress;
import io.latchkey.bench.console.Screen;
import io.latchkey.bench.keys.Permutation;
import io.latchkey.bench.keys.Trace;
import io.latchkey.bench.peers.Implementation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs the demonstration from the store's creation to the report. */
public final class Demo {
  private static final int ROUNDS = 8;
  private static final int MAX_PASSES = 16;
  private static final int STAMPEDES = 5;
  private static final long MAX_WARM_UP_NANOS = TimeUnit.MILLISECONDS.toNanos(1500);
  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  private static final List<Implementation> CONTENDERS =
      List.of(
          Implementation.DIRECT,
          Implementation.CHM_FUTURE,
          Implementation.CAFFEINE,
          Implementation.LATCHKEY);

  private final DemoSettings settings;
  private final Screen screen;
  private final Workload workload;

  private Demo(DemoSettings settings, Screen screen) {
    this.settings = settings;
    this.screen = screen;
    Trace trace = settings.trace();
    this.workload =
        trace != null
            ? new TraceWorkload(trace, settings.traceName(), settings.seed())
            : new ZipfWorkload(
                settings.objects(), settings.skew(), settings.threads(), settings.seed());
  }

  /**
   * Runs it and prints the report.
   *
   * @throws io.latchkey.bench.console.BadInputException if the file cannot be used as a store
   * @throws FailedRunException if a storage or a cache failed, if Latchkey let a stale object be
   *     read, or if it loaded the object of a stampede other than once
   */
  public static void run(DemoSettings settings, Screen screen) {
    new Demo(settings, screen).run();
  }

  private void run() {
    try (DemoStore store = DemoStore.open(settings)) {
      Versions versions;
      try (Progress progress =
          screen.progress("filling the store", "objects", settings.objects())) {
        versions = store.fill(settings.objects(), settings.bytes(), progress);
      }
      List<Contender> contenders = new ArrayList<>();
      try {
        for (Implementation implementation : CONTENDERS) {
          contenders.add(new Contender(implementation, store.storage(), settings.bound()));
        }
        measureReads(contenders, versions);
        measureStampedes(contenders, versions);
      } finally {
        contenders.forEach(Contender::close);
      }
      DemoReport report = new DemoReport(settings, screen, contenders);
      report.print(workload, store);
      report.verdict();
    }
  }

  /** A warm-up that does not count, then rounds in which each contender has its turn. */
  private void measureReads(List<Contender> contenders, Versions versions) {
    long each = settings.measured().toNanos();
    long warmUp = Math.min(MAX_WARM_UP_NANOS, each / 4);
    long total = contenders.size() * (warmUp + each);
    try (Progress progress =
        screen.progress(
            "reading, caches in turn", "s", TimeUnit.SECONDS.toMillis(1), total / MILLI)) {
      Clock clock = new Clock(progress);
      double secondsOfAPass = 0;
      for (Contender contender : contenders) {
        PhaseResult result = phase(contender, 0, versions, warmUp, clock);
        secondsOfAPass += workload.length() / result.throughput();
      }
      int rounds = workload.finite() ? passes(secondsOfAPass, contenders.size()) : ROUNDS;
      long longest = workload.finite() ? Long.MAX_VALUE : each / ROUNDS;
      for (int round = 1; round <= rounds; round++) {
        for (Contender contender : contenders) {
          contender.phases().add(phase(contender, round, versions, longest, clock));
        }
      }
      progress.stepTo(total / MILLI);
    }
  }

  private PhaseResult phase(
      Contender contender, int round, Versions versions, long nanos, Clock clock) {
    PhaseResult result =
        ReadPhase.run(contender, workload, round, versions, settings, nanos, clock::show);
    clock.ended(result.nanos());
    return result;
  }

  /** As many passes of a trace as fit into the time asked for, at least one. */
  private int passes(double secondsOfAPass, int contenders) {
    double budget = settings.measured().toNanos() / 1e9 * contenders;
    return (int) Math.max(1, Math.min(MAX_PASSES, budget / secondsOfAPass));
  }

  private void measureStampedes(List<Contender> contenders, Versions versions) {
    int[] objects = Permutation.of(settings.objects(), settings.seed());
    int done = 0;
    try (Progress progress =
        screen.progress(
            "asking for a cold object", "stampedes", (long) STAMPEDES * contenders.size())) {
      for (int round = 0; round < STAMPEDES; round++) {
        int object = objects[round % objects.length];
        for (Contender contender : contenders) {
          contender.beginPhase(versions);
          contender.endPhase(versions);
          contender.stampedes().add(Stampede.run(contender, object, versions, settings));
          progress.stepTo(++done);
        }
      }
    }
  }

  /** Adds up the phases for the progress display, in milliseconds. */
  private static final class Clock {
    private final Progress progress;
    private long before;

    Clock(Progress progress) {
      this.progress = progress;
    }

    void show(long nanosOfPhase) {
      progress.stepTo((before + nanosOfPhase) / MILLI);
    }

    void ended(long nanosOfPhase) {
      before += nanosOfPhase;
      show(0);
    }
  }
}
