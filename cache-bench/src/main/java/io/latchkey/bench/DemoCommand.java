package io.latchkey.bench;

import io.latchkey.bench.console.BadInputException;
import io.latchkey.bench.console.Screen;
import io.latchkey.bench.demo.Demo;
import io.latchkey.bench.demo.DemoSettings;
import io.latchkey.bench.keys.Trace;
import io.latchkey.bench.keys.TraceFile;
import io.latchkey.bench.keys.TraceFormat;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code demo}: all caches over one store, checked while they are measured. */
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Shows the cache at work on a store, an MVStore file unless told: creates many objects, then"
          + " reads them directly, through a cache written by hand, through Caffeine and"
          + " through Latchkey, all with the same bound and the same reads, in turn.",
      "",
      "While threads read, a writer updates objects through the cache, and every read is checked:"
          + " it must not get a version older than the one acknowledged before it began. Then many"
          + " callers ask at once for one object that is not cached.",
      "",
    },
    footer = {
      "",
      "Exits with 1 if Latchkey let a stale object be read, or loaded the object of a stampede"
          + " more than once.",
      "",
      "Examples:",
      "  latchkey-bench demo --objects 20000 --seconds 2",
      "  latchkey-bench demo --trace multi2.gz --format lirs",
      "  latchkey-bench demo --storage 'memory:' --objects 20000",
    })
final class DemoCommand implements Callable<Integer> {
  private static final int DEFAULT_OBJECTS = 200_000;
  private static final double DEFAULT_SKEW = 0.99;

  private final Screen screen;

  @Option(names = "--objects", paramLabel = "N", description = "Objects in the store (200000).")
  private @Nullable Integer objects;

  @Option(
      names = "--value-size",
      paramLabel = "BYTES",
      defaultValue = "256",
      description = "Payload of an object (${DEFAULT-VALUE}).")
  private int bytes;

  @Option(
      names = "--bound",
      paramLabel = "N",
      description = "Objects that a cache may hold (a tenth of all).")
  private @Nullable Integer bound;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "8",
      description = "Threads that read (${DEFAULT-VALUE}).")
  private int threads;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "8",
      description =
          "Measured time of each cache (${DEFAULT-VALUE}); of a trace at least one pass is"
              + " replayed.")
  private double seconds;

  @Option(
      names = "--writes",
      paramLabel = "N",
      defaultValue = "200",
      description = "Objects updated a second, 0 for none (${DEFAULT-VALUE}).")
  private int writesPerSecond;

  @Option(
      names = "--skew",
      paramLabel = "S",
      description = "Skew of Zipf's law, by which objects are chosen; 0 is uniform (0.99).")
  private @Nullable Double skew;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "42",
      description = "Decides what is random (${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--callers",
      paramLabel = "N",
      defaultValue = "500",
      description = "Callers of the stampede (${DEFAULT-VALUE}).")
  private int callers;

  @Option(
      names = "--stampede-latency",
      paramLabel = "MS",
      defaultValue = "20",
      description =
          "How long the load of the cold object is made to take, in milliseconds, as if the store"
              + " were far away (${DEFAULT-VALUE}).")
  private int latencyMillis;

  @Option(
      names = "--file",
      paramLabel = "FILE",
      description =
          "MVStore file to open, or to create if there is none; missing objects are added."
              + " Without it a temporary file is used.")
  private @Nullable Path file;

  @Option(
      names = "--storage",
      paramLabel = "URL",
      description =
          "Another store, any whose backend is on the class path; missing objects are added to it."
              + " A table for nothing else, as in"
              + " jdbc:postgresql://HOST/DATABASE?user=U&table=demo&create=true.")
  private @Nullable String storage;

  @Option(
      names = "--trace",
      paramLabel = "FILE",
      description =
          "Replay the reads of this file, plain or compressed (.gz, .xz); its keys are the objects.")
  private @Nullable Path traceFile;

  @Option(
      names = "--format",
      paramLabel = "F",
      description = "Format of the trace, as in replay --help (lirs).")
  private @Nullable String format;

  DemoCommand(Screen screen) {
    this.screen = screen;
  }

  @Override
  public Integer call() {
    Demo.run(settings(), screen);
    return 0;
  }

  private DemoSettings settings() {
    require("--value-size", bytes, 0, 1 << 20);
    require("--threads", threads, 1, 1000);
    require("--writes", writesPerSecond, 0, 1_000_000);
    require("--callers", callers, 1, 20_000);
    require("--stampede-latency", latencyMillis, 0, 10_000);
    if (!(seconds > 0 && seconds <= 3600)) {
      throw new BadInputException("--seconds must be more than 0 and at most 3600, not " + seconds);
    }
    if (skew != null && !(skew >= 0 && skew <= 10)) {
      throw new BadInputException("--skew must be from 0 to 10, not " + skew);
    }
    if (objects != null) {
      require("--objects", objects, 1, 1 << 26);
    }
    if (bound != null) {
      require("--bound", bound, 0, 1 << 26);
    }
    if (file != null && storage != null) {
      throw new BadInputException("--file and --storage exclude each other: give one of them");
    }
    Trace trace = trace();
    int count = trace != null ? trace.objects() : objects != null ? objects : DEFAULT_OBJECTS;
    return new DemoSettings(
        count,
        bytes,
        bound != null ? bound : Math.max(1, count / 10),
        threads,
        Duration.ofNanos((long) (seconds * 1e9)),
        writesPerSecond,
        skew != null ? skew : DEFAULT_SKEW,
        seed,
        callers,
        Duration.ofMillis(latencyMillis),
        file,
        storage,
        trace,
        traceFile != null ? String.valueOf(traceFile.getFileName()) : "");
  }

  private @Nullable Trace trace() {
    if (traceFile == null) {
      if (format != null) {
        throw new BadInputException("--format " + format + " needs a trace: add --trace FILE");
      }
      return null;
    }
    if (objects != null) {
      throw new BadInputException(
          "--objects and --trace exclude each other: the keys of the trace are the objects");
    }
    if (skew != null) {
      throw new BadInputException(
          "--skew and --trace exclude each other: the trace tells what is read");
    }
    return TraceFile.read(traceFile, TraceFormat.of(format != null ? format : "lirs"));
  }

  private static void require(String option, int value, int min, int max) {
    if (value < min || value > max) {
      throw new BadInputException(
          option + " must be from " + min + " to " + max + ", not " + value);
    }
  }
}
