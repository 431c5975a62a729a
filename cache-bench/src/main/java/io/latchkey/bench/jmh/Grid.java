package io.latchkey.bench.jmh;

import io.latchkey.bench.console.BadInputException;
import io.latchkey.bench.keys.KeyOrder;
import io.latchkey.bench.peers.Implementation;
import java.util.ArrayList;
import java.util.List;

/**
 * What is to be measured.
 *
 * @param cells the places of the grid
 * @param implementations the caches that are compared in each
 */
public record Grid(List<Cell> cells, List<Implementation> implementations) {
  private static final List<Integer> USUAL_SIZES = List.of(16, 512, 4096);
  private static final int LARGE_HIT = 1_000_000;
  private static final int MAX_SIZE = 1 << 24;

  /** Checks that there is something to measure, and that it can be. */
  public Grid {
    if (cells.isEmpty() || implementations.isEmpty()) {
      throw new BadInputException(
          "nothing to measure: keys that come again (zipf) are for hit only");
    }
  }

  /**
   * Combines all modes, thread counts, sizes and orders that go together.
   *
   * @param sizes empty for the usual ones of each mode
   */
  public static Grid of(
      List<BenchMode> modes,
      List<Integer> threads,
      List<Integer> sizes,
      List<KeyOrder> keys,
      List<Implementation> implementations) {
    if (implementations.contains(Implementation.DIRECT)) {
      throw new BadInputException("implementation 'direct' caches nothing: it is for demo only");
    }
    List<Cell> cells = new ArrayList<>();
    for (BenchMode mode : modes) {
      for (int count : threads) {
        for (int size : sizes.isEmpty() ? usualSizes(mode) : sizes) {
          for (KeyOrder order : keys) {
            if (mode == BenchMode.HIT || order.eachOnce()) {
              cells.add(checked(new Cell(mode, count, size, order)));
            }
          }
        }
      }
    }
    return new Grid(List.copyOf(cells), List.copyOf(implementations));
  }

  private static List<Integer> usualSizes(BenchMode mode) {
    List<Integer> sizes = new ArrayList<>(USUAL_SIZES);
    if (mode == BenchMode.HIT) {
      sizes.add(LARGE_HIT);
    }
    return sizes;
  }

  private static Cell checked(Cell cell) {
    int max = cell.mode() == BenchMode.NOHIT ? NohitBenchmark.MAX_SIZE : MAX_SIZE;
    if (cell.size() < 1 || cell.size() > max) {
      throw new BadInputException(
          "size must be from 1 to " + max + " for " + cell.mode().id() + ", not " + cell.size());
    }
    if (cell.mode() == BenchMode.STARTUP && cell.size() < cell.threads()) {
      throw new BadInputException(
          "size must be at least the number of threads, "
              + cell.threads()
              + ", for startup, not "
              + cell.size());
    }
    return cell;
  }
}
