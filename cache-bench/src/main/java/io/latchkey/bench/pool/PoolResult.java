package io.latchkey.bench.pool;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;

/** What was measured on one executor in one way of submitting, by fork in the order of the run. */
public final class PoolResult {
  private final Contestant contestant;
  private final PoolCell cell;
  private final List<Double> nanosPerTask = new ArrayList<>();
  private final List<Double> bytesPerTask = new ArrayList<>();

  PoolResult(Contestant contestant, PoolCell cell) {
    this.contestant = contestant;
    this.cell = cell;
  }

  void add(JsonObject fork) {
    nanosPerTask.add(fork.get("nanosPerTask").getAsDouble());
    if (fork.has("bytesPerTask")) {
      bytesPerTask.add(fork.get("bytesPerTask").getAsDouble());
    }
  }

  /** Which executor. */
  public Contestant contestant() {
    return contestant;
  }

  /** How the tasks were submitted. */
  public PoolCell cell() {
    return cell;
  }

  /** Time through tasks. */
  public List<Double> nanosPerTask() {
    return nanosPerTask;
  }

  /** What all threads allocated through tasks; empty before JDK 21. */
  public List<Double> bytesPerTask() {
    return bytesPerTask;
  }

  /** As stored in a file. */
  public JsonObject json() {
    JsonObject json = new JsonObject();
    json.addProperty("executor", contestant.id());
    json.addProperty("task", cell.task().id());
    json.addProperty("submitters", cell.submitters());
    json.addProperty("inFlight", cell.inFlight());
    json.add("nanosPerTask", array(nanosPerTask));
    json.add("bytesPerTask", array(bytesPerTask));
    return json;
  }

  private static JsonArray array(List<Double> values) {
    JsonArray array = new JsonArray();
    values.forEach(array::add);
    return array;
  }
}
