package io.latchkey.bench.replay;

import io.latchkey.bench.keys.Trace;
import io.latchkey.bench.keys.TraceFile;
import io.latchkey.bench.keys.TraceFormat;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/** Makes traces of keys. */
final class TraceFixture {
  private TraceFixture() {}

  static Trace of(int... keys) {
    try {
      Path file = Files.createTempFile("trace", ".txt");
      try {
        Files.writeString(
            file, Arrays.stream(keys).mapToObj(String::valueOf).collect(Collectors.joining("\n")));
        return TraceFile.read(file, TraceFormat.LIRS);
      } finally {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Keys among so many, small ones more often. */
  static int[] random(long seed, int length, int keys) {
    SplittableRandom random = new SplittableRandom(seed);
    int[] trace = new int[length];
    for (int read = 0; read < length; read++) {
      trace[read] = random.nextInt(1 + random.nextInt(keys));
    }
    return trace;
  }
}
