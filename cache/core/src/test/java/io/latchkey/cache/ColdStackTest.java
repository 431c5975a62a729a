package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Exhausted stacks in a virtual machine that has not called a cache before. */
class ColdStackTest {
  static Set<String> calls() {
    return ColdStack.CALLS.keySet();
  }

  @ParameterizedTest
  @MethodSource("calls")
  @DisplayName("F6: first calls at the end of the stack leave a cache that works")
  void firstCalls(String call) throws Exception {
    Process program =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                ColdStack.class.getName(),
                call)
            .redirectErrorStream(true)
            .start();
    String output = new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(program.waitFor()).as(output).isZero();
    assertThat(output).endsWith("OK" + System.lineSeparator());
  }
}
