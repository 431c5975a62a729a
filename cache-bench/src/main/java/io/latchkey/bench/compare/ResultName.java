package io.latchkey.bench.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Short names for results: those of this tool as its options have them. */
final class ResultName {
  private static final String OURS = "io.latchkey.bench.jmh.";
  private static final String SUFFIX = "Benchmark";

  private ResultName() {}

  /**
   * The name of a result.
   *
   * @param benchmark class and method
   * @param params all parameters that are part of the name
   */
  static String of(String benchmark, Map<String, String> params, int threads) {
    return (benchmark.startsWith(OURS) && params.containsKey("shape")
            ? ours(benchmark, params)
            : any(benchmark, params))
        + "-"
        + threads;
  }

  private static String ours(String benchmark, Map<String, String> params) {
    String name = benchmark.substring(OURS.length(), benchmark.lastIndexOf('.'));
    List<String> parts = new ArrayList<>();
    parts.add(
        name.substring(0, name.length() - (name.endsWith(SUFFIX) ? SUFFIX.length() : 0))
            .toLowerCase(Locale.ROOT));
    for (String param : List.of("shape", "size", "keys")) {
      parts.add(params.getOrDefault(param, ""));
    }
    params.forEach(
        (param, value) -> {
          switch (param) {
            case "shape", "size", "keys" -> {}
            case "valueSize", "latency" -> {
              if (!value.equals("0")) {
                parts.add(value + (param.equals("latency") ? "us" : "B"));
              }
            }
            case "storage" -> {
              if (!value.equals("none")) {
                parts.add(value);
              }
            }
            default -> parts.add(param + "=" + value);
          }
        });
    return String.join("/", parts);
  }

  private static String any(String benchmark, Map<String, String> params) {
    int method = benchmark.lastIndexOf('.');
    int simple = benchmark.lastIndexOf('.', method - 1) + 1;
    StringBuilder name = new StringBuilder(benchmark.substring(simple));
    params.forEach((param, value) -> name.append('/').append(param).append('=').append(value));
    return name.toString();
  }
}
