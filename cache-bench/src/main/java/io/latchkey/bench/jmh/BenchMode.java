package io.latchkey.bench.jmh;

import io.latchkey.bench.console.BadInputException;
import io.latchkey.bench.keys.KeyOrder;
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
  STARTUP(StartupBenchmark.class),
  /** Each is a hit or a miss, as it comes. */
  MIXED(MixedBenchmark.class),
  /** Each loads its object from the storage; there is no cache. */
  NOOP_STORAGE(StorageBenchmark.class);

  private final Class<?> benchmark;

  BenchMode(Class<?> benchmark) {
    this.benchmark = benchmark;
  }

  /** The name on the command line. */
  public String id() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Whether the keys that come in this order make sense. */
  boolean takes(KeyOrder order) {
    return switch (this) {
      case HIT, NOOP_STORAGE -> true;
      case NOHIT, STARTUP -> order.eachOnce();
      case MIXED -> !order.eachOnce();
    };
  }

  /** The least bound or number of objects. */
  int leastSize() {
    return this == NOHIT || this == NOOP_STORAGE ? 0 : 1;
  }

  /** The greatest bound or number of objects. */
  int mostSize() {
    return switch (this) {
      case HIT, STARTUP, NOOP_STORAGE -> 1 << 24;
      case NOHIT -> NohitBenchmark.MAX_SIZE;
      case MIXED -> MixedBenchmark.MAX_SIZE;
    };
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
