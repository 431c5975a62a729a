package io.latchkey.bench.results;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.latchkey.bench.console.Machine;
import io.latchkey.storage.StorageUrl;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * Where figures come from: what stands beside them in every file, so that another can repeat the
 * run and see what it is worth.
 */
public final class RunStamp {
  private final String command;
  private final List<String> arguments;
  private final boolean quick;
  private final Instant start = Instant.now().truncatedTo(ChronoUnit.SECONDS);

  /**
   * Stamps a run that begins now.
   *
   * @param command its name
   * @param arguments all that was typed, the command included; credentials are taken out
   * @param quick whether it is a first look only
   */
  public RunStamp(String command, List<String> arguments, boolean quick) {
    this.command = command;
    this.arguments = arguments.stream().map(StorageUrl::redact).toList();
    this.quick = quick;
  }

  /** Adds the stamp to an object, with the warnings that the run ended with. */
  public void addTo(JsonObject file, List<String> warnings) {
    file.addProperty("tool", "latchkey-bench " + command);
    file.addProperty("version", version());
    file.add("command", array(arguments));
    file.addProperty("quick", quick);
    file.addProperty("start", start.toString());
    JsonObject machine = new JsonObject();
    Machine.facts().forEach(machine::addProperty);
    file.add("machine", machine);
    file.add("warnings", array(warnings));
  }

  private static String version() {
    String version = RunStamp.class.getPackage().getImplementationVersion();
    return version != null ? version : "(development)";
  }

  private static JsonArray array(List<String> texts) {
    JsonArray array = new JsonArray();
    texts.forEach(array::add);
    return array;
  }
}
