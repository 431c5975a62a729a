package io.latchkey.cache.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** How the source files of all modules have to look. */
class SourceFilesTest {
  private static final Path ROOT =
      Path.of(
          Objects.requireNonNull(
              System.getProperty("latchkey.root"),
              "set the system property latchkey.root to the folder of the project"));
  private static final Path MAIN = Path.of("src", "main", "java");

  @Test
  @DisplayName("No source file is longer than 600 lines, no test longer than 500")
  void filesAreShort() throws IOException {
    List<Path> sources = sources();
    assertThat(sources).isNotEmpty();
    for (Path source : sources) {
      int limit = source.toString().contains(MAIN.toString()) ? 600 : 500;
      assertThat(Files.readAllLines(source))
          .as("lines of %s, at most %s", ROOT.relativize(source), limit)
          .hasSizeLessThanOrEqualTo(limit);
    }
  }

  @Test
  @DisplayName("Every package of main sources is null-marked")
  void packagesAreNullMarked() throws IOException {
    List<Path> packages =
        sources().stream()
            .filter(source -> source.toString().contains(MAIN.toString()))
            .filter(source -> !source.endsWith("module-info.java"))
            .map(Path::getParent)
            .distinct()
            .toList();
    assertThat(packages).isNotEmpty();
    for (Path folder : packages) {
      assertThat(folder.resolve("package-info.java")).content().contains("NullMarked");
    }
  }

  private static List<Path> sources() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT)) {
      return files
          .filter(file -> file.toString().endsWith(".java"))
          .filter(file -> !ROOT.relativize(file).toString().contains("target"))
          .toList();
    }
  }
}
