package io.latchkey.bench.jmh;

import io.latchkey.bench.console.Figures;
import io.latchkey.bench.keys.KeyOrder;

/**
 * One place of the grid, in which all implementations are compared.
 *
 * @param mode what the gets are
 * @param threads how many threads share one cache; 1 is serial
 * @param size how many objects
 * @param keys in which order they are asked for
 */
public record Cell(BenchMode mode, int threads, int size, KeyOrder keys) {
  /** The cell in a few words, as a heading. */
  public String describe() {
    return mode.id()
        + ", "
        + (threads == 1 ? "serial" : threads + " threads")
        + ", "
        + Figures.count(size)
        + " objects, keys "
        + keys.id();
  }
}
