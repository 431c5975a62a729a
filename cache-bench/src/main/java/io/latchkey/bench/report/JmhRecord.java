package io.latchkey.bench.report;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.latchkey.bench.console.Figures;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * One result of a JMH file.
 *
 * @param mode what was measured: of this tool's benchmarks their mode, of others class and method
 * @param shape how threads and caches go together; empty if the file does not say
 * @param threads how many threads
 * @param size how many objects; -1 if the file does not say
 * @param implementation what was measured; empty if the file does not say
 * @param others all other parameters, as a text
 * @param unit of the score, as in {@code ns/op}
 * @param score the score
 * @param range the mean of each fork, or each iteration if there was one fork
 * @param bytes allocated for an operation; NaN if not measured
 */
record JmhRecord(
    String mode,
    String shape,
    int threads,
    double size,
    String implementation,
    String others,
    String unit,
    double score,
    double[] range,
    double bytes) {
  private static final String OURS = "io.latchkey.bench.jmh.";
  private static final String ALLOCATED = "gc.alloc.rate.norm";

  /** Reads one; throws some unchecked exception if it is none. */
  static JmhRecord of(JsonObject json) {
    Map<String, String> params = new TreeMap<>();
    if (json.has("params")) {
      json.getAsJsonObject("params")
          .entrySet()
          .forEach(param -> params.put(param.getKey(), param.getValue().getAsString()));
    }
    JsonObject primary = json.getAsJsonObject("primaryMetric");
    String implementation = params.remove("implementation");
    String shape = params.remove("shape");
    String size = params.get("size");
    boolean sized = size != null && size.matches("\\d{1,15}");
    if (sized) {
      params.remove("size");
    }
    return new JmhRecord(
        mode(json.get("benchmark").getAsString()),
        shape != null ? shape : "",
        json.get("threads").getAsInt(),
        sized && size != null ? Double.parseDouble(size) : -1,
        implementation != null ? implementation : "",
        others(params),
        primary.get("scoreUnit").getAsString(),
        primary.get("score").getAsDouble(),
        range(primary),
        bytes(json));
  }

  private static String mode(String benchmark) {
    int method = benchmark.lastIndexOf('.');
    String type = benchmark.substring(benchmark.lastIndexOf('.', method - 1) + 1, method);
    return benchmark.startsWith(OURS)
        ? type.replace("Benchmark", "").toLowerCase(Locale.ROOT)
        : type + benchmark.substring(method);
  }

  /** What differs from what is usual. */
  private static String others(Map<String, String> params) {
    List<String> others = new ArrayList<>();
    params.forEach(
        (name, value) -> {
          boolean usual =
              (name.equals("latency") && value.equals("0"))
                  || (name.equals("valueSize") && value.equals("0"))
                  || (name.equals("storage") && value.equals("none"));
          if (!usual) {
            others.add(name + " " + value);
          }
        });
    return String.join(", ", others);
  }

  /** In JMH's sampling mode there are histograms instead of values; they have no range of means. */
  private static double[] range(JsonObject metric) {
    if (!metric.has("rawData")) {
      return new double[0];
    }
    List<Double> means = new ArrayList<>();
    JsonArray forks = metric.getAsJsonArray("rawData");
    for (JsonElement fork : forks) {
      List<Double> iterations = new ArrayList<>();
      fork.getAsJsonArray().forEach(value -> iterations.add(value.getAsDouble()));
      if (forks.size() == 1) {
        means.addAll(iterations);
      } else {
        means.add(iterations.stream().mapToDouble(Double::doubleValue).average().orElseThrow());
      }
    }
    return means.stream().mapToDouble(Double::doubleValue).toArray();
  }

  private static double bytes(JsonObject json) {
    if (json.has("secondaryMetrics")) {
      for (Map.Entry<String, JsonElement> metric :
          json.getAsJsonObject("secondaryMetrics").entrySet()) {
        if (metric.getKey().endsWith(ALLOCATED)) { // older versions put a dot before it
          return metric.getValue().getAsJsonObject().get("score").getAsDouble();
        }
      }
    }
    return Double.NaN;
  }

  /** The contender's name in a chart. */
  String contender() {
    return implementation.isEmpty() ? mode : implementation;
  }

  Point point(double x) {
    return Point.of(x, score, range);
  }

  String threadsText() {
    String text = threads == 1 ? "1 thread" : threads + " threads";
    return shape.isEmpty() ? text : shape + ", " + text;
  }

  String sizeText() {
    return size < 0 ? "" : ", " + Figures.count((long) size) + " objects";
  }

  String othersText() {
    return others.isEmpty() ? "" : ", " + others;
  }

  /** Serial and par are one cache, used by one thread or by several. */
  String family() {
    return shape.equals("serial") ? "par" : shape;
  }

  @Override
  public boolean equals(Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(this);
  }
}
