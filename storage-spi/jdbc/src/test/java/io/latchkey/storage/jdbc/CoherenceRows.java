package io.latchkey.storage.jdbc;

import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/**
 * What the rows of the coherence test mean. Each of the first {@link #PAIRS} keys has a version
 * that only grows, and a twin, {@link #PAIRS} further on, that has the same version after each
 * transaction. The accounts always add up to zero. Negative keys are markers: each is written once,
 * and lists the versions whose commits were acknowledged before it was written.
 */
final class CoherenceRows {
  static final int PAIRS = 100;
  static final int ACCOUNTS = 16;
  private static final long FIRST_ACCOUNT = 10_000;

  private CoherenceRows() {}

  static long twin(long key) {
    return key + PAIRS;
  }

  /** The key whose version a row has, whether it is the first or its twin. */
  static int pair(long key) {
    return (int) (key % PAIRS);
  }

  static long account(int number) {
    return FIRST_ACCOUNT + number;
  }

  static List<Long> accounts() {
    return LongStream.range(FIRST_ACCOUNT, FIRST_ACCOUNT + ACCOUNTS).boxed().toList();
  }

  /** All keys but the markers. */
  static List<Long> keys() {
    return LongStream.concat(
            LongStream.range(0, 2 * PAIRS),
            LongStream.range(FIRST_ACCOUNT, FIRST_ACCOUNT + ACCOUNTS))
        .boxed()
        .toList();
  }

  /** Reads what a marker lists. */
  static long[] versions(String marker) {
    return Arrays.stream(marker.split(",")).mapToLong(Long::parseLong).toArray();
  }
}
