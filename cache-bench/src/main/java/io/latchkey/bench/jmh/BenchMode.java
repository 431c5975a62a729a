package io.latchkey.bench.jmh;

import io.latchkey.bench.console.BadInputException;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** What the gets of a benchmark are. */
public enum BenchMode {
  /** Each finds its object cached. */
  HIT(HitBenchmark.class),
  /** Each loads its object and evicts another. */
  NOHIT(NohitBenchmark.class),
  /** Each loads its object into a cache with room. */
  STARTUP(StartupBenchmark.class);

  private final Class<?> benchmark;

  BenchMode(Class<?> benchmark) {
    this.benchmark = benchmark;
  }

  /** The name on the command line. */
  public String id() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The class that measures it. */
  Class<?> benchmark() {
    return benchmark;
  }

  /** The mode of that name. */
  public static BenchMode of(String id) {
    return Arrays.stream(values())
        .filter(mode -> mode.id().equals(id))
        .findFirst()
        .orElseThrow(
            () ->
                new BadInputException(
                    "unknown mode '"
                        + id
                        + "': use one of "
                        + Arrays.stream(values())
                            .map(BenchMode::id)
                            .collect(Collectors.joining(", "))));
  }
}
