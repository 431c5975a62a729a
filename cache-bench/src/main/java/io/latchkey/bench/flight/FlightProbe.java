package io.latchkey.bench.flight;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.latchkey.bench.console.Spread;
import io.latchkey.bench.forks.FreshJvm;
import io.latchkey.bench.peers.CacheUnderTest;
import io.latchkey.bench.peers.Implementation;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Repeats the drill on one cache in a JVM of its own, and tells the medians. */
public final class FlightProbe {
  private static final long BOUND = 1 << 12;

  private FlightProbe() {}

  /**
   * Takes the implementation, the kind of threads, whether they are fresh, the rounds, and the
   * numbers of callers.
   */
  public static void main(String[] args) throws InterruptedException {
    Implementation implementation = Implementation.of(args[0]);
    Callers kind = Callers.of(args[1]);
    int rounds = Integer.parseInt(args[3]);
    GatedStorage storage = new GatedStorage();
    JsonArray results = new JsonArray();
    try (CacheUnderTest<Long, Object> cache = implementation.over(storage, BOUND)) {
      Drill drill = new Drill(cache, storage, kind, Boolean.parseBoolean(args[2]));
      long key = 0;
      for (int i = 4; i < args.length; i++) {
        int callers = Integer.parseInt(args[i]);
        List<Drill.Outcome> outcomes = new ArrayList<>();
        for (int round = 0; round < 2 * rounds; round++) {
          Drill.Outcome outcome = drill.run(key++, callers);
          if (round >= rounds) { // the first half does not count
            outcomes.add(outcome);
          }
        }
        results.add(medians(callers, outcomes));
      }
    }
    JsonObject answer = new JsonObject();
    answer.add("results", results);
    FreshJvm.answer(answer);
  }

  private static JsonObject medians(int callers, List<Drill.Outcome> outcomes) {
    JsonObject json = new JsonObject();
    json.addProperty("callers", callers);
    json.addProperty("loads", outcomes.stream().mapToInt(Drill.Outcome::loads).max().orElse(0));
    add(json, "leaderNanos", outcomes, Drill.Outcome::leaderNanos);
    add(json, "lastNanos", outcomes, Drill.Outcome::lastNanos);
    add(json, "bytesPerWaiter", outcomes, Drill.Outcome::bytes);
    return json;
  }

  /** Leaves out what was never measured. */
  private static void add(
      JsonObject json,
      String name,
      List<Drill.Outcome> outcomes,
      ToDoubleFunction<Drill.Outcome> value) {
    List<Double> values =
        outcomes.stream().map(value::applyAsDouble).filter(each -> !each.isNaN()).toList();
    if (!values.isEmpty()) {
      json.addProperty(name, Spread.of(values).median());
    }
  }
}
