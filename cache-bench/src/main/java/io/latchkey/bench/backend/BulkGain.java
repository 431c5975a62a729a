package io.latchkey.bench.backend;

import com.google.gson.JsonObject;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * How many times as long an object takes that the storage loads by itself as one in a bulk.
 *
 * @param batch objects of a bulk
 * @param cold when it was read for the first time
 * @param warm when it had been read before
 */
public record BulkGain(int batch, double cold, double warm) {
  /**
   * Compares the storage's own single loads with its bulks.
   *
   * @param results of one run
   * @return empty if there were no bulks of more than one
   */
  public static Optional<BulkGain> of(List<ReadResult> results) {
    return results.stream()
        .filter(result -> result.through().equals("storage") && result.batch() > 1)
        .map(ReadResult::batch)
        .findFirst()
        .map(batch -> new BulkGain(batch, gain(results, batch, false), gain(results, batch, true)));
  }

  private static double gain(List<ReadResult> results, int batch, boolean warm) {
    return nanos(results, 1, warm) / nanos(results, batch, warm);
  }

  private static double nanos(List<ReadResult> results, int batch, boolean warm) {
    return results.stream()
        .filter(result -> result.through().equals("storage"))
        .filter(result -> result.batch() == batch && result.warm() == warm)
        .mapToDouble(ReadResult::nanosPerObject)
        .findFirst()
        .orElseThrow();
  }

  /** In words. */
  public String sentence() {
    return String.format(
        Locale.ROOT,
        "In a bulk of %,d an object takes 1/%.1f of the time of a single load, warm 1/%.1f.",
        batch,
        cold,
        warm);
  }

  /** As it stands in a file. */
  public JsonObject json() {
    JsonObject json = new JsonObject();
    json.addProperty("batch", batch);
    json.addProperty("cold", cold);
    json.addProperty("warm", warm);
    return json;
  }
}
