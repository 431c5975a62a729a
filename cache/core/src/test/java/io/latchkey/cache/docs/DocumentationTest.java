package io.latchkey.cache.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.latchkey.cache.CacheBuilder;
import io.latchkey.cache.docs.Documents.Example;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The documents show only what compiles and runs, and tell the truth about it. */
class DocumentationTest {
  private static final Pattern CLASS = Pattern.compile("public class (\\w+)");
  private static final Path EXAMPLES =
      Documents.ROOT.resolve("cache/core/src/test/java/io/latchkey/cache/docs");

  /** Where the examples of the storages run: these modules cannot see the cache. */
  private static final List<Path> STORAGE_TESTS =
      Stream.of("spi", "testkit", "mvstore", "http", "jdbc", "redis")
          .map(module -> Documents.ROOT.resolve("storage-spi/" + module + "/src/test/java"))
          .toList();

  static Stream<Example> fragments() {
    return Stream.of(
            Documents.blocks("README.md", "java"),
            Documents.blocks("CONTRIBUTING.md", "java"),
            Documents.blocks("storage-spi/http/README.md", "java"),
            Documents.javadoc("storage-spi/spi"),
            Documents.javadoc("storage-spi/testkit"),
            Documents.javadoc("storage-spi/mvstore"),
            Documents.javadoc("storage-spi/http"),
            Documents.javadoc("storage-spi/jdbc"),
            Documents.javadoc("storage-spi/redis"),
            Documents.javadoc("cache/core"))
        .flatMap(List::stream)
        .filter(example -> !example.isProgram());
  }

  @ParameterizedTest
  @MethodSource("fragments")
  @DisplayName("Every example stands word for word in a class that runs as a test")
  void examplesRun(Example example) {
    List<String> wanted = example.text().lines().toList();
    List<Path> tests =
        Stream.concat(Stream.of(EXAMPLES), STORAGE_TESTS.stream())
            .flatMap(folder -> Documents.javaFiles(folder).stream())
            .toList();
    for (Path file : tests) {
      if (contains(Documents.read(file).lines().toList(), wanted)) {
        return;
      }
    }
    fail(
        "%sdoes not run as a test: put it, word for word, into a test in %s or of its storage",
        example, Documents.ROOT.relativize(EXAMPLES));
  }

  /** Whether these lines are there, one after the other, perhaps indented. */
  private static boolean contains(List<String> lines, List<String> wanted) {
    for (int i = 0; i + wanted.size() <= lines.size(); i++) {
      int indent = lines.get(i).indexOf(wanted.get(0));
      if (indent >= 0 && lines.get(i).isBlank() == wanted.get(0).isBlank()) {
        String margin = " ".repeat(indent);
        List<String> here =
            wanted.stream().map(line -> line.isEmpty() ? line : margin + line).toList();
        if (lines.subList(i, i + wanted.size()).equals(here)) {
          return true;
        }
      }
    }
    return false;
  }

  static Stream<Arguments> programs() {
    List<Example> programs =
        Documents.blocks("README.md", "java").stream().filter(Example::isProgram).toList();
    List<Example> outputs = Documents.blocks("README.md", "text");
    assertThat(outputs).hasSameSizeAs(programs);
    return IntStream.range(0, programs.size())
        .mapToObj(
            number -> {
              Matcher name = CLASS.matcher(programs.get(number).text());
              assertThat(name.find()).isTrue();
              return Arguments.of(name.group(1), programs.get(number), outputs.get(number));
            });
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("programs")
  @DisplayName("The programs of the README run and print what the README says, again and again")
  void programsRun(String name, Example program, Example output, @TempDir Path folder)
      throws Exception {
    Path source = folder.resolve(name + ".java");
    Files.writeString(source, program.text());

    assertThat(run(folder, source)).isEqualTo(output.text());
    assertThat(run(folder, source)).isEqualTo(output.text());
  }

  /** Runs a source file as a newcomer would, in a folder of its own. */
  private static String run(Path folder, Path source) throws Exception {
    Path printed = folder.resolve("printed");
    Process program =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-cp",
                System.getProperty("java.class.path"),
                source.toString())
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(printed.toFile())
            .start();
    try {
      assertThat(program.waitFor(50, TimeUnit.SECONDS)).as("the program ends").isTrue();
    } finally {
      program.destroyForcibly();
    }
    return Documents.read(printed).strip();
  }

  @Test
  @DisplayName("The examples of the README are as short as it says")
  void examplesAreShort() {
    List<Example> examples = Documents.blocks("README.md", "java");
    assertThat(lines(examples, example -> example.text().contains("class FirstUse")))
        .isPositive()
        .isLessThan(15);
    assertThat(lines(examples, example -> example.text().contains("class BankTransfer")))
        .isPositive()
        .isLessThan(30);
    List<Example> guide = Documents.blocks("storage-spi/README.md", "java");
    assertThat(lines(guide, example -> example.text().contains("implements WritableStorage")))
        .isPositive()
        .isLessThan(45);
  }

  private static int lines(List<Example> examples, Predicate<Example> which) {
    Example example = examples.stream().filter(which).findFirst().orElseThrow();
    return (int) example.text().lines().count();
  }

  @Test
  @DisplayName("The README tells every option of the builder, and no other")
  void optionsAreAllTold() {
    List<String> options =
        Stream.of(CacheBuilder.class.getDeclaredMethods())
            .filter(method -> Modifier.isPublic(method.getModifiers()))
            .filter(method -> method.getReturnType() == CacheBuilder.class)
            .map(Method::getName)
            .toList();
    String readme = Documents.read(Documents.ROOT.resolve("README.md"));
    String section = readme.substring(readme.indexOf("\n## Options\n") + 1);
    String table = section.substring(0, section.indexOf("\n## "));
    List<String> told =
        Pattern.compile("^\\| `(\\w+)\\(", Pattern.MULTILINE)
            .matcher(table)
            .results()
            .map(found -> found.group(1))
            .toList();
    assertThat(told).containsExactlyInAnyOrderElementsOf(options);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "storage-spi/README.md",
        "storage-spi/http/README.md"
      })
  @DisplayName("Files that the documents link to are there")
  void linksLeadSomewhere(String document) {
    Matcher links =
        Pattern.compile("\\]\\((?!https?:|#)([^)#]+)[^)]*\\)")
            .matcher(Documents.read(Documents.ROOT.resolve(document)));
    while (links.find()) {
      Path folder = Documents.ROOT.resolve(document).getParent();
      assertThat(folder.resolve(links.group(1))).exists();
    }
  }
}
