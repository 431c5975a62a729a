package io.latchkey.bench.compare;

import com.google.gson.JsonObject;
import java.util.Arrays;

/**
 * Values of one kind measured again and again.
 *
 * @param values one or more
 */
record Sample(double[] values) {
  /** Less than that, in bytes, is what JMH itself allocates, spread over the operations. */
  private static final double NO_BYTES = 0.5;

  Sample {
    if (values.length == 0) {
      throw new IllegalArgumentException("values must not be empty");
    }
  }

  int size() {
    return values.length;
  }

  double median() {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int last = sorted.length - 1;
    return (sorted[last / 2] + sorted[sorted.length / 2]) / 2;
  }

  /** The greatest distance of a value from the median, as a share of the median; 0 if that is 0. */
  double spread() {
    double median = median();
    double most = Arrays.stream(values).map(value -> Math.abs(value - median)).max().orElse(0);
    return median == 0 ? 0 : most / Math.abs(median);
  }

  /** The same with values that stand for nothing allocated as 0. */
  Sample withoutNoise() {
    return new Sample(Arrays.stream(values).map(value -> value < NO_BYTES ? 0 : value).toArray());
  }

  JsonObject json() {
    JsonObject json = new JsonObject();
    json.addProperty("median", median());
    json.addProperty("spread", spread());
    json.addProperty("n", size());
    return json;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Sample sample && Arrays.equals(values, sample.values);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(values);
  }

  @Override
  public String toString() {
    return Arrays.toString(values);
  }
}
