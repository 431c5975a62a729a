package io.latchkey.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.latchkey.bench.console.Progress;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

class ReportTest {
  @TempDir Path directory;

  @Test
  @DisplayName("has a section for each file, charts, tables, machine, command and warnings")
  void content() throws Exception {
    Document page = page("<Title> & more", ResultsFixture.all(directory));
    assertThat(texts(page, "h1")).containsExactly("<Title> & more");
    assertThat(texts(page, "h2"))
        .containsExactly(
            "run: run.json",
            "run: foreign.json",
            "memory: memory.json",
            "flight: flight.json",
            "replay: replay.json",
            "backend: backend.json",
            "neighbour: neighbour.json",
            "All runs together");
    assertThat(texts(page, "dd"))
        .contains(
            "java -jar latchkey-bench.jar run --impl 'a b' --size 16,512",
            "Abacus 3000",
            "not in this file, which was not written by latchkey-bench");
    assertThat(texts(page, "p"))
        .contains(
            "Warning: quick mode: too little was measured to rely on it",
            "Warning: the machine was <busy>");
    assertThat(texts(page, "figcaption"))
        .contains(
            "hit, serial, 1 thread, keys seq, ns/op",
            "nohit, par, 16 objects, keys seq, ns/op",
            "nohit, par, 2 threads, 512 objects, keys seq, ns/op",
            "hit ratio in percent, loop.gz (lirs)",
            "bytes for an entry, expiry write",
            "nanoseconds until the last caller returns; the range of the forks",
            "microseconds for a call, p99",
            "milliseconds for get, beside a load of 500 ms");
    assertThat(texts(page, "td"))
        .contains(
            "hit, serial, 1 thread, 16 objects, keys seq",
            "32.5",
            "48.00",
            "9.10",
            "12.0 us",
            "56.5 us",
            "2 of 2");
  }

  @Test
  @DisplayName("many warnings are folded, so that the charts stay in sight")
  void manyWarnings() throws Exception {
    List<Path> files = ResultsFixture.all(directory);
    Path run = files.get(0);
    String text = Files.readString(run);
    Files.writeString(run, text.replace("[\"the machine was <busy>\"]", "[\"a\", \"b\", \"<c>\"]"));
    Document page = page("many", files);
    assertThat(texts(page, "summary")).contains("4 warnings");
    assertThat(texts(page, "li")).contains("a", "b", "<c>");
  }

  @Test
  @DisplayName("results without charts of their own are a table as they stand")
  void plain() throws Exception {
    Document page = page("t", List.of(ResultsFixture.other(directory)));
    assertThat(texts(page, "h2")).containsExactly("other: other.json");
    assertThat(texts(page, "th")).containsExactly("work", "implementation", "nanos", "waited", "n");
    assertThat(texts(page, "td"))
        .containsExactly(
            "get", "latchkey", "200", "false", "-", "get", "chm", "-", "true", "12,345");
  }

  @Test
  @DisplayName("bars are as long as their values, and end before the text does")
  void bars() throws Exception {
    Document page = page("t", List.of(ResultsFixture.memory(directory)));
    List<Element> bars = elements(page, "rect");
    assertThat(bars).hasSize(2).allMatch(bar -> number(bar, "x") + number(bar, "width") <= 330.1);
    Document run = page("t", List.of(ResultsFixture.run(directory)));
    List<Element> cell = elements(run, "rect").subList(0, 2);
    // 8 and 32.5 ns, the longer one with a range to 34: means of forks, 7 to 9 and 31.5 to 33.5.
    assertThat(number(cell.get(0), "width") / number(cell.get(1), "width"))
        .isCloseTo(8 / 32.5, within(0.01));
    assertThat(number(cell.get(1), "width")).isCloseTo(212 * 32.5 / 33.5, within(0.2));
  }

  @Test
  @DisplayName("needs nothing from elsewhere: no script, link, image, import or font")
  void selfContained() throws Exception {
    String html = html("t", ResultsFixture.all(directory));
    assertThat(html.replaceAll("xmlns=\"http://www.w3.org/[a-z0-9/]+\"", ""))
        .doesNotContain("http:", "https:", "src=", "href=", "url(", "@import", "<script", "<link");
  }

  @Test
  @DisplayName("lines differ in dash and mark, so that colours are not needed")
  void lines() throws Exception {
    Document page = page("t", List.of(ResultsFixture.replay(directory)));
    List<String> dashes =
        elements(page, "path").stream()
            .map(path -> path.getAttribute("stroke-dasharray"))
            .filter(dash -> !dash.isEmpty())
            .distinct()
            .toList();
    assertThat(dashes).containsExactly("none", "7 3");
  }

  private static double number(Element element, String attribute) {
    return Double.parseDouble(element.getAttribute(attribute));
  }

  private static String html(String title, List<Path> files) {
    Report report = new Report(title);
    report.add(files);
    return report.html(new Silent());
  }

  /** Parsed as XML, which fails unless the page is well-formed. */
  private static Document page(String title, List<Path> files) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(html(title, files))));
  }

  private static List<Element> elements(Document page, String name) {
    NodeList found = page.getElementsByTagName(name);
    List<Element> elements = new ArrayList<>();
    for (int i = 0; i < found.getLength(); i++) {
      elements.add((Element) found.item(i));
    }
    return elements;
  }

  private static List<String> texts(Document page, String name) {
    return elements(page, name).stream().map(Element::getTextContent).toList();
  }

  private static final class Silent implements Progress {
    @Override
    public void stepTo(long done) {}

    @Override
    public void close() {}
  }
}
