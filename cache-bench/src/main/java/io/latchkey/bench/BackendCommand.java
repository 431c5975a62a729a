package io.latchkey.bench;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.latchkey.bench.backend.BackendKeys;
import io.latchkey.bench.backend.BackendRun;
import io.latchkey.bench.backend.BulkGain;
import io.latchkey.bench.backend.ReadResult;
import io.latchkey.bench.console.BadInputException;
import io.latchkey.bench.console.Figures;
import io.latchkey.bench.console.Machine;
import io.latchkey.bench.console.OutputFile;
import io.latchkey.bench.console.Progress;
import io.latchkey.bench.console.Screen;
import io.latchkey.bench.console.Table;
import io.latchkey.bench.results.JsonFile;
import io.latchkey.bench.results.RunStamp;
import io.latchkey.bench.results.Warnings;
import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.StorageUrl;
import io.latchkey.storage.Storages;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code backend}: load latencies of the user's own storage. */
@Command(
    name = "backend",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measures how long your storage takes to load objects: one by one and in bulk, cold and warm,"
          + " by itself and behind the cache, with one thread. Each way to read has a quarter of"
          + " the keys in random order, so that its first reading of an object, the cold one, is the"
          + " first of all. Then it reads them again, for half a second without measuring, so that"
          + " the JVM has compiled the code, and --warm times.",
      "",
      "It only reads, unless --fill is given.",
      "",
    },
    footer = {
      "",
      "Times include about 25 ns for reading the clock. Caches of the system are not emptied.",
      "",
      "Example: latchkey-bench backend --storage mvstore:objects.db --keys 0..99999",
      "Another backend: java -cp latchkey-bench.jar:backend.jar io.latchkey.bench.LatchkeyBench"
          + " backend --storage URL",
    })
final class BackendCommand implements Callable<Integer> {
  private static final double[] PERCENTILES = {50, 90, 99, 99.9};

  /** Hits are so fast that all warm readings would be over before their code is compiled anew. */
  private static final Duration SETTLING = Duration.ofMillis(500);

  /** What storages that make what they do not find keep their objects in. */
  private static final Map<String, String> EMBEDDED =
      Map.of("mvstore", "file", "rocksdb", "folder");

  private final Screen screen;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--storage",
      paramLabel = "URL",
      required = true,
      description =
          "The storage, as in mvstore:FILE or jdbc:postgresql://HOST/DATABASE?user=U&table=T.")
  private String url = "";

  @Option(
      names = "--keys",
      paramLabel = "A..B",
      description = "Read the objects with these numbers as keys (0..9999).")
  private @Nullable String range;

  @Option(
      names = "--key-file",
      paramLabel = "FILE",
      description = "Read the objects with the keys in this file, a key a line.")
  private @Nullable Path keyFile;

  @Option(
      names = "--key-codec",
      paramLabel = "CODEC",
      defaultValue = "int64",
      description =
          "How keys become bytes: int64, 8 bytes big-endian, or utf8, their text"
              + " (${DEFAULT-VALUE}). Objects are read as bytes.")
  private String keyCodec = "";

  @Option(
      names = "--batch",
      paramLabel = "N",
      defaultValue = "100",
      description = "Objects of a bulk (${DEFAULT-VALUE}).")
  private int batch;

  @Option(
      names = "--warm",
      paramLabel = "N",
      defaultValue = "3",
      description = "Times that each object is read again (${DEFAULT-VALUE}).")
  private int warm;

  @Option(
      names = "--bound",
      paramLabel = "N",
      description = "Objects that the cache may hold (as many as there are keys).")
  private @Nullable Integer bound;

  @Option(
      names = "--fill",
      description =
          "First store an object for each key that has none; what is there stays as it is.")
  private boolean fill;

  @Option(
      names = "--value-size",
      paramLabel = "BYTES",
      defaultValue = "256",
      description = "Size of the objects that --fill stores (${DEFAULT-VALUE}).")
  private int valueSize;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "42",
      description = "Decides the order of reading (${DEFAULT-VALUE}).")
  private long seed;

  @Option(names = "--json", paramLabel = "FILE", description = "Write the results as JSON.")
  private @Nullable Path json;

  BackendCommand(Screen screen) {
    this.screen = screen;
  }

  @Override
  public Integer call() {
    require("--batch", batch, 1, 1 << 20);
    require("--warm", warm, 1, 1000);
    require("--value-size", valueSize, 0, 1 << 24);
    if (bound != null) {
      require("--bound", bound, 0, 1 << 26);
    }
    if (range != null && keyFile != null) {
      throw new BadInputException("--keys and --key-file exclude each other: give one of them");
    }
    BackendKeys<?> keys =
        keyFile != null
            ? BackendKeys.file(keyFile, keyCodec)
            : BackendKeys.range(range != null ? range : "0..9999", keyCodec);
    measure(keys);
    return 0;
  }

  private <K> void measure(BackendKeys<K> keys) {
    OutputFile output = json != null ? OutputFile.of("--json", json) : null;
    List<String> typed = LatchkeyBench.typed(spec);
    RunStamp stamp = new RunStamp("backend", typed, false);
    try (Storage<K, byte[]> storage = open(keys.codec())) {
      int count = keys.keys().size();
      BackendRun<K> run =
          new BackendRun<>(
              storage, keys.keys(), batch, warm, bound != null ? bound : count, seed, SETTLING);
      screen.out().println("  machine  " + Machine.describe());
      screen.out().printf("  storage  %s, %s keys (%s)%n", name(), Figures.count(count), keyCodec);
      screen.out().flush();
      if (fill) {
        fill(run, count);
      }
      Warnings warnings = new Warnings(screen);
      List<ReadResult> results;
      try (Progress progress = screen.progress("reading", "objects", run.reads())) {
        results = run.run(progress);
      }
      warnings.end();
      screen.out().println();
      screen.print(table(results));
      BulkGain.of(results).ifPresent(gain -> screen.out().printf("%n%s%n", gain.sentence()));
      screen.out().flush();
      warnOfMissing(results, warnings);
      if (output != null) {
        output.write(JsonFile.text(file(stamp, warnings, results, count)));
      }
    }
  }

  private <K> Storage<K, byte[]> open(Codec<K> codec) {
    try {
      StorageUrl parsed = StorageUrl.parse(url);
      String embedded = EMBEDDED.get(parsed.scheme());
      if (!fill && embedded != null && !Files.exists(parsed.file())) {
        throw new BadInputException(
            "--storage "
                + parsed
                + ": there is no such "
                + embedded
                + "; check the path, or add --fill to create it");
      }
      return Storages.open(url, codec, Codec.bytes());
    } catch (StorageException | IllegalArgumentException e) {
      throw new BadInputException("--storage: " + e.getMessage(), e);
    }
  }

  private String name() {
    return StorageUrl.redact(url);
  }

  private void fill(BackendRun<?> run, int count) {
    int stored;
    try (Progress progress = screen.progress("filling", "objects", count)) {
      stored = run.fill(valueSize, progress);
    }
    screen
        .out()
        .printf(
            "  filled   %s objects of %s bytes; what is cold is warmer than in a run without --fill%n",
            Figures.count(stored), Figures.count(valueSize));
    screen.out().flush();
  }

  private static Table table(List<ReadResult> results) {
    Table table =
        new Table("read from", "", "calls", "p50", "p90", "p99", "p99.9", "max", "per object");
    for (ReadResult result : results) {
      String[] cells = new String[9];
      cells[0] =
          result.through()
              + (result.batch() == 1 ? ", one by one" : ", bulks of " + result.batch());
      cells[1] = result.warm() ? "warm" : "cold";
      cells[2] = Figures.count(result.calls());
      for (int i = 0; i < PERCENTILES.length; i++) {
        cells[3 + i] = Figures.duration(result.nanos(PERCENTILES[i]));
      }
      cells[7] = Figures.duration(result.maxNanos());
      cells[8] = Figures.duration(Math.round(result.nanosPerObject()));
      table.row(cells);
    }
    return table;
  }

  private static void warnOfMissing(List<ReadResult> results, Warnings warnings) {
    long asked = results.stream().filter(r -> !r.warm()).mapToLong(ReadResult::asked).sum();
    long found = results.stream().filter(r -> !r.warm()).mapToLong(ReadResult::found).sum();
    if (found < asked) {
      warnings.add(
          Figures.count(asked - found)
              + " of "
              + Figures.count(asked)
              + " keys have no object; the cache loads those each time");
    }
  }

  private JsonObject file(RunStamp stamp, Warnings warnings, List<ReadResult> results, int count) {
    JsonObject file = new JsonObject();
    stamp.addTo(file, warnings.list());
    file.addProperty("storage", name());
    file.addProperty("keys", count);
    JsonArray all = new JsonArray();
    results.forEach(result -> all.add(result.json()));
    file.add("results", all);
    BulkGain.of(results).ifPresent(gain -> file.add("bulkGain", gain.json()));
    return file;
  }

  private static void require(String option, int value, int min, int max) {
    if (value < min || value > max) {
      throw new BadInputException(
          option + " must be from " + min + " to " + max + ", not " + value);
    }
  }
}
