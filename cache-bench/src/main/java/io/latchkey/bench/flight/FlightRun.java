package io.latchkey.bench.flight;

import com.google.gson.JsonArray;
import io.latchkey.bench.console.Progress;
import io.latchkey.bench.forks.FreshJvm;
import io.latchkey.bench.peers.Implementation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Runs the drills: the caches take turns, a fresh JVM each, as often as there are forks, every
 * other round backwards.
 */
public final class FlightRun {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final List<Implementation> implementations;
  private final List<Integer> callers;
  private final Callers kind;
  private final boolean fresh;
  private final int rounds;
  private final int forks;

  /**
   * Prepares a run.
   *
   * @param callers how many callers in each drill
   * @param kind what threads they are
   * @param fresh whether it is the first time that each of them uses the cache
   * @param rounds drills that count in each fork, after as many that do not
   * @param forks JVMs for each cache
   */
  public FlightRun(
      List<Implementation> implementations,
      List<Integer> callers,
      Callers kind,
      boolean fresh,
      int rounds,
      int forks) {
    this.implementations = List.copyOf(implementations);
    this.callers = List.copyOf(callers);
    this.kind = kind;
    this.fresh = fresh;
    this.rounds = rounds;
    this.forks = forks;
  }

  /** How many JVMs there are in all, which is what the progress counts. */
  public int jvms() {
    return implementations.size() * forks;
  }

  /** Measures; results are in the order of the callers, then of the caches. */
  public List<FlightResult> run(Progress progress) {
    List<FlightResult> results = new ArrayList<>();
    for (int count : callers) {
      for (Implementation implementation : implementations) {
        results.add(new FlightResult(implementation, count));
      }
    }
    List<Implementation> turn = new ArrayList<>(implementations);
    int done = 0;
    for (int fork = 0; fork < forks; fork++) {
      for (Implementation implementation : turn) {
        JsonArray answers = fork(implementation);
        for (int i = 0; i < callers.size(); i++) {
          int place = i * implementations.size() + implementations.indexOf(implementation);
          results.get(place).add(answers.get(i).getAsJsonObject());
        }
        progress.stepTo(++done);
      }
      Collections.reverse(turn);
    }
    return results;
  }

  private JsonArray fork(Implementation implementation) {
    List<String> arguments =
        new ArrayList<>(
            List.of(implementation.id(), kind.id(), String.valueOf(fresh), String.valueOf(rounds)));
    callers.forEach(count -> arguments.add(String.valueOf(count)));
    FreshJvm jvm =
        new FreshJvm(
            "flight of " + implementation.id() + " with " + kind.id() + " threads",
            FlightProbe.class,
            List.of("-Xmx512m"),
            PATIENCE);
    return jvm.run(arguments).getAsJsonArray("results");
  }
}
