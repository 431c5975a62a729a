package io.latchkey.bench.results;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonPrimitive;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import io.latchkey.bench.console.BadInputException;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files of results. */
public final class JsonFile {
  private static final Gson PRETTY =
      new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().serializeNulls().create();
  private static final Gson STRICT = new GsonBuilder().setStrictness(Strictness.STRICT).create();

  private JsonFile() {}

  /** Adds a number, or null for one that JSON cannot express. */
  public static void add(JsonObject object, String name, double number) {
    object.add(name, Double.isFinite(number) ? new JsonPrimitive(number) : JsonNull.INSTANCE);
  }

  /** JSON as it is written to files: indented, with a line end. */
  public static String text(JsonElement json) {
    return PRETTY.toJson(json) + "\n";
  }

  /**
   * Reads a file of results.
   *
   * @throws BadInputException if it is missing, cannot be read, is empty, or is no JSON
   */
  public static JsonElement read(Path file) {
    if (Files.isDirectory(file)) {
      throw new BadInputException(file + " is a directory: name a file of results");
    }
    if (!Files.exists(file)) {
      throw new BadInputException(file + " does not exist: check the path");
    }
    String text = content(file);
    if (text.isBlank()) {
      throw new BadInputException(file + " is empty: write it anew with run --json");
    }
    JsonReader reader = new JsonReader(new StringReader(text));
    reader.setStrictness(Strictness.STRICT);
    try {
      JsonElement json = STRICT.getAdapter(JsonElement.class).read(reader);
      if (reader.peek() != JsonToken.END_DOCUMENT) {
        throw new JsonParseException("more follows");
      }
      return json;
    } catch (JsonParseException | IOException | IllegalStateException e) {
      throw new BadInputException(
          file + " is no JSON, or is cut short, near " + reader.getPath() + ": write it anew", e);
    }
  }

  private static String content(Path file) {
    try {
      return Files.readString(file);
    } catch (MalformedInputException e) {
      throw new BadInputException(file + " is no text: name a JSON file of results", e);
    } catch (IOException e) {
      throw new BadInputException(file + " cannot be read: check its permissions", e);
    }
  }
}
