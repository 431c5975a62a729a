package io.latchkey.bench.compare;

import io.latchkey.bench.console.BadInputException;
import java.util.Arrays;
import java.util.Locale;

/** What one value of a sample is. */
public enum SampleKind {
  /** The mean of a fork: JVMs are independent of each other. */
  FORKS,
  /** One iteration: more values, but those of one fork have much in common. */
  ITERATIONS;

  /** The kind of that name. */
  public static SampleKind of(String id) {
    return Arrays.stream(values())
        .filter(kind -> kind.name().toLowerCase(Locale.ROOT).equals(id))
        .findFirst()
        .orElseThrow(
            () ->
                new BadInputException(
                    "unknown samples '" + id + "': use one of forks, iterations"));
  }
}
