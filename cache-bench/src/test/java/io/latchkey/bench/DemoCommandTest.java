package io.latchkey.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.storage.WritableStorage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DemoCommandTest {
  private static final List<String> TITLES =
      List.of("the store itself", "ConcurrentHashMap + futures", "Caffeine", "Latchkey");

  @TempDir Path directory;

  private final CommandLineFixture commandLine = new CommandLineFixture();

  @Test
  @DisplayName("reads through all caches, fresh, and loads once for a stampede")
  void drawn() {
    assertThat(demo("--objects", "2000", "--seconds", "1", "--writes", "500")).isZero();

    assertThat(commandLine.out())
        .containsPattern(
            "store +MVStore, a temporary file, \\d+ MB, 2,000 objects of 256 bytes, created")
        .contains("drawn by Zipf's law, skew 0.99, seed 42")
        .contains("each may hold 200 objects (10.0 % of all)")
        .containsPattern("a writer made [1-9][\\d,]* updates")
        .contains("No stale object was read through Latchkey");
    for (String title : TITLES) {
      List<String> rows = rows(title);
      assertThat(rows).as(title).hasSize(2);
      String[] reads = cells(rows.get(0));
      assertThat(reads[reads.length - 1]).as("stale reads of %s", title).isEqualTo("0");
      assertThat(reads[reads.length - 4]).as("cpu/read").matches("[\\d.,]+ [num]s");
      assertThat(reads[1]).as("reads/s").matches("[\\d,]+");
      boolean direct = title.startsWith("the store");
      assertThat(cells(rows.get(1))[1]).as("loads").isEqualTo(direct ? "60" : "1");
      assertThat(reads[reads.length - 3]).matches(direct ? "-" : "\\d\\d\\.\\d %");
    }
  }

  @Test
  @DisplayName("a trace is replayed from an empty cache, and its keys are the objects")
  void trace() throws Exception {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 3000; i++) {
      lines.append(i % 300).append('\n');
    }
    Path trace = Files.writeString(directory.resolve("loop.trace"), lines);
    assertThat(
            demo(
                "--trace", trace.toString(), "--seconds", "0.3", "--bound", "300", "--writes", "0"))
        .isZero();

    assertThat(commandLine.out())
        .contains("300 objects")
        .contains("replayed from loop.trace: 3,000 reads")
        .contains("No stale object was read through Latchkey");
    String[] ours = cells(rows("Latchkey").get(0));
    assertThat(ours[ours.length - 3]).as("hit ratio of a loop that fits").isEqualTo("90.0 %");
  }

  @Test
  @DisplayName("a file is created, and used again")
  void file() {
    String file = directory.resolve("with space.mv").toString();
    assertThat(demo("--file", file, "--objects", "50", "--seconds", "0.2")).isZero();
    assertThat(commandLine.out()).contains("50 objects of 256 bytes, created", "with space.mv, ");
    assertThat(demo("--file", file, "--objects", "80", "--seconds", "0.2")).isZero();
    assertThat(commandLine.out()).contains("80 objects of 256 bytes, 50 found there");
  }

  @Test
  @DisplayName("any other storage is filled by URL, and not asked for a file")
  void storage() {
    String file = "mvstore:" + directory.resolve("other.mv");
    assertThat(demo("--storage", file, "--objects", "50", "--seconds", "0.2")).isZero();
    assertThat(commandLine.out())
        .contains("store    " + file + ", 50 objects of 256 bytes, created");
    assertThat(demo("--storage", file, "--file", "x", "--objects", "50")).isEqualTo(2);
    assertThat(commandLine.errLines()).last().asString().contains("exclude each other");
    assertThat(demo("--storage", "nosuch://me:hunter2@h/x")).isEqualTo(2);
    assertThat(commandLine.errLines())
        .last()
        .asString()
        .startsWith("latchkey-bench demo: --storage: ")
        .doesNotContain("hunter2");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @DisplayName("a directory and a file that is no store are refused, and left as they were")
  void notAStore(boolean isDirectory) throws Exception {
    Path file = directory.resolve("file");
    String text = "this is no store\n".repeat(1000);
    if (isDirectory) {
      Files.createDirectory(file);
    } else {
      Files.writeString(file, text);
    }
    assertRefused(file);
    if (isDirectory) {
      assertThat(file).isEmptyDirectory();
    } else {
      assertThat(file).hasContent(text);
    }
  }

  @Test
  @DisplayName("a store with somebody else's objects is refused, and nothing is added or lost")
  void notOurStore() throws Exception {
    Path file = directory.resolve("letters.mv");
    OtherStore.create(file);
    assertRefused(file);
    OtherStore.assertUntouched(file);
  }

  @Test
  @DisplayName("a store that is in use is refused, and goes on working")
  void lockedStore() throws Exception {
    Path file = directory.resolve("letters.mv");
    OtherStore.create(file);
    try (WritableStorage<Long, String> inUse = OtherStore.open(file)) {
      assertRefused(file);
      inUse.store(1L, "still here");
      assertThat(inUse.load(1L)).isEqualTo("still here");
    }
  }

  private void assertRefused(Path file) {
    assertThat(demo("--file", file.toString(), "--objects", "80", "--seconds", "0.2")).isEqualTo(2);
    assertThat(commandLine.errLines().stream().filter(line -> !line.startsWith("filling")))
        .singleElement()
        .asString()
        .startsWith("latchkey-bench demo: ")
        .contains(file.toString())
        .doesNotContain("Exception");
  }

  private int demo(String... arguments) {
    List<String> all =
        new ArrayList<>(List.of("demo", "--callers", "60", "--stampede-latency", "5"));
    all.addAll(List.of(arguments));
    return commandLine.execute(all.toArray(new String[0]));
  }

  private List<String> rows(String title) {
    return commandLine.outLines().stream().filter(line -> line.startsWith("  " + title)).toList();
  }

  private static String[] cells(String row) {
    return row.strip().split(" {2,}");
  }
}
