package io.latchkey.storage.redis;

import java.util.List;
import java.util.stream.IntStream;

/**
 * What the objects of the coherence test mean. Each object is a version, which only grows. Markers
 * are numbered and written once each, in order; the object of one is its number, then the versions
 * that were acknowledged before it was written.
 */
final class CoherenceKeys {
  static final int COUNT = 100;
  static final String PREFIX = "coherence:";
  private static final String MARKER = "marker";

  private CoherenceKeys() {}

  static String key(int number) {
    return "k" + number;
  }

  static List<String> keys() {
    return IntStream.range(0, COUNT).mapToObj(CoherenceKeys::key).toList();
  }

  static String marker(long number) {
    return MARKER + number;
  }

  /** The number of a marker, or 0 if it is none. */
  static long marker(String key) {
    return key.startsWith(MARKER) ? Long.parseLong(key.substring(MARKER.length())) : 0;
  }

  /** The number and the versions of a marker's object. */
  static long[] versions(String text) {
    return List.of(text.split(",")).stream().mapToLong(Long::parseLong).toArray();
  }
}
