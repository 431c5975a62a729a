package io.latchkey.bench.http;

import java.util.ArrayList;
import java.util.List;

/** What one way of writing loaded objects does, a value for each round. */
public final class HandOffResult {
  private final String way;
  private final List<Double> perSecond = new ArrayList<>();
  private final List<Double> cpuNanos = new ArrayList<>();

  HandOffResult(String way) {
    this.way = way;
  }

  void add(double responsesPerSecond, double cpuNanosPerResponse) {
    perSecond.add(responsesPerSecond);
    cpuNanos.add(cpuNanosPerResponse);
  }

  /** The way's name. */
  public String way() {
    return way;
  }

  /** Responses a second. */
  public List<Double> perSecond() {
    return perSecond;
  }

  /** Time of a processor that the server took for a response. */
  public List<Double> cpuNanos() {
    return cpuNanos;
  }
}
