package io.latchkey.bench.results;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import io.latchkey.bench.console.BadInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonFileTest {
  @TempDir Path directory;

  @Test
  @DisplayName("reads what it wrote; a number that JSON cannot express is null")
  void readsWhatItWrote() throws Exception {
    JsonObject json = new JsonObject();
    JsonFile.add(json, "score", 1.5);
    JsonFile.add(json, "nothing", Double.NaN);
    json.addProperty("name", "a <b> 'c'");
    Path file = directory.resolve("x.json");
    Files.writeString(file, JsonFile.text(json));
    assertThat(JsonFile.read(file)).isEqualTo(json);
    assertThat(json.get("nothing").isJsonNull()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''|is empty",
        "'  '|is empty",
        "'{\"a\": [1, 2'|is cut short, near $.a",
        "'[1] [2]'|is no JSON",
        "'{a: 1}'|is no JSON",
        "'score 5'|is no JSON",
      })
  @DisplayName("says what is wrong with a file")
  void complains(String text, String complaint) throws Exception {
    Path file = Files.writeString(directory.resolve("x.json"), text);
    assertThatThrownBy(() -> JsonFile.read(file))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining(complaint);
  }

  @Test
  @DisplayName("says that a file is missing, a directory, or no text")
  void noFile() throws Exception {
    assertThatThrownBy(() -> JsonFile.read(directory.resolve("none.json")))
        .hasMessageContaining("none.json does not exist");
    assertThatThrownBy(() -> JsonFile.read(directory)).hasMessageContaining("is a directory");
    Path binary = Files.write(directory.resolve("b"), new byte[] {(byte) 0xff, (byte) 0xfe, 0});
    assertThatThrownBy(() -> JsonFile.read(binary)).hasMessageContaining("is no text");
  }
}
