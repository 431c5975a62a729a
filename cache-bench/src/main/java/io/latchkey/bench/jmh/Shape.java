package io.latchkey.bench.jmh;

import io.latchkey.bench.console.BadInputException;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** How threads and caches go together. */
public enum Shape {
  /** One thread, one cache. */
  SERIAL,
  /** Several threads share one cache. */
  PAR,
  /** Several threads, each with a cache of its own over the same storage. */
  PROC;

  /** The name on the command line. */
  public String id() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** How many caches so many threads use. */
  int caches(int threads) {
    return this == PROC ? threads : 1;
  }

  /** The shape of that name. */
  public static Shape of(String id) {
    return Arrays.stream(values())
        .filter(shape -> shape.id().equals(id))
        .findFirst()
        .orElseThrow(
            () ->
                new BadInputException(
                    "unknown shape '"
                        + id
                        + "': use one of "
                        + Arrays.stream(values())
                            .map(Shape::id)
                            .collect(Collectors.joining(", "))));
  }
}
