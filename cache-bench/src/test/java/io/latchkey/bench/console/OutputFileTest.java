package io.latchkey.bench.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutputFileTest {
  @TempDir Path directory;

  @Test
  @DisplayName("asking leaves a file as it was, and makes none")
  void asking() throws Exception {
    Path file = Files.writeString(directory.resolve("old.json"), "old");
    OutputFile.of("--json", file);
    assertThat(file).hasContent("old");
    OutputFile.of("--json", directory.resolve("new.json"));
    assertThat(directory.resolve("new.json")).doesNotExist();
  }

  @Test
  @DisplayName("writing replaces what was there")
  void writing() throws Exception {
    Path file = Files.writeString(directory.resolve("old.json"), "older");
    OutputFile.of("--json", file).write("new");
    assertThat(file).hasContent("new");
  }

  @Test
  @DisplayName("what does not fit is kept elsewhere, and the message says where")
  void noRoom() throws Exception {
    Path full = Path.of("/dev/full");
    assumeTrue(Files.exists(full), "there is no /dev/full");
    FailedRunException failure =
        catchThrowableOfType(
            FailedRunException.class, () -> OutputFile.of("--json", full).write("results"));
    Matcher message =
        Pattern.compile("writing --json /dev/full \\(the results are in (.+)\\) failed: .+")
            .matcher(String.valueOf(failure.getMessage()));
    assertThat(message.matches()).as(failure.getMessage()).isTrue();
    Path kept = Path.of(message.group(1));
    assertThat(kept).hasContent("results");
    Files.delete(kept);
  }

  @Test
  @DisplayName("a directory that takes no files is found out before anything is measured")
  void takesNoFiles() {
    // No permission forbids it, not even to a superuser: only trying tells.
    Path system = Path.of("/proc");
    assumeTrue(Files.isDirectory(system), "there is no /proc");
    assertThatThrownBy(() -> OutputFile.of("--json", system.resolve("x.json")))
        .isInstanceOf(BadInputException.class)
        .hasMessage("--json /proc/x.json cannot be written: check its permissions");
  }
}
