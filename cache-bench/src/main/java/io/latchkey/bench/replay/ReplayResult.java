package io.latchkey.bench.replay;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.latchkey.bench.console.Spread;
import java.util.List;

/**
 * How a policy did at one size.
 *
 * @param policy a cache by the name it has on the command line, or {@link Replay#LRU} or {@link
 *     Replay#OPTIMUM}
 * @param size objects that it could hold
 * @param reads reads of the trace
 * @param hits hits in each run
 * @param nanosPerRead time for a read in each run, loads of the misses included; empty for what was
 *     simulated
 */
public record ReplayResult(
    String policy, int size, int reads, List<Long> hits, List<Double> nanosPerRead) {
  /** Keeps copies of the lists. */
  public ReplayResult {
    hits = List.copyOf(hits);
    nanosPerRead = List.copyOf(nanosPerRead);
  }

  /** Hits for a read, mean of the runs. */
  public double hitRatio() {
    return hits.stream().mapToLong(Long::longValue).average().orElse(0) / reads;
  }

  /** Nanoseconds for a read, median of the runs; NaN for what was simulated. */
  public double nanos() {
    return nanosPerRead.isEmpty() ? Double.NaN : Spread.of(nanosPerRead).median();
  }

  /** As it stands in a file. */
  public JsonObject json() {
    JsonObject json = new JsonObject();
    json.addProperty("policy", policy);
    json.addProperty("size", size);
    json.addProperty("reads", reads);
    JsonArray allHits = new JsonArray();
    hits.forEach(allHits::add);
    json.add("hits", allHits);
    JsonArray allNanos = new JsonArray();
    nanosPerRead.forEach(allNanos::add);
    json.add("nanosPerRead", allNanos);
    return json;
  }
}
