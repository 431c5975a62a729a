package io.latchkey.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.latchkey.bench.report.ResultsFixture;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class ReportCommandTest {
  /** Tells by the title what does not fit: the page in its window, a text in its drawing. */
  private static final String PROBE =
      """
      <script>
        let out = [];
        for (const svg of document.querySelectorAll('svg')) {
          const box = svg.getBoundingClientRect();
          for (const text of svg.querySelectorAll('text')) {
            const t = text.getBoundingClientRect();
            if (t.left < box.left - 1 || t.right > box.right + 1
                || t.top < box.top - 1 || t.bottom > box.bottom + 1) out.push(text.textContent);
          }
        }
        document.title = 'svg ' + document.querySelectorAll('svg').length
            + ' wide ' + (document.documentElement.scrollWidth - window.innerWidth)
            + ' cut [' + out.join('|') + ']';
      </script>
      """;

  @TempDir static Path directory;

  private final CommandLineFixture commandLine = new CommandLineFixture();

  @Test
  @DisplayName("writes the page and says where")
  void writes() throws Exception {
    Path page = directory.resolve("report.html");
    assertThat(report(page, ResultsFixture.all(directory))).isZero();
    assertThat(commandLine.errLines()).allMatch(line -> line.startsWith("drawing: "));
    assertThat(commandLine.outLines()).containsExactly("  report   " + page);
    assertThat(Files.readString(page)).startsWith("<!DOCTYPE html>").contains("run.json", "<svg ");
  }

  @ParameterizedTest(name = "{0} pixels wide")
  @CsvSource({"360", "1280"})
  @DisplayName("in a browser, if there is one: nothing is cut off, on a phone and on a desk")
  void inBrowser(int width) throws Exception {
    Optional<Path> browser = browser();
    assumeTrue(browser.isPresent(), "no headless browser is installed");
    Path page = directory.resolve("browser" + width + ".html");
    assertThat(report(page, ResultsFixture.all(directory))).isZero();
    Files.writeString(page, Files.readString(page).replace("</body>", PROBE + "</body>"));
    String title = title(browser.get(), page, width);
    Matcher charts = Pattern.compile("svg (\\d+) wide (-?\\d+) cut \\[(.*)]").matcher(title);
    assertThat(charts.matches()).as(title).isTrue();
    assertThat(Integer.parseInt(charts.group(1))).isGreaterThan(20);
    assertThat(Integer.parseInt(charts.group(2)))
        .as("wider than the window")
        .isLessThanOrEqualTo(0);
    assertThat(charts.group(3)).as("texts that are cut off").isEmpty();
  }

  private static String title(Path browser, Path page, int width) throws Exception {
    Path dom = directory.resolve("dom" + width);
    Process process =
        new ProcessBuilder(
                browser.toString(),
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--user-data-dir=" + directory.resolve("profile" + width),
                "--window-size=" + width + ",900",
                "--dump-dom",
                page.toUri().toString())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .redirectOutput(dom.toFile())
            .start();
    try {
      process.waitFor();
    } finally {
      process.destroyForcibly();
    }
    String html = Files.readString(dom, StandardCharsets.UTF_8);
    Matcher title = Pattern.compile("<title>(.*?)</title>").matcher(html);
    return title.find() ? title.group(1) : html;
  }

  private static Optional<Path> browser() {
    String path = System.getenv().getOrDefault("PATH", "");
    return Arrays.stream(path.split(Pattern.quote(File.pathSeparator)))
        .flatMap(
            folder ->
                Stream.of("chromium", "chromium-browser", "google-chrome")
                    .map(name -> Path.of(folder, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  private int report(Path page, List<Path> files) {
    List<String> arguments = new ArrayList<>(List.of("report", "-o", page.toString()));
    files.forEach(file -> arguments.add(file.toString()));
    return commandLine.execute(arguments.toArray(String[]::new));
  }

  static Stream<List<String>> badInput() throws Exception {
    String good = ResultsFixture.run(directory).toString();
    String empty = file("empty.json", "");
    String out = directory.resolve("bad.html").toString();
    return Stream.of(
        List.of("RUN.json", "report"),
        List.of("does not exist", "report", directory + "/none.json", "-o", out),
        List.of("empty.json is empty", "report", good, empty, "-o", out),
        List.of("is no JSON", "report", file("text.json", "hello"), "-o", out),
        List.of("is no JSON, or is cut short", "report", file("cut.json", "[{\"a\": "), "-o", out),
        List.of("something else", "report", file("other.json", "{\"a\": 1}"), "-o", out),
        List.of("has no results", "report", file("none-inside.json", "[]"), "-o", out),
        List.of(
            "was written by latchkey-bench compare",
            "report",
            file("compare.json", "{\"tool\": \"latchkey-bench compare\"}"),
            "-o",
            out),
        List.of("lacks what", "report", file("array.json", "[{\"name\": 1}]"), "-o", out),
        List.of(
            "lacks what",
            "report",
            file("stub.json", "{\"tool\": \"latchkey-bench replay\"}"),
            "-o",
            out),
        List.of("is a directory", "report", directory.toString(), "-o", out),
        List.of("is a directory", "report", good, "-o", directory.toString()),
        List.of("no directory", "report", good, "-o", directory + "/no/report.html"),
        List.of("one of the files of results", "report", good, "-o", good));
  }

  private static String file(String name, String text) throws Exception {
    return Files.writeString(directory.resolve(name), text).toString();
  }

  @ParameterizedTest
  @MethodSource
  @DisplayName("bad input gets exit code 2 and one line that names it, and writes nothing")
  void badInput(List<String> messageAndArguments) {
    String[] arguments = messageAndArguments.stream().skip(1).toArray(String[]::new);
    assertThat(commandLine.execute(arguments)).isEqualTo(2);
    assertThat(commandLine.errLines())
        .singleElement()
        .asString()
        .startsWith("latchkey-bench")
        .contains(messageAndArguments.get(0))
        .doesNotContain("Exception");
    assertThat(directory.resolve("bad.html")).doesNotExist();
  }

  @Test
  @DisplayName("--help says which files it takes")
  void help() {
    assertThat(commandLine.execute("report", "--help")).isZero();
    assertThat(commandLine.out().replaceAll("\\s+", " "))
        .contains("run, ratio, expiry, replay, memory, flight, backend and neighbour");
  }
}
