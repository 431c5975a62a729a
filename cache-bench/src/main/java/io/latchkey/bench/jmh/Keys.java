package io.latchkey.bench.jmh;

/** Keys for the benchmarks: boxed beforehand, and none that {@code Long} itself keeps boxed. */
final class Keys {
  private static final long FIRST = 1000;

  private Keys() {}

  /** A key object for each index, new ones on each call. */
  static Long[] box(int count) {
    Long[] keys = new Long[count];
    for (int i = 0; i < count; i++) {
      keys[i] = FIRST + i;
    }
    return keys;
  }

  /** Key objects in the order of these indexes, which are less than the count. */
  static Long[] box(int count, int[] indexes) {
    Long[] keys = box(count);
    Long[] ordered = new Long[indexes.length];
    for (int i = 0; i < indexes.length; i++) {
      ordered[i] = keys[indexes[i]];
    }
    return ordered;
  }
}
