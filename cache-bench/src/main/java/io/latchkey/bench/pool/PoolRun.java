package io.latchkey.bench.pool;

import com.google.gson.JsonArray;
import io.latchkey.bench.console.Progress;
import io.latchkey.bench.forks.FreshJvm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Measures executors: they take turns, a fresh JVM each, as often as there are forks, every other
 * round backwards.
 */
public final class PoolRun {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final List<Contestant> contestants;
  private final List<PoolCell> cells;
  private final int workers;
  private final int millis;
  private final int forks;

  /**
   * Prepares a run.
   *
   * @param workers the most threads of a contestant that has a bound
   * @param millis how long each cell is measured in each fork
   * @param forks JVMs for each contestant
   */
  public PoolRun(
      List<Contestant> contestants, List<PoolCell> cells, int workers, int millis, int forks) {
    this.contestants = List.copyOf(contestants);
    this.cells = List.copyOf(cells);
    this.workers = workers;
    this.millis = millis;
    this.forks = forks;
  }

  /** How many JVMs there are in all, which is what the progress counts. */
  public int jvms() {
    return contestants.size() * forks;
  }

  /** Measures; results are in the order of the cells, then of the contestants. */
  public List<PoolResult> run(Progress progress) {
    List<PoolResult> results = new ArrayList<>();
    for (PoolCell cell : cells) {
      for (Contestant contestant : contestants) {
        results.add(new PoolResult(contestant, cell));
      }
    }
    List<Contestant> turn = new ArrayList<>(contestants);
    int done = 0;
    for (int fork = 0; fork < forks; fork++) {
      for (Contestant contestant : turn) {
        JsonArray answers = fork(contestant);
        for (int i = 0; i < cells.size(); i++) {
          int place = i * contestants.size() + contestants.indexOf(contestant);
          results.get(place).add(answers.get(i).getAsJsonObject());
        }
        progress.stepTo(++done);
      }
      Collections.reverse(turn);
    }
    return results;
  }

  private JsonArray fork(Contestant contestant) {
    List<String> arguments =
        new ArrayList<>(List.of(contestant.id(), String.valueOf(workers), String.valueOf(millis)));
    cells.forEach(cell -> arguments.add(cell.text()));
    FreshJvm jvm =
        new FreshJvm(
            "measuring executor " + contestant.id(),
            PoolProbe.class,
            List.of("-Xmx512m"),
            PATIENCE);
    return jvm.run(arguments).getAsJsonArray("results");
  }
}
