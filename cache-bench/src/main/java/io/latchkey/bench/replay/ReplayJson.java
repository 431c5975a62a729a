package io.latchkey.bench.replay;

import com.google.gson.GsonBuilder;
import java.util.List;
import java.util.Map;

/**
 * The results of a replay as they stand in a file.
 *
 * @param tool {@link #TOOL}, by which the file is known
 * @param command the arguments of the command line
 * @param machine what measured
 * @param trace the file's name
 * @param format the format of the trace
 * @param reads reads of the trace
 * @param objects objects of the trace
 * @param results what was found
 */
public record ReplayJson(
    String tool,
    List<String> command,
    Map<String, String> machine,
    String trace,
    String format,
    int reads,
    int objects,
    List<ReplayResult> results) {
  /** Stands first in each file. */
  public static final String TOOL = "latchkey-bench replay";

  /** As text, indented. */
  public String text() {
    return new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create().toJson(this) + "\n";
  }
}
