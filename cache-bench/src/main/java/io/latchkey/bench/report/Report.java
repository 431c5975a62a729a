package io.latchkey.bench.report;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.latchkey.bench.console.BadInputException;
import io.latchkey.bench.console.Progress;
import io.latchkey.bench.results.JsonFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/** The page: a section for each file of results, or for all JMH results of one machine. */
public final class Report {
  private static final String TOOL = "latchkey-bench ";
  private static final Map<String, BiConsumer<JsonObject, Section>> TOOLS =
      Map.of(
          TOOL + "replay", ToolCharts::replay,
          TOOL + "memory", ToolCharts::memory,
          TOOL + "flight", ToolCharts::flight,
          TOOL + "backend", ToolCharts::backend,
          TOOL + "neighbour", ToolCharts::neighbour);

  private final String title;
  private final List<Section> sections = new ArrayList<>();

  /** Starts a page. */
  public Report(String title) {
    this.title = title;
  }

  /**
   * Adds files of results, each with a section of its own, in their order.
   *
   * @throws BadInputException if one cannot be read, or is none of this tool or of JMH; the message
   *     names it
   */
  public void add(List<Path> files) {
    Map<String, Integer> seen = new HashMap<>();
    for (Path file : files) {
      JsonElement json = JsonFile.read(file);
      String name = String.valueOf(file.getFileName());
      int times = seen.merge(name, 1, Integer::sum);
      add(file, times > 1 ? name + " (" + times + ")" : name, json);
    }
    addTogether(files);
  }

  private void add(Path file, String name, JsonElement json) {
    try {
      if (json.isJsonArray()) {
        sections.add(jmh(file, name, json.getAsJsonArray()));
      } else {
        sections.add(tool(file, name, json));
      }
    } catch (NullPointerException
        | IllegalStateException
        | ClassCastException
        | UnsupportedOperationException
        | IllegalArgumentException e) {
      throw new BadInputException(
          file
              + " lacks what a file of results has, or was changed by hand: write it anew with the"
              + " command that measures",
          e);
    }
  }

  private static Section tool(Path file, String name, JsonElement json) {
    JsonElement tool = json.isJsonObject() ? json.getAsJsonObject().get("tool") : null;
    String written = tool != null && tool.isJsonPrimitive() ? tool.getAsString() : "";
    BiConsumer<JsonObject, Section> charts = TOOLS.get(written);
    if (charts == null && written.startsWith(TOOL) && json.getAsJsonObject().has("results")) {
      charts = ToolCharts::plain;
    }
    if (charts == null) {
      throw new BadInputException(
          file
              + (written.isEmpty() ? " is JSON of something else" : " was written by " + written)
              + ": report takes files of JMH and of run, ratio, expiry, replay, memory, flight, backend"
              + " and neighbour");
    }
    JsonObject object = json.getAsJsonObject();
    Section section = new Section(written.substring(TOOL.length()) + ": " + name);
    section.stamp(object);
    charts.accept(object, section);
    return section;
  }

  private static String command(JsonObject stamp) {
    String tool = stamp.get("tool").getAsString();
    return tool.startsWith(TOOL) ? tool.substring(TOOL.length()) : tool;
  }

  private static Section jmh(Path file, String name, JsonArray results) {
    if (results.isEmpty()) {
      throw new BadInputException(file + " has no results: write it anew with run --json");
    }
    JsonObject first = results.get(0).getAsJsonObject();
    JsonObject stamp = first.getAsJsonObject("latchkey");
    Section section = new Section((stamp != null ? command(stamp) : "run") + ": " + name);
    if (stamp != null) {
      section.stamp(stamp);
    } else {
      section.fact("command", "not in this file, which was not written by latchkey-bench");
      section.fact(
          "jvm", first.get("vmName").getAsString() + " " + first.get("vmVersion").getAsString());
    }
    section.fact("JVM arguments", first.get("jvmArgs"));
    section.fact("forks", first.get("forks"));
    section.fact(
        "iterations",
        first.get("measurementIterations").getAsString()
            + " of "
            + first.get("measurementTime").getAsString()
            + ", after "
            + first.get("warmupIterations").getAsString()
            + " of "
            + first.get("warmupTime").getAsString());
    new JmhCharts(records(results)).draw(section);
    return section;
  }

  private static List<JmhRecord> records(JsonArray results) {
    List<JmhRecord> records = new ArrayList<>();
    results.forEach(result -> records.add(JmhRecord.of(result.getAsJsonObject())));
    return records;
  }

  /** Runs with different numbers of threads are in different files: they are drawn together. */
  private void addTogether(List<Path> files) {
    Map<String, JmhRecord> records = new LinkedHashMap<>();
    int runs = 0;
    for (Path file : files) {
      JsonElement json = JsonFile.read(file);
      if (json.isJsonArray()) {
        runs++;
        for (JmhRecord r : records(json.getAsJsonArray())) {
          String key =
              r.mode() + r.threadsText() + r.sizeText() + r.othersText() + '/' + r.contender();
          records.put(key, r);
        }
      }
    }
    if (runs < 2) {
      return;
    }
    Section section = new Section("All runs together");
    section.note("Where files have the same benchmark, the last one counts.");
    new JmhCharts(List.copyOf(records.values())).drawLines(section);
    sections.add(section);
  }

  /** How many sections the page has. */
  public int size() {
    return sections.size();
  }

  /** The page as text; the progress counts sections. */
  public String html(Progress progress) {
    Markup page = new Markup();
    page.open("html", "lang", "en", "xmlns", "http://www.w3.org/1999/xhtml").open("head").line();
    page.empty("meta", "charset", "utf-8").line();
    page.empty("meta", "name", "viewport", "content", "width=device-width, initial-scale=1").line();
    page.element("title", title).line();
    page.open("style").text(style()).close("style").line();
    page.close("head").open("body").line().element("h1", title).line();
    for (int i = 0; i < sections.size(); i++) {
      page.raw(sections.get(i).draw());
      progress.stepTo(i + 1L);
    }
    page.close("body").close("html").line();
    return "<!DOCTYPE html>\n" + page;
  }

  private static String style() {
    try (InputStream in = Report.class.getResourceAsStream("report.css")) {
      if (in == null) {
        throw new IllegalStateException("report.css is not in the jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
