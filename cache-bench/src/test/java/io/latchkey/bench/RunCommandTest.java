package io.latchkey.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.latchkey.bench.results.RunStamp;
import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.Storages;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunCommandTest {
  @TempDir Path directory;

  private final CommandLineFixture commandLine = new CommandLineFixture();

  /** Nothing is measured here, so another run on this machine does no harm. */
  @BeforeAll
  static void ignoreOtherRuns() {
    System.setProperty("jmh.ignoreLock", "true");
  }

  @ParameterizedTest
  @CsvSource({
    "hit,seq,chm",
    "hit,collide,latchkey",
    "nohit,seq,chm",
    "startup,seq,chm",
    "mixed,zipf,chm"
  })
  @DisplayName("measures in a fresh JVM, prints a table and writes JMH's JSON")
  void measures(String mode, String keys, String cache) throws Exception {
    Path json = directory.resolve("result.json");
    int exit =
        run("--mode", mode, "--keys", keys, "--shape", "par", "--impl", cache, "--json", "" + json);
    assertThat(commandLine.errLines())
        .allMatch(line -> line.startsWith("measuring: ") || line.startsWith("warning: "));
    assertThat(exit).isZero();
    assertThat(commandLine.outLines())
        .anyMatch(line -> line.matches(mode + ", \\d+ threads, 64 objects, keys " + keys + ".*"))
        .anyMatch(line -> line.matches("  " + cache + " +[\\d.,]+ .*[\\d.,]+"));
    assertThat(Files.readString(json))
        .contains("\"implementation\": \"" + cache + "\"", "\"size\": \"64\"", "\"forks\": 1")
        .contains("gc.alloc.rate.norm");
  }

  @Test
  @DisplayName("threads with a cache each; loads without a cache; objects of bytes, slow to load")
  void shapesAndSources() {
    int exit =
        run(
            "--mode",
            "startup,noop-storage",
            "--shape",
            "proc",
            "--impl",
            "latchkey-future",
            "--value-size",
            "100",
            "--latency",
            "20");
    assertThat(exit).isZero();
    assertThat(commandLine.outLines())
        .contains("startup, 2 threads with a cache each, 64 objects, keys seq")
        .contains("noop-storage, 2 threads with a cache each, 64 objects, keys seq")
        .anyMatch(line -> line.matches("  latchkey-future +[\\d,]{5,} .*"))
        .anyMatch(line -> line.matches("  direct +[\\d,]{5,} +\\S+ +\\d{3,}"));
  }

  @Test
  @DisplayName("the credentials of a storage's URL are in no message and in no stamp of results")
  void credentials() {
    int exit =
        run("--mode", "nohit", "--impl", "latchkey", "--storage", "memory:?password=hunter2");
    assertThat(exit).isEqualTo(2);
    assertThat(String.join("\n", commandLine.errLines())).doesNotContain("hunter2");
    JsonObject stamped = new JsonObject();
    new RunStamp("run", List.of("--storage=other://ada:hunter2@host/db"), true)
        .addTo(stamped, List.of());
    assertThat(stamped.toString()).contains("--storage=other://").doesNotContain("hunter2");
  }

  @Test
  @DisplayName("objects of a storage opened by URL; those that are missing are stored")
  void openedStorage() throws Exception {
    Path file = directory.resolve("store.db");
    int exit =
        run(
            "--mode",
            "hit",
            "--shape",
            "serial",
            "--impl",
            "latchkey",
            "--value-size",
            "10",
            "--storage",
            "mvstore:" + file);
    assertThat(commandLine.errLines()).noneMatch(line -> line.startsWith("latchkey-bench"));
    assertThat(exit).isZero();
    try (Storage<Long, byte[]> store =
        Storages.open("mvstore:" + file, Codec.int64(), Codec.bytes())) {
      assertThat(store.load(1000L)).hasSize(10);
      assertThat(store.load(1063L)).hasSize(10);
      assertThat(store.load(1064L)).isNull();
    }
  }

  @Test
  @DisplayName("the objects of a trace, in its order")
  void trace() throws Exception {
    Path trace = Files.writeString(directory.resolve("trace"), "7\n8\n7\n9\n7\n");
    int exit =
        run("--mode", "hit", "--shape", "serial", "--impl", "chm", "--keys", "trace:" + trace);
    assertThat(exit).isZero();
    assertThat(commandLine.outLines()).contains("hit, serial, 3 objects, keys trace:" + trace);
  }

  @Test
  @DisplayName("size 0 is a cache that holds nothing, for the modes and caches that have it")
  void sizeZero() {
    int exit =
        commandLine.execute(
            "run --quick --iterations 1 --time 10 --mode nohit,startup --shape serial --size 0,64"
                .concat(" --impl latchkey,cache2k")
                .split(" "));
    assertThat(exit).isZero();
    assertThat(commandLine.outLines())
        .contains("nohit, serial, 0 objects, keys seq", "nohit, serial, 64 objects, keys seq")
        .contains("startup, serial, 64 objects, keys seq")
        .doesNotContain("startup, serial, 0 objects, keys seq");
    assertThat(commandLine.outLines().stream().filter(line -> line.startsWith("  cache2k")))
        .hasSize(2);
  }

  @Test
  @DisplayName("forks that took turns are one result, with the ratio of each to ours")
  void forksAreMerged() throws Exception {
    Path json = directory.resolve("result.json");
    int exit =
        run(
            "--mode",
            "hit",
            "--shape",
            "serial",
            "--impl",
            "latchkey,chm",
            "--forks",
            "2",
            "--json",
            json.toString());
    assertThat(exit).isZero();
    assertThat(commandLine.outLines())
        .anyMatch(line -> line.matches("  latchkey +[\\d.,]+ +\\S+ +1x +[\\d.,]+"))
        .anyMatch(
            line -> line.matches("  chm +[\\d.,]+ +\\S+ +[\\d.,]+x +\\S+x \\.\\. \\S+x +\\S+"));
    assertThat(Files.readString(json))
        .containsOnlyOnce("\"implementation\": \"chm\"")
        .contains("\"forks\": 2", "\"tool\": \"latchkey-bench run\"", "\"quick\": true");
  }

  private int run(String... arguments) {
    String[] all = new String[arguments.length + 8];
    String[] small = {"run", "--size", "64", "--iterations", "1", "--time", "10", "--quick"};
    System.arraycopy(small, 0, all, 0, small.length);
    System.arraycopy(arguments, 0, all, small.length, arguments.length);
    return commandLine.execute(all);
  }
}
