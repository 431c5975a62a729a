package io.latchkey.bench.keys;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * A recorded sequence of reads. Its keys are numbered by first appearance, from 0. Immutable; 4
 * bytes for each read, and the key objects.
 */
public final class Trace {
  private final int[] reads;
  private final Object[] objects;

  private Trace(int[] reads, Object[] objects) {
    this.reads = reads;
    this.objects = objects;
  }

  /** The number of reads. */
  public int length() {
    return reads.length;
  }

  /** The number of different keys. */
  public int objects() {
    return objects.length;
  }

  /**
   * The key of that number as the file has it, a {@code Long} or a {@code String}. Policies that
   * count by hash do better or worse with other keys.
   */
  public Object object(int key) {
    return objects[key];
  }

  /** The number of the key of a read. */
  public int key(int read) {
    return reads[read];
  }

  /** Collects the keys of a trace as they are read, record by record. */
  static final class Builder {
    private final Map<Object, Integer> numbers = new HashMap<>();
    private int[] reads = new int[1024];
    private int length;
    private int records;

    /** Adds a record of one key: a number or a text. */
    void add(Object key) {
      append(key);
      records++;
    }

    /** Adds a record of several keys, which are numbers without a gap. */
    void addRange(long first, long count) {
      for (long key = first; key < first + count; key++) {
        append(key);
      }
      records++;
    }

    private void append(Object key) {
      if (length == reads.length) {
        reads = Arrays.copyOf(reads, Math.multiplyExact(length, 2));
      }
      Integer number = numbers.putIfAbsent(key, numbers.size());
      reads[length++] = number != null ? number : numbers.size() - 1;
    }

    /** How many records were added. */
    int records() {
      return records;
    }

    Trace build() {
      Object[] objects = new Object[numbers.size()];
      numbers.forEach((key, number) -> objects[number] = key);
      return new Trace(Arrays.copyOf(reads, length), objects);
    }
  }
}
