package io.latchkey.bench.compare;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.latchkey.bench.console.BadInputException;
import io.latchkey.bench.results.JsonFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads results in JMH's JSON format, those of this tool and any other benchmark's. */
final class JmhFile {
  private static final String ALLOCATED = "gc.alloc.rate.norm";
  private static final String STAMP = "latchkey";
  private static final List<String> SETTINGS =
      List.of(
          "jmhVersion",
          "mode",
          "jvmArgs",
          "jdkVersion",
          "vmName",
          "vmVersion",
          "warmupIterations",
          "warmupTime",
          "measurementIterations",
          "measurementTime");
  private static final List<String> MACHINE = List.of("cpu", "cores", "memory");

  private final Path file;
  private final SampleKind kind;

  private JmhFile(Path file, SampleKind kind) {
    this.file = file;
    this.kind = kind;
  }

  /**
   * Reads all results of a file.
   *
   * @throws BadInputException if it is none of JMH's, has no result or one twice
   */
  static List<JmhResult> read(Path file, SampleKind kind) {
    return new JmhFile(file, kind).read();
  }

  private List<JmhResult> read() {
    JsonElement json = JsonFile.read(file);
    if (!json.isJsonArray()) {
      throw new BadInputException(file + " " + whatElse(json));
    }
    if (json.getAsJsonArray().isEmpty()) {
      throw new BadInputException(file + " has no results: write it anew with run --json");
    }
    List<JmhResult> results = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (JsonElement each : json.getAsJsonArray()) {
      JmhResult result = result(each, results.size() + 1);
      if (!names.add(result.fullName())) {
        throw new BadInputException(
            file + " has " + result.fullName() + " twice: name a file of one run");
      }
      results.add(result);
    }
    return results;
  }

  private static String whatElse(JsonElement json) {
    JsonElement tool = json.isJsonObject() ? json.getAsJsonObject().get("tool") : null;
    if (tool != null && tool.isJsonPrimitive()) {
      return "was written by " + tool.getAsString() + ": compare takes files of run and of JMH";
    }
    return "is JSON, but none of JMH, which has an array of results: write it with run --json";
  }

  private JmhResult result(JsonElement json, int number) {
    try {
      JsonObject result = json.getAsJsonObject();
      Map<String, String> params = params(result);
      JsonObject primary = result.getAsJsonObject("primaryMetric");
      String implementation = params.remove("implementation");
      return new JmhResult(
          ResultName.of(
              result.get("benchmark").getAsString(), params, result.get("threads").getAsInt()),
          implementation != null ? implementation : "",
          primary.get("scoreUnit").getAsString(),
          sample(primary),
          bytes(result),
          settings(result));
    } catch (NullPointerException
        | IllegalStateException
        | ClassCastException
        | UnsupportedOperationException
        | IllegalArgumentException e) {
      throw new BadInputException(
          file
              + ", result "
              + number
              + ": expected a result of JMH with benchmark, threads and primaryMetric.rawData, found"
              + " something else: write it with run --json",
          e);
    }
  }

  private static Map<String, String> params(JsonObject result) {
    Map<String, String> params = new LinkedHashMap<>();
    if (result.has("params")) {
      result
          .getAsJsonObject("params")
          .entrySet()
          .forEach(param -> params.put(param.getKey(), param.getValue().getAsString()));
    }
    return params;
  }

  private @Nullable Sample bytes(JsonObject result) {
    if (!result.has("secondaryMetrics")) {
      return null;
    }
    for (Map.Entry<String, JsonElement> metric :
        result.getAsJsonObject("secondaryMetrics").entrySet()) {
      if (metric.getKey().endsWith(ALLOCATED)) { // older versions put a dot before it
        return sample(metric.getValue().getAsJsonObject()).withoutNoise();
      }
    }
    return null;
  }

  /** Values by fork and iteration; in JMH's sampling mode each iteration is a histogram. */
  private Sample sample(JsonObject metric) {
    boolean histogram = metric.has("rawDataHistogram");
    JsonArray forks = metric.getAsJsonArray(histogram ? "rawDataHistogram" : "rawData");
    List<Double> values = new ArrayList<>();
    for (JsonElement fork : forks) {
      List<Double> iterations = new ArrayList<>();
      for (JsonElement iteration : fork.getAsJsonArray()) {
        iterations.add(histogram ? mean(iteration.getAsJsonArray()) : iteration.getAsDouble());
      }
      if (kind == SampleKind.ITERATIONS) {
        values.addAll(iterations);
      } else {
        values.add(iterations.stream().mapToDouble(Double::doubleValue).average().orElseThrow());
      }
    }
    return new Sample(values.stream().mapToDouble(Double::doubleValue).toArray());
  }

  private static double mean(JsonArray histogram) {
    double sum = 0;
    double count = 0;
    for (JsonElement bucket : histogram) {
      double times = bucket.getAsJsonArray().get(1).getAsDouble();
      sum += bucket.getAsJsonArray().get(0).getAsDouble() * times;
      count += times;
    }
    return sum / count;
  }

  private static Map<String, String> settings(JsonObject result) {
    Map<String, String> settings = new LinkedHashMap<>();
    for (String name : SETTINGS) {
      if (result.has(name)) {
        settings.put(name, text(result.get(name)));
      }
    }
    if (result.has(STAMP)) {
      JsonObject stamp = result.getAsJsonObject(STAMP);
      settings.put("quick", text(stamp.get("quick")));
      JsonObject machine = stamp.getAsJsonObject("machine");
      MACHINE.forEach(name -> settings.put(name, text(machine.get(name))));
    }
    return settings;
  }

  private static String text(JsonElement json) {
    return json.isJsonPrimitive() ? json.getAsString() : json.toString();
  }
}
