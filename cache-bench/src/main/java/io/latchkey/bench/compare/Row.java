package io.latchkey.bench.compare;

import com.google.gson.JsonObject;
import io.latchkey.bench.results.JsonFile;

/**
 * One benchmark on both sides.
 *
 * @param name what both have in common
 * @param before the old side
 * @param after the new side
 * @param pValue of the two being alike
 */
record Row(String name, Sample before, Sample after, double pValue) {
  static Row of(String name, Sample before, Sample after) {
    return new Row(name, before, after, Significance.pValue(before.values(), after.values()));
  }

  /** The new median through the old one, less one; NaN if the old one is 0 and the new is not. */
  double delta() {
    double old = before.median();
    double now = after.median();
    return old == now ? 0 : old == 0 ? Double.NaN : now / old - 1;
  }

  /** Whether the sides differ by more than chance. */
  boolean differs(double alpha) {
    return pValue < alpha;
  }

  JsonObject json(double alpha) {
    JsonObject json = new JsonObject();
    json.addProperty("name", name);
    json.add("old", before.json());
    json.add("new", after.json());
    JsonFile.add(json, "delta", delta());
    json.addProperty("p", pValue);
    json.addProperty("differs", differs(alpha));
    return json;
  }
}
