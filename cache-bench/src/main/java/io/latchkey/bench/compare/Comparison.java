package io.latchkey.bench.compare;

import com.google.gson.JsonArray;
import io.latchkey.bench.console.BadInputException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Two sides that were measured, benchmark by benchmark. */
public final class Comparison {
  private static final String BYTES = "B/op";

  private final List<Rows> parts;
  private final Map<String, String> differences;
  private final int alone;

  private Comparison(List<Rows> parts, Map<String, String> differences, int alone) {
    this.parts = parts;
    this.differences = differences;
    this.alone = alone;
  }

  /**
   * Compares the results that two files have in common.
   *
   * @throws BadInputException if a file cannot be read, or they have none in common
   */
  public static Comparison ofFiles(Path before, Path after, SampleKind kind) {
    return of(
        byName(JmhFile.read(before, kind), JmhResult::fullName),
        byName(JmhFile.read(after, kind), JmhResult::fullName),
        before + " and " + after + " have no benchmark in common");
  }

  /**
   * Compares two implementations of one file.
   *
   * @throws BadInputException if the file cannot be read, or does not have both
   */
  public static Comparison within(Path file, String before, String after, SampleKind kind) {
    List<JmhResult> all = JmhFile.read(file, kind);
    return of(
        byName(side(all, file, before), JmhResult::name),
        byName(side(all, file, after), JmhResult::name),
        file + " has no benchmark that measures both " + before + " and " + after);
  }

  private static List<JmhResult> side(List<JmhResult> all, Path file, String implementation) {
    List<JmhResult> side =
        all.stream().filter(result -> result.implementation().equals(implementation)).toList();
    if (side.isEmpty()) {
      throw new BadInputException(
          file
              + " has no implementation '"
              + implementation
              + "': use two of "
              + all.stream()
                  .map(JmhResult::implementation)
                  .distinct()
                  .collect(Collectors.joining(", ")));
    }
    return side;
  }

  private static Map<String, JmhResult> byName(
      List<JmhResult> results, Function<JmhResult, String> name) {
    Map<String, JmhResult> map = new LinkedHashMap<>();
    results.forEach(result -> map.put(name.apply(result), result));
    return map;
  }

  private static Comparison of(
      Map<String, JmhResult> before, Map<String, JmhResult> after, String complaint) {
    Map<String, List<Row>> primary = new LinkedHashMap<>();
    List<Row> bytes = new ArrayList<>();
    Map<String, String> differences = new TreeMap<>();
    int common = 0;
    for (Map.Entry<String, JmhResult> entry : before.entrySet()) {
      JmhResult old = entry.getValue();
      JmhResult now = after.get(entry.getKey());
      if (now == null || !old.unit().equals(now.unit())) {
        continue;
      }
      common++;
      primary
          .computeIfAbsent(old.unit(), unit -> new ArrayList<>())
          .add(Row.of(entry.getKey(), old.primary(), now.primary()));
      if (old.bytes() != null && now.bytes() != null) {
        bytes.add(Row.of(entry.getKey(), old.bytes(), now.bytes()));
      }
      addDifferences(old.settings(), now.settings(), differences);
    }
    if (common == 0) {
      throw new BadInputException(complaint);
    }
    List<Rows> parts = new ArrayList<>();
    primary.forEach((unit, rows) -> parts.add(new Rows(unit, List.copyOf(rows))));
    if (!bytes.isEmpty()) {
      parts.add(new Rows(BYTES, List.copyOf(bytes)));
    }
    return new Comparison(parts, differences, before.size() + after.size() - 2 * common);
  }

  private static void addDifferences(
      Map<String, String> before, Map<String, String> after, Map<String, String> differences) {
    Map<String, String> all = new TreeMap<>(before);
    all.putAll(after);
    for (String name : all.keySet()) {
      if (!Objects.equals(before.get(name), after.get(name))) {
        differences.put(
            name,
            before.getOrDefault(name, "not told") + " / " + after.getOrDefault(name, "not told"));
      }
    }
  }

  /** The tables: one for each unit of time, then bytes allocated. */
  List<Rows> parts() {
    return parts;
  }

  /** Settings in which the sides differ, each with both values. */
  public Map<String, String> differences() {
    return differences;
  }

  /** How many benchmarks stand on one side only. */
  public int alone() {
    return alone;
  }

  /** As stored in a file. */
  public JsonArray json(double alpha) {
    JsonArray json = new JsonArray();
    parts.forEach(part -> json.add(part.json(alpha)));
    return json;
  }
}
