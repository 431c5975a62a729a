package io.latchkey.bench.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Files of results, made up. */
public final class ResultsFixture {
  private static final String STAMP =
      """
      "version": "1", "command": ["run", "--impl", "a b", "--size", "16,512"], "quick": true,
      "start": "2026-01-02T03:04:05Z", "warnings": ["the machine was <busy>"],
      "machine": {"cpu": "Abacus 3000", "cores": "2", "memory": "64 MB", "jvm": "JVM 17"}
      """;

  private ResultsFixture() {}

  /** A run of two modes, two caches, two sizes and two shapes; two forks each. */
  public static Path run(Path directory) throws IOException {
    List<String> results = new ArrayList<>();
    for (String mode : List.of("Hit", "Nohit")) {
      for (String shape : List.of("serial", "par")) {
        for (int size : new int[] {16, 512}) {
          results.add(jmh(mode, shape, size, "latchkey", mode.equals("Hit") ? 8 : 150));
          results.add(jmh(mode, shape, size, "caffeine", mode.equals("Hit") ? 32.5 : 390));
        }
      }
    }
    String text = "[" + String.join(",", results) + "]";
    return Files.writeString(directory.resolve("run.json"), text);
  }

  private static String jmh(
      String mode, String shape, int size, String implementation, double score) {
    return """
        {"benchmark": "io.latchkey.bench.jmh.%sBenchmark.get", "threads": %d, "forks": 2,
         "jvmArgs": ["-Xmx1g"], "vmName": "JVM", "vmVersion": "17",
         "measurementIterations": 5, "measurementTime": "1 s",
         "warmupIterations": 5, "warmupTime": "1 s",
         "params": {"implementation": "%s", "shape": "%s", "size": "%d", "keys": "seq",
                    "latency": "0", "storage": "none", "valueSize": "0"},
         "primaryMetric": {"score": %s, "scoreError": "NaN", "scoreUnit": "ns/op",
                           "rawData": [[%s, %s], [%s, %s]]},
         "secondaryMetrics": {"gc.alloc.rate.norm": {"score": 32.0}},
         "latchkey": {"tool": "latchkey-bench run", %s}}
        """
        .formatted(
            mode,
            shape.equals("par") ? 2 : 1,
            implementation,
            shape,
            size,
            score,
            score - 2,
            score,
            score,
            score + 2,
            STAMP);
  }

  /** A file that JMH wrote without this tool. */
  public static Path foreign(Path directory) throws IOException {
    return Files.writeString(
        directory.resolve("foreign.json"),
        """
        [{"benchmark": "com.example.SortBench.quick", "threads": 1, "forks": 1,
          "vmName": "JVM", "vmVersion": "17", "jvmArgs": [],
          "measurementIterations": 2, "measurementTime": "1 s",
          "warmupIterations": 2, "warmupTime": "1 s",
          "params": {"algorithm": "a very long name of an algorithm, longer than any chart is wide, x"},
          "primaryMetric": {"score": 5.5, "scoreError": 0.1, "scoreUnit": "ops/us",
                            "rawData": [[5.0, 6.0]]}}]
        """);
  }

  public static Path memory(Path directory) throws IOException {
    return Files.writeString(
        directory.resolve("memory.json"),
        """
        {"tool": "latchkey-bench memory", %s, "entries": 1000, "results": [
          {"implementation": "latchkey", "expiry": "none", "entries": 1000, "objects": 1010,
           "bytes": 44000, "heapBytes": 45000, "bytesPerEntry": 44.0, "heapBytesPerEntry": 45.0},
          {"implementation": "guava", "expiry": "write", "entries": 990, "objects": 2000,
           "bytes": 85000, "heapBytes": 86000, "bytesPerEntry": 85.9, "heapBytesPerEntry": 86.9}]}
        """
            .formatted(STAMP));
  }

  public static Path flight(Path directory) throws IOException {
    return Files.writeString(
        directory.resolve("flight.json"),
        """
        {"tool": "latchkey-bench flight", %s, "results": [
          {"implementation": "latchkey", "callers": 1, "loads": 1,
           "leaderNanos": [900, 950], "lastNanos": [900, 950], "bytesPerWaiter": []},
          {"implementation": "latchkey", "callers": 512, "loads": 1,
           "leaderNanos": [1500, 1600], "lastNanos": [3000000, 4000000], "bytesPerWaiter": [32.0]}]}
        """
            .formatted(STAMP));
  }

  public static Path replay(Path directory) throws IOException {
    return Files.writeString(
        directory.resolve("replay.json"),
        """
        {"tool": "latchkey-bench replay", %s, "trace": "loop.gz", "format": "lirs",
         "reads": 1000, "objects": 100, "results": [
          {"policy": "latchkey", "size": 10, "reads": 1000, "hits": [90, 92], "nanosPerRead": [80, 90]},
          {"policy": "lru", "size": 10, "reads": 1000, "hits": [0], "nanosPerRead": []},
          {"policy": "latchkey", "size": 50, "reads": 1000, "hits": [480, 480], "nanosPerRead": [60, 70]},
          {"policy": "lru", "size": 50, "reads": 1000, "hits": [0], "nanosPerRead": []}]}
        """
            .formatted(STAMP));
  }

  public static Path backend(Path directory) throws IOException {
    return Files.writeString(
        directory.resolve("backend.json"),
        """
        {"tool": "latchkey-bench backend", %s, "storage": "mvstore:x.db", "keys": 100, "results": [
          {"through": "storage", "batch": 1, "warm": false, "calls": 25, "asked": 25, "found": 25,
           "nanosPerObject": 12000.5,
           "nanosPerCall": {"p50": 9000, "p90": 15000, "p99": 90000, "p99.9": 99000, "max": 99000}},
          {"through": "cache", "batch": 100, "warm": true, "calls": 3, "asked": 75, "found": 75,
           "nanosPerObject": 80.5,
           "nanosPerCall": {"p50": 8000, "p90": 8500, "p99": 8600, "p99.9": 8600, "max": 8600}}]}
        """
            .formatted(STAMP));
  }

  public static Path neighbour(Path directory) throws IOException {
    return Files.writeString(
        directory.resolve("neighbour.json"),
        """
        {"tool": "latchkey-bench neighbour", %s, "loadMillis": 500, "results": [
          {"work": "get", "implementation": "latchkey", "nanos": [52000, 61000], "waited": 0},
          {"work": "get", "implementation": "guava", "nanos": [500123000, 501000000], "waited": 2},
          {"work": "inserts", "implementation": "latchkey", "nanos": [39000000], "waited": 0}]}
        """
            .formatted(STAMP));
  }

  /** A command that has no charts of its own. */
  static Path other(Path directory) throws IOException {
    return Files.writeString(
        directory.resolve("other.json"),
        """
        {"tool": "latchkey-bench other", %s, "results": [
          {"work": "get", "implementation": "latchkey", "nanos": [100, 300], "waited": false},
          {"work": "get", "implementation": "chm", "nanos": [], "waited": true, "n": 12345}]}
        """
            .formatted(STAMP));
  }

  /** One of each. */
  public static List<Path> all(Path directory) throws IOException {
    return List.of(
        run(directory),
        foreign(directory),
        memory(directory),
        flight(directory),
        replay(directory),
        backend(directory),
        neighbour(directory));
  }
}
