package io.latchkey.bench.http;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/** What was measured of one server with one target. */
public final class HttpResult {
  private final ServerOptions server;
  private final Target target;
  private final List<Double> perSecond = new ArrayList<>();
  private final List<Double> busy = new ArrayList<>();
  private final Histogram roundTrips = new Histogram(60_000_000_000L, 3);

  HttpResult(ServerOptions server, Target target) {
    this.server = server;
    this.target = target;
  }

  void throughput(double responsesPerSecond, double busyProcessors) {
    perSecond.add(responsesPerSecond);
    busy.add(busyProcessors);
  }

  void roundTrips(Histogram times) {
    roundTrips.add(times);
  }

  /** The server. */
  public ServerOptions server() {
    return server;
  }

  /** What was asked for. */
  public Target target() {
    return target;
  }

  /** Responses a second, a value for each round. */
  public List<Double> perSecond() {
    return perSecond;
  }

  /** How many processors the server kept busy, a value for each round. */
  public List<Double> busy() {
    return busy;
  }

  /** The times of all rounds at the rate, in nanoseconds; empty if there was none. */
  public Histogram roundTrips() {
    return roundTrips;
  }

  /** All of it, for a file. */
  public JsonObject json() {
    JsonObject json = new JsonObject();
    json.addProperty("target", target.label());
    json.addProperty("transport", server.transport());
    json.addProperty("workers", server.workers());
    json.addProperty("buffers", server.buffers());
    json.addProperty("valueSize", server.valueSize());
    json.add("perSecond", array(perSecond));
    json.add("busyProcessors", array(busy));
    JsonObject times = new JsonObject();
    if (roundTrips.getTotalCount() > 0) {
      for (double percentile : new double[] {50, 90, 99, 99.9, 99.99, 100}) {
        times.addProperty("p" + percentile, roundTrips.getValueAtPercentile(percentile));
      }
    }
    json.add("roundTripNanos", times);
    return json;
  }

  private static JsonArray array(List<Double> values) {
    JsonArray array = new JsonArray();
    values.forEach(array::add);
    return array;
  }
}
