package io.latchkey.bench;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes files of results as JMH does, with the members that matter. */
final class JmhJson {
  private final JsonArray results = new JsonArray();

  /** Adds a result of this tool; each value is that of a fork with two iterations around it. */
  JmhJson add(String implementation, double[] nanos, double[] bytes) {
    JsonObject result =
        JsonParser.parseString(
                """
                {"jmhVersion": "1.37", "benchmark": "io.latchkey.bench.jmh.HitBenchmark.get",
                 "mode": "avgt", "threads": 1, "jvmArgs": ["-Xmx1g"], "jdkVersion": "17.0.15",
                 "measurementTime": "1 s",
                 "params": {"keys": "seq", "latency": "0", "shape": "serial", "size": "512",
                            "storage": "none", "valueSize": "0"},
                 "latchkey": {"quick": false,
                              "machine": {"cpu": "abacus", "cores": "2", "memory": "1 MB"}}}
                """)
            .getAsJsonObject();
    result.getAsJsonObject("params").addProperty("implementation", implementation);
    result.add("primaryMetric", metric(nanos, "ns/op"));
    JsonObject secondary = new JsonObject();
    secondary.add("gc.alloc.rate.norm", metric(bytes, "B/op"));
    result.add("secondaryMetrics", secondary);
    results.add(result);
    return this;
  }

  /** Changes a member of the last result. */
  JmhJson with(String member, String json) {
    JsonElement value = JsonParser.parseString(json);
    results.get(results.size() - 1).getAsJsonObject().add(member, value);
    return this;
  }

  private static JsonObject metric(double[] forks, String unit) {
    JsonArray raw = new JsonArray();
    for (double fork : forks) {
      JsonArray iterations = new JsonArray();
      iterations.add(fork * 0.75);
      iterations.add(fork * 1.25);
      raw.add(iterations);
    }
    JsonObject metric = new JsonObject();
    metric.addProperty("scoreUnit", unit);
    metric.addProperty("scoreError", "NaN");
    metric.add("rawData", raw);
    return metric;
  }

  Path write(Path file) throws Exception {
    return Files.writeString(file, results.toString());
  }
}
