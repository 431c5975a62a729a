package io.latchkey.bench.jmh;

import io.latchkey.bench.console.BadInputException;
import io.latchkey.bench.console.Figures;
import io.latchkey.bench.keys.KeyOrder;

/**
 * One place of the grid, in which all implementations are compared.
 *
 * @param mode what the gets are
 * @param shape how threads and caches go together
 * @param threads how many threads; 1 is serial
 * @param size how many objects
 * @param keys in which order they are asked for
 */
public record Cell(BenchMode mode, Shape shape, int threads, int size, KeyOrder keys) {
  /** Checks the size. */
  public Cell {
    if (size < mode.leastSize() || size > mode.mostSize()) {
      throw new BadInputException(
          "size must be from "
              + mode.leastSize()
              + " to "
              + mode.mostSize()
              + " for "
              + mode.id()
              + ", not "
              + size);
    }
    if (mode == BenchMode.STARTUP && shape == Shape.PAR && size < threads) {
      throw new BadInputException(
          "size must be at least the number of threads, " + threads + ", for startup, not " + size);
    }
  }

  /** The cell in a few words, as a heading. */
  public String describe() {
    return mode.id()
        + ", "
        + (threads == 1 ? "serial" : threads + " threads")
        + (shape == Shape.PROC ? " with a cache each" : "")
        + ", "
        + Figures.count(size)
        + " objects, keys "
        + keys.id();
  }
}
