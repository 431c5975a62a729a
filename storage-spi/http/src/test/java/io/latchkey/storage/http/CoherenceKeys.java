package io.latchkey.storage.http;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * What the objects of the coherence test mean. Each process writes keys of its own, whose objects
 * are versions that only grow, and markers: numbered, written once each and in order. The object of
 * a marker is the versions of its process that were acknowledged before.
 */
final class CoherenceKeys {
  /** Keys of a process. */
  static final int COUNT = 500;

  private static final String MARKER = "/marker/";

  private CoherenceKeys() {}

  static String key(String process, int number) {
    return process + "/" + number;
  }

  static List<String> keys(String process) {
    return IntStream.range(0, COUNT).mapToObj(number -> key(process, number)).toList();
  }

  static String marker(String process, long number) {
    return process + MARKER + number;
  }

  /** The number of a marker of the process, or 0 if it is none. */
  static long marker(String process, String key) {
    String start = process + MARKER;
    return key.startsWith(start) ? Long.parseLong(key.substring(start.length())) : 0;
  }

  static String text(long[] versions) {
    return String.join(",", LongStream.of(versions).mapToObj(Long::toString).toList());
  }

  static long[] versions(String text) {
    return List.of(text.split(",")).stream().mapToLong(Long::parseLong).toArray();
  }
}
