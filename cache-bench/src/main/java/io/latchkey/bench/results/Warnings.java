package io.latchkey.bench.results;

import io.latchkey.bench.console.Figures;
import io.latchkey.bench.console.Screen;
import io.latchkey.bench.console.Spread;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.DoubleSupplier;

/** Says when figures should not be relied on, to the user and in the file. */
public final class Warnings {
  private static final double WIDE = 0.1;

  /** Of all cores; what others may take before figures suffer. */
  private static final double BUSY = 0.1;

  private final Screen screen;
  private final DoubleSupplier load;
  private final List<String> warnings = new ArrayList<>();

  /** Starts with a look at how busy the machine is. */
  public Warnings(Screen screen) {
    this(screen, MachineLoad::now);
  }

  Warnings(Screen screen, DoubleSupplier load) {
    this.screen = screen;
    this.load = load;
    lookForLoad("before the run");
  }

  /** Looks once more, when the run has ended. */
  public void end() {
    lookForLoad("after the run");
  }

  private void lookForLoad(String when) {
    double share = load.getAsDouble();
    if (share > BUSY) {
      add("other work took " + Figures.percent(share) + " of the machine " + when);
    }
  }

  /** Warns if values that should be alike lie further than 10 % from their median. */
  public void checkSpread(String name, Collection<Double> values) {
    Spread spread = Spread.of(values);
    double width = width(spread);
    if (width > WIDE) {
      add(name + ": the forks differ by up to " + Figures.percent(width) + " from their median");
    }
  }

  /** Warns once of all figures of a kind whose values lie further than 10 % from their median. */
  public void checkSpreads(
      String kind, String repetitions, Collection<? extends Collection<Double>> figures) {
    long wide = figures.stream().filter(values -> width(Spread.of(values)) > WIDE).count();
    if (wide > 0) {
      add(
          kind
              + ": of "
              + wide
              + " in "
              + figures.size()
              + " figures the "
              + repetitions
              + " differ by more than "
              + Figures.percent(WIDE));
    }
  }

  private static double width(Spread spread) {
    double most = Math.max(spread.max() - spread.median(), spread.median() - spread.min());
    return spread.median() == 0 ? 0 : most / Math.abs(spread.median());
  }

  /** Warns of something else, in one line. */
  public void add(String warning) {
    warnings.add(warning);
    screen.err().println("warning: " + warning);
    screen.err().flush();
  }

  /** All warnings until now. */
  public List<String> list() {
    return List.copyOf(warnings);
  }
}
