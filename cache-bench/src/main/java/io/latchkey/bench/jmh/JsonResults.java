package io.latchkey.bench.jmh;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.latchkey.bench.results.JsonFile;
import io.latchkey.bench.results.RunStamp;
import io.latchkey.bench.results.Warnings;
import io.latchkey.storage.StorageUrl;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatFactory;
import org.openjdk.jmh.results.format.ResultFormatType;

/**
 * Results as JMH's own JSON, which its tools and viewers read. Each result has one member more,
 * {@value #STAMP}: where it comes from.
 */
public final class JsonResults {
  /** The member that JMH's own files do not have. */
  public static final String STAMP = "latchkey";

  private JsonResults() {}

  /** All results, as the text of a file. */
  public static String text(Collection<RunResult> results, RunStamp stamp, Warnings warnings) {
    JsonArray all = JsonParser.parseString(byJmh(results)).getAsJsonArray();
    for (JsonElement each : all) {
      JsonObject from = new JsonObject();
      stamp.addTo(from, warnings.list());
      redact(each.getAsJsonObject().getAsJsonObject("params"));
      each.getAsJsonObject().add(STAMP, from);
    }
    return JsonFile.text(all);
  }

  /** Takes the credentials of a storage's URL out of what the forks were told. */
  private static void redact(@Nullable JsonObject params) {
    if (params != null && params.has("storage")) {
      params.addProperty("storage", StorageUrl.redact(params.get("storage").getAsString()));
    }
  }

  /** What {@link #text} takes, of caches that were measured in turn. */
  public static List<RunResult> merged(List<CellResult> results) {
    return results.stream().map(CellResult::merged).toList();
  }

  private static String byJmh(Collection<RunResult> results) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(bytes, false, StandardCharsets.UTF_8);
    ResultFormatFactory.getInstance(ResultFormatType.JSON, out).writeOut(results);
    out.flush();
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
