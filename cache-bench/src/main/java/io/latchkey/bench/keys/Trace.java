package io.latchkey.bench.keys;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * A recorded sequence of reads. Its keys are numbered by first appearance, from 0. Immutable; 4
 * bytes for each read.
 */
public final class Trace {
  private final int[] reads;
  private final int objects;

  private Trace(int[] reads, int objects) {
    this.reads = reads;
    this.objects = objects;
  }

  /** The number of reads. */
  public int length() {
    return reads.length;
  }

  /** The number of different keys. */
  public int objects() {
    return objects;
  }

  /** The key of a read. */
  public int key(int read) {
    return reads[read];
  }

  /** Collects the keys of a trace as they are read. */
  static final class Builder {
    private final Map<Long, Integer> numbers = new HashMap<>();
    private int[] reads = new int[1024];
    private int length;

    void add(long key) {
      if (length == reads.length) {
        reads = Arrays.copyOf(reads, Math.multiplyExact(length, 2));
      }
      Integer number = numbers.putIfAbsent(key, numbers.size());
      reads[length++] = number != null ? number : numbers.size() - 1;
    }

    int length() {
      return length;
    }

    Trace build() {
      return new Trace(Arrays.copyOf(reads, length), numbers.size());
    }
  }
}
