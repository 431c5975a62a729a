package io.latchkey.bench;

import io.latchkey.bench.jmh.Source;
import picocli.CommandLine.Option;

/** Where the loads of a JMH command come from. */
final class SourceOptions {
  @Option(
      names = "--value-size",
      paramLabel = "BYTES",
      defaultValue = "0",
      description =
          "Bytes of an object, allocated by its load; 0 for the key itself, which allocates nothing"
              + " (${DEFAULT-VALUE}).")
  private int valueSize;

  @Option(
      names = "--latency",
      paramLabel = "US",
      defaultValue = "0",
      description = "How long a load is made to take, in microseconds (${DEFAULT-VALUE}).")
  private int latency;

  @Option(
      names = "--storage",
      paramLabel = "URL",
      defaultValue = Source.NONE,
      description =
          "Load from this storage, any whose backend is on the class path, as in mvstore:FILE. Keys"
              + " are numbers from 1000 on; objects that are missing are stored first, none is"
              + " changed (${DEFAULT-VALUE}).")
  private String url = Source.NONE;

  /** The source, of which the storage was opened once to see that it can be. */
  Source source() {
    Source source = new Source(valueSize, latency, url);
    source.check();
    return source;
  }
}
