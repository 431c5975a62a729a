package io.latchkey.bench.forks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import io.latchkey.bench.console.FailedRunException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class FreshJvmTest {
  /** What the fresh JVMs of this test run. */
  static final class Child {
    private Child() {}

    public static void main(String[] args) throws Exception {
      switch (args[0]) {
        case "throw" -> throw new IllegalStateException("no luck");
        case "nothing" -> {}
        case "hang" -> new CountDownLatch(1).await();
        default -> {
          JsonObject answer = new JsonObject();
          answer.addProperty("said", args[0]);
          answer.addProperty("flag", System.getProperty("flag"));
          System.out.println("noise before");
          FreshJvm.answer(answer);
        }
      }
    }
  }

  private static JsonObject run(String argument, Duration patience) {
    return new FreshJvm("a trial", Child.class, List.of("-Dflag=up"), patience)
        .run(List.of(argument));
  }

  @Test
  @DisplayName("runs the class with flags and arguments, and reads its answer")
  void answers() {
    JsonObject answer = run("hello world", Duration.ofMinutes(1));
    assertThat(answer.get("said").getAsString()).isEqualTo("hello world");
    assertThat(answer.get("flag").getAsString()).isEqualTo("up");
  }

  @Test
  @DisplayName("tells in one line what it threw, that it said nothing, or that it hangs")
  void fails() {
    assertThatThrownBy(() -> run("throw", Duration.ofMinutes(1)))
        .isInstanceOf(FailedRunException.class)
        .hasMessage("a trial failed: java.lang.IllegalStateException: no luck");
    assertThatThrownBy(() -> run("nothing", Duration.ofMinutes(1)))
        .hasMessage("a trial failed: its JVM gave no answer");
    assertThatThrownBy(() -> run("hang", Duration.ofMillis(1500)))
        .hasMessage("a trial failed: no answer after 1 s");
  }
}
