package io.latchkey.bench.compare;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.latchkey.bench.results.JsonFile;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * All benchmarks of one unit.
 *
 * @param unit of the values, as JMH names it
 * @param rows at least one
 */
record Rows(String unit, List<Row> rows) {
  /** Rows that a geometric mean can take: without a zero on either side. */
  List<Row> positive() {
    return rows.stream()
        .filter(row -> row.before().median() > 0 && row.after().median() > 0)
        .toList();
  }

  /** The geometric mean of the old medians; NaN without a positive row. */
  double meanBefore() {
    return geometricMean(row -> row.before().median());
  }

  /** The geometric mean of the new medians; NaN without a positive row. */
  double meanAfter() {
    return geometricMean(row -> row.after().median());
  }

  private double geometricMean(ToDoubleFunction<Row> value) {
    return Math.exp(
        positive().stream()
            .mapToDouble(row -> Math.log(value.applyAsDouble(row)))
            .average()
            .orElse(Double.NaN));
  }

  JsonObject json(double alpha) {
    JsonObject json = new JsonObject();
    json.addProperty("unit", unit);
    JsonArray all = new JsonArray();
    rows.forEach(row -> all.add(row.json(alpha)));
    json.add("rows", all);
    JsonFile.add(json, "geomeanOld", meanBefore());
    JsonFile.add(json, "geomeanNew", meanAfter());
    JsonFile.add(json, "geomeanDelta", meanAfter() / meanBefore() - 1);
    return json;
  }
}
