package io.latchkey.bench.demo;

import io.latchkey.bench.console.FailedRunException;
import io.latchkey.bench.console.Figures;
import io.latchkey.bench.console.Machine;
import io.latchkey.bench.console.Screen;
import io.latchkey.bench.console.Spread;
import io.latchkey.bench.console.Table;
import io.latchkey.bench.peers.Implementation;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/** Prints what the demonstration measured, and judges it. */
final class DemoReport {
  private final DemoSettings settings;
  private final Screen screen;
  private final List<Contender> contenders;
  private final Contender ours;

  DemoReport(DemoSettings settings, Screen screen, List<Contender> contenders) {
    this.settings = settings;
    this.screen = screen;
    this.contenders = contenders;
    this.ours =
        contenders.stream()
            .filter(contender -> contender.implementation() == Implementation.LATCHKEY)
            .findFirst()
            .orElseThrow();
  }

  void print(Workload workload, DemoStore store) {
    PrintWriter out = screen.out();
    out.println();
    out.println("  machine  " + Machine.describe());
    out.printf(
        "  store    %s, %s objects of %s bytes, %s%n",
        store.describe(),
        Figures.count(settings.objects()),
        Figures.count(settings.bytes()),
        origin(store));
    out.printf("  reads    %s%n", workload.describe());
    out.printf(
        "  caches   each may hold %s objects (%s of all); the map evicts first in, first out%n",
        Figures.count(settings.bound()),
        Figures.percent((double) settings.bound() / settings.objects()));
    out.println();
    out.printf(
        "%d threads read while a writer made %s updates; %d rounds in turn, medians:%n",
        settings.threads(),
        Figures.count(contenders.stream().mapToLong(c -> total(c, PhaseResult::updates)).sum()),
        ours.phases().size());
    out.println();
    screen.print(reads());
    out.println();
    out.printf(
        "%s callers at once for one cold object, whose load takes %s; %d rounds, medians:%n",
        Figures.count(settings.callers()),
        Figures.duration(settings.stampedeLatency().toNanos()),
        ours.stampedes().size());
    out.println();
    screen.print(stampedes());
    out.println();
    out.flush();
  }

  private String origin(DemoStore store) {
    return store.found() == 0 ? "created" : Figures.count(store.found()) + " found there";
  }

  private Table reads() {
    Table table =
        new Table(
            "read through",
            "reads/s",
            "/ ours",
            "min .. max",
            "cpu/read",
            "hits",
            "loads",
            "stale");
    for (Contender contender : contenders) {
      boolean direct = contender.implementation() == Implementation.DIRECT;
      long reads = total(contender, PhaseResult::reads);
      long loads = total(contender, PhaseResult::loads);
      Spread ratio = ratio(contender.phases(), ours.phases(), PhaseResult::throughput);
      table.row(
          contender.implementation().title(),
          count(spread(contender.phases(), PhaseResult::throughput).median()),
          contender == ours ? "1x" : Figures.ratio(ratio.median()),
          contender == ours ? "" : Figures.ratio(ratio.min()) + " .. " + Figures.ratio(ratio.max()),
          Figures.duration(
              (long) spread(contender.phases(), PhaseResult::cpuNanosOfARead).median()),
          direct ? "-" : Figures.percent(1 - (double) loads / reads),
          Figures.count(loads),
          Figures.count(total(contender, PhaseResult::stale)));
    }
    return table;
  }

  private Table stampedes() {
    Table table =
        new Table("asked through", "loads", "last caller served after", "/ ours", "after the load");
    for (Contender contender : contenders) {
      List<StampedeResult> stampedes = contender.stampedes();
      Spread loads = spread(stampedes, StampedeResult::loads);
      Spread ratio = ratio(stampedes, ours.stampedes(), StampedeResult::lastNanos);
      table.row(
          contender.implementation().title(),
          count(loads.min()) + (loads.min() < loads.max() ? " .. " + count(loads.max()) : ""),
          Figures.duration((long) spread(stampedes, StampedeResult::lastNanos).median()),
          contender == ours ? "1x" : Figures.ratio(ratio.median()),
          Figures.duration((long) spread(stampedes, StampedeResult::wakeNanos).median()));
    }
    return table;
  }

  /** Says that ours was fresh and loaded once, or throws. */
  void verdict() {
    long stale =
        total(ours, PhaseResult::stale)
            + ours.stampedes().stream().mapToLong(StampedeResult::stale).sum();
    long reads = total(ours, PhaseResult::reads);
    if (stale > 0) {
      throw new FailedRunException(
          "Latchkey let " + stale + " stale objects be read in " + reads + " reads");
    }
    Spread loads = spread(ours.stampedes(), StampedeResult::loads);
    if (loads.min() != 1 || loads.max() != 1) {
      throw new FailedRunException(
          "Latchkey loaded the object of a stampede "
              + count(loads.max() != 1 ? loads.max() : loads.min())
              + " times instead of once");
    }
    screen
        .out()
        .printf(
            "No stale object was read through Latchkey: each of %s reads was compared with the%n"
                + "version that was acknowledged before it began.%n",
            Figures.count(reads));
    screen.out().flush();
  }

  private static String count(double wholeNumber) {
    return Figures.count(Math.round(wholeNumber));
  }

  private static long total(Contender contender, ToLongFunction<PhaseResult> figure) {
    return contender.phases().stream().mapToLong(figure).sum();
  }

  private static <T> Spread spread(List<T> rounds, ToDoubleFunction<T> figure) {
    return Spread.of(rounds.stream().map(figure::applyAsDouble).toList());
  }

  /** Round by round, so that drift of the machine cancels out. */
  private static <T> Spread ratio(List<T> theirs, List<T> ours, ToDoubleFunction<T> figure) {
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < theirs.size(); round++) {
      ratios.add(figure.applyAsDouble(theirs.get(round)) / figure.applyAsDouble(ours.get(round)));
    }
    return Spread.of(ratios);
  }
}
