package io.latchkey.bench.jmh;

import io.latchkey.bench.keys.KeyOrder;

/** Keys for the benchmarks: boxed beforehand, and none that {@code Long} itself keeps boxed. */
final class Keys {
  private static final long FIRST = 1000;

  private Keys() {}

  /** Key objects in this order, each made once: numbers, or objects that share one hash. */
  static Object[] of(KeyOrder order, int count) {
    Object[] keys = new Object[count];
    for (int i = 0; i < count; i++) {
      keys[i] = order.collides() ? new Collider(i) : Long.valueOf(FIRST + i);
    }
    int[] indexes = order.indexes(count);
    Object[] ordered = new Object[indexes.length];
    for (int i = 0; i < indexes.length; i++) {
      ordered[i] = keys[indexes[i]];
    }
    return ordered;
  }

  /** Has the hash of all others, and an order that trees can use. */
  private record Collider(int number) implements Comparable<Collider> {
    @Override
    public int hashCode() {
      return 42;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Collider collider && collider.number == number;
    }

    @Override
    public int compareTo(Collider other) {
      return Integer.compare(number, other.number);
    }
  }
}
