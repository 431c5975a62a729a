package io.latchkey.bench.memory;

import com.google.gson.JsonObject;
import io.latchkey.bench.peers.Implementation;

/**
 * What one full cache retains, keys and values not counted.
 *
 * @param implementation which cache
 * @param expiring whether its entries expire
 * @param entries how many objects it held
 * @param objects how many objects of its own it needs for them
 * @param bytes the sizes of those objects, by a walk over them
 * @param heapBytes the growth of the used heap, after collections
 */
public record Retained(
    Implementation implementation,
    boolean expiring,
    long entries,
    long objects,
    long bytes,
    long heapBytes) {
  static Retained of(Implementation implementation, boolean expiring, JsonObject answer) {
    return new Retained(
        implementation,
        expiring,
        answer.get("entries").getAsLong(),
        answer.get("objects").getAsLong(),
        answer.get("bytes").getAsLong(),
        answer.get("heapBytes").getAsLong());
  }

  /** Bytes for each entry that is held, by the walk. */
  public double bytesPerEntry() {
    return (double) bytes / entries;
  }

  /** Bytes for each entry that is held, by the used heap. */
  public double heapBytesPerEntry() {
    return (double) heapBytes / entries;
  }

  /** As stored in a file. */
  public JsonObject json() {
    JsonObject json = new JsonObject();
    json.addProperty("implementation", implementation.id());
    json.addProperty("expiry", expiring ? "write" : "none");
    json.addProperty("entries", entries);
    json.addProperty("objects", objects);
    json.addProperty("bytes", bytes);
    json.addProperty("heapBytes", heapBytes);
    json.addProperty("bytesPerEntry", bytesPerEntry());
    json.addProperty("heapBytesPerEntry", heapBytesPerEntry());
    return json;
  }
}
