package io.latchkey.bench.jmh;

import java.time.Duration;

/**
 * How much is measured.
 *
 * @param forks fresh JVMs for each cache in each cell
 * @param warmups iterations that do not count, in each fork
 * @param iterations iterations that count, in each fork
 * @param time how long an iteration is
 */
public record Effort(int forks, int warmups, int iterations, Duration time) {
  /** How long one fork measures, without the start of its JVM. */
  public Duration ofOneFork() {
    return time.multipliedBy((long) warmups + iterations);
  }
}
