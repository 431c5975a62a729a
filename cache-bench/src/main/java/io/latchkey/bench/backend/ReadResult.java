package io.latchkey.bench.backend;

import com.google.gson.JsonObject;
import org.HdrHistogram.Histogram;

/** How long the calls of one way to read took. */
public final class ReadResult {
  private static final int DIGITS = 3;

  private final String through;
  private final int batch;
  private final boolean warm;
  private final Histogram nanosOfCalls = new Histogram(DIGITS);
  private long totalNanos;
  private long asked;
  private long found;

  ReadResult(String through, int batch, boolean warm) {
    this.through = through;
    this.batch = batch;
    this.warm = warm;
  }

  void record(long nanos, int askedFor, int foundOfThem) {
    nanosOfCalls.recordValue(Math.max(0, nanos));
    totalNanos += nanos;
    asked += askedFor;
    found += foundOfThem;
  }

  /** {@code storage} or {@code cache}. */
  public String through() {
    return through;
  }

  /** Objects asked for in a call; 1 for single loads. */
  public int batch() {
    return batch;
  }

  /** Whether the objects had been read before, in the same way. */
  public boolean warm() {
    return warm;
  }

  /** Calls that were measured. */
  public long calls() {
    return nanosOfCalls.getTotalCount();
  }

  /** Objects asked for, in all calls. */
  public long asked() {
    return asked;
  }

  /** Objects that were there, in all calls. */
  public long found() {
    return found;
  }

  /** The time that so many percent of the calls took at most, in nanoseconds. */
  public long nanos(double percent) {
    return nanosOfCalls.getValueAtPercentile(percent);
  }

  /** The longest call, in nanoseconds. */
  public long maxNanos() {
    return nanosOfCalls.getMaxValue();
  }

  /** Time for an object asked for, mean, in nanoseconds. */
  public double nanosPerObject() {
    return (double) totalNanos / asked;
  }

  /** As it stands in a file. */
  public JsonObject json() {
    JsonObject json = new JsonObject();
    json.addProperty("through", through);
    json.addProperty("batch", batch);
    json.addProperty("warm", warm);
    json.addProperty("calls", calls());
    json.addProperty("asked", asked);
    json.addProperty("found", found);
    json.addProperty("nanosPerObject", nanosPerObject());
    JsonObject nanos = new JsonObject();
    for (double percent : new double[] {50, 90, 99, 99.9}) {
      String name = percent == (long) percent ? "" + (long) percent : "" + percent;
      nanos.addProperty("p" + name, nanos(percent));
    }
    nanos.addProperty("max", maxNanos());
    json.add("nanosPerCall", nanos);
    return json;
  }
}
