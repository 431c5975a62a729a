package io.latchkey.bench.flight;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.latchkey.bench.peers.Implementation;
import java.util.ArrayList;
import java.util.List;

/**
 * What was measured on one cache with so many callers: the median of each fork, in the order in
 * which they ran. A list is empty where nothing of its kind could be measured.
 */
public final class FlightResult {
  private final Implementation implementation;
  private final int callers;
  private final List<Double> leaderNanos = new ArrayList<>();
  private final List<Double> lastNanos = new ArrayList<>();
  private final List<Double> bytesPerWaiter = new ArrayList<>();
  private int loads;

  FlightResult(Implementation implementation, int callers) {
    this.implementation = implementation;
    this.callers = callers;
  }

  void add(JsonObject fork) {
    loads = Math.max(loads, fork.get("loads").getAsInt());
    add(fork, "leaderNanos", leaderNanos);
    add(fork, "lastNanos", lastNanos);
    add(fork, "bytesPerWaiter", bytesPerWaiter);
  }

  private static void add(JsonObject fork, String name, List<Double> values) {
    if (fork.has(name)) {
      values.add(fork.get(name).getAsDouble());
    }
  }

  /** Which cache. */
  public Implementation implementation() {
    return implementation;
  }

  /** How many callers asked for the object. */
  public int callers() {
    return callers;
  }

  /** The most loads that one object took. */
  public int loads() {
    return loads;
  }

  /** From the end of the load until the caller that made it had the object. */
  public List<Double> leaderNanos() {
    return leaderNanos;
  }

  /** From the end of the load until the last caller had the object. */
  public List<Double> lastNanos() {
    return lastNanos;
  }

  /** Bytes that a waiting caller allocated. */
  public List<Double> bytesPerWaiter() {
    return bytesPerWaiter;
  }

  /** As stored in a file. */
  public JsonObject json() {
    JsonObject json = new JsonObject();
    json.addProperty("implementation", implementation.id());
    json.addProperty("callers", callers);
    json.addProperty("loads", loads);
    json.add("leaderNanos", array(leaderNanos));
    json.add("lastNanos", array(lastNanos));
    json.add("bytesPerWaiter", array(bytesPerWaiter));
    return json;
  }

  private static JsonArray array(List<Double> values) {
    JsonArray array = new JsonArray();
    values.forEach(array::add);
    return array;
  }
}
