package io.latchkey.bench.report;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What one file of results brings to the page: where it comes from, charts and tables. */
final class Section {
  private final String title;
  private final Markup body = new Markup();
  private final Map<String, String> facts = new LinkedHashMap<>();
  private static final int SHOWN_WARNINGS = 2;

  private final List<String> warnings = new ArrayList<>();

  Section(String title) {
    this.title = title;
  }

  /** Takes command, machine and warnings from the stamp of a file. */
  void stamp(JsonObject stamp) {
    List<String> command = new ArrayList<>();
    stamp.getAsJsonArray("command").forEach(argument -> command.add(argument.getAsString()));
    fact("command", "java -jar latchkey-bench.jar " + quoted(command));
    fact("version", stamp.get("version"));
    fact("start", stamp.get("start"));
    stamp
        .getAsJsonObject("machine")
        .entrySet()
        .forEach(fact -> fact(fact.getKey(), fact.getValue()));
    JsonElement quick = stamp.get("quick");
    if (quick != null && quick.getAsBoolean()) {
      warnings.add("quick mode: too little was measured to rely on it");
    }
    if (stamp.has("warnings")) {
      stamp.getAsJsonArray("warnings").forEach(warning -> warnings.add(warning.getAsString()));
    }
  }

  /** As it can be typed into a shell. */
  private static String quoted(List<String> arguments) {
    return String.join(
        " ",
        arguments.stream()
            .map(
                argument ->
                    argument.matches("[A-Za-z0-9_@%+=:,./-]+")
                        ? argument
                        : "'" + argument.replace("'", "'\\''") + "'")
            .toList());
  }

  /** Tells something about the run; nothing if it is not known. */
  void fact(String name, @Nullable JsonElement value) {
    if (value != null && !value.isJsonNull()) {
      fact(name, value.isJsonArray() ? joined(value.getAsJsonArray()) : value.getAsString());
    }
  }

  private static String joined(JsonArray texts) {
    List<String> all = new ArrayList<>();
    texts.forEach(text -> all.add(text.getAsString()));
    return String.join(" ", all);
  }

  void fact(String name, String value) {
    if (!value.isEmpty()) {
      facts.put(name, value);
    }
  }

  void heading(String text) {
    body.element("h3", text).line();
  }

  void note(String text) {
    body.element("p", text, "class", "note").line();
  }

  /** Charts that follow stand side by side where there is room, until {@link #endFigures}. */
  void beginFigures() {
    body.open("div", "class", "figures").line();
  }

  void endFigures() {
    body.close("div").line();
  }

  void figure(String caption, Markup chart) {
    body.open("figure").element("figcaption", caption).line().raw(chart).close("figure").line();
  }

  void table(Grid grid) {
    body.raw(grid.draw());
  }

  Markup draw() {
    Markup section = new Markup().open("section").element("h2", title).line();
    warn(section);
    section.raw(body).element("h3", "Where it was measured").open("dl").line();
    facts.forEach(
        (name, value) ->
            section
                .element("dt", name)
                .element("dd", value, "class", name.equals("command") ? "command" : "fact")
                .line());
    return section.close("dl").close("section").line();
  }

  /** A few are shown as they are; many would push the charts out of sight, so they are folded. */
  private void warn(Markup section) {
    if (warnings.size() <= SHOWN_WARNINGS) {
      for (String warning : warnings) {
        section.element("p", "Warning: " + warning, "class", "warning").line();
      }
      return;
    }
    section.open("details", "class", "warning");
    section.element("summary", warnings.size() + " warnings").line().open("ul").line();
    warnings.forEach(warning -> section.element("li", warning).line());
    section.close("ul").close("details").line();
  }
}
