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

  /** Checks that there is something to measure, and that it can be. */
  public Grid {
    if (cells.isEmpty() || implementations.isEmpty()) {
      throw new BadInputException(
          "nothing to measure: nohit and startup are for seq, uniform and collide keys, mixed is for zipf"
              + " and trace");
    }
    if (implementations.contains(Implementation.DIRECT)) {
      throw new BadInputException(
          "implementation 'direct' caches nothing: use --mode noop-storage for it");
    }
  }

  /**
   * Combines all modes, shapes, sizes and orders that go together.
   *
   * @param threads how many in shapes that are not serial
   * @param sizes empty for the usual ones of each mode; size 0 is for those that take it
   */
  public static Grid of(
      List<BenchMode> modes,
      List<Shape> shapes,
      int threads,
      List<Integer> sizes,
      List<KeyOrder> keys,
      List<Implementation> implementations) {
    List<Cell> cells = new ArrayList<>();
    for (BenchMode mode : modes) {
      for (Shape shape : shapes) {
        int count = shape == Shape.SERIAL ? 1 : threads;
        for (KeyOrder order : keys) {
          if (mode.takes(order)) {
            for (int size : sizes(mode, order, sizes)) {
              cells.add(new Cell(mode, shape, count, size, order));
            }
          }
        }
      }
    }
    return new Grid(List.copyOf(cells), List.copyOf(implementations));
  }

  private static List<Integer> sizes(BenchMode mode, KeyOrder order, List<Integer> asked) {
    if (mode == BenchMode.NOOP_STORAGE) {
      return List.of(
          order.objects(
              asked.stream()
                  .max(Integer::compare)
                  .orElse(USUAL_SIZES.get(USUAL_SIZES.size() - 1))));
    }
    if (mode == BenchMode.HIT && order.isTrace()) {
      return List.of(order.objects(0));
    }
    if (asked.isEmpty()) {
      return usualSizes(mode);
    }
    // In a grid of several sizes, 0 goes with some modes only; alone it is refused by the others.
    return asked.size() == 1
        ? asked
        : asked.stream().filter(size -> size != 0 || mode.leastSize() == 0).toList();
  }

  private static List<Integer> usualSizes(BenchMode mode) {
    List<Integer> sizes = new ArrayList<>(USUAL_SIZES);
    if (mode == BenchMode.HIT) {
      sizes.add(LARGE_HIT);
    }
    return sizes;
  }

  /** The caches that can be measured in a cell. */
  public List<Implementation> implementations(Cell cell) {
    if (cell.mode() == BenchMode.NOOP_STORAGE) {
      return List.of(Implementation.DIRECT);
    }
    return cell.size() > 0
        ? implementations
        : implementations.stream().filter(Implementation::takesZero).toList();
  }

  /** How many JVMs one round over all cells takes. */
  public int round() {
    return cells.stream().mapToInt(cell -> implementations(cell).size()).sum();
  }
}
