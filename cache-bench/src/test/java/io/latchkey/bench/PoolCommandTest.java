package io.latchkey.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.latchkey.bench.results.JsonFile;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

class PoolCommandTest {
  @TempDir Path directory;

  private final CommandLineFixture commandLine = new CommandLineFixture();

  /** Nothing is measured here, so another run on this machine does no harm. */
  @BeforeAll
  static void ignoreOtherRuns() {
    System.setProperty("jmh.ignoreLock", "true");
  }

  @Test
  @DisplayName("every kind of task, submitted one by one and several at once, by each executor")
  void measures() {
    Path json = directory.resolve("pool.json");
    int exit =
        commandLine.execute(
            ("pool --quick --time 5 --submitters 1,2 --in-flight 1,8 --workers 4"
                    + " --executor thread,forkjoin,tpe,tpe-cached,loaderpool --json "
                    + json)
                .split(" "));
    assertThat(exit).as(commandLine.out()).isZero();
    for (String task : new String[] {"increment", "park-10us", "park-1ms", "close-socket"}) {
      assertThat(commandLine.outLines())
          .contains(task + ": microseconds for a task, median and range of the forks");
    }
    assertThat(commandLine.outLines())
        .anyMatch(line -> line.matches("  2 +8( +[\\d.,]+){5}"))
        .anyMatch(line -> line.startsWith("  quick"));

    JsonObject file = JsonFile.read(json).getAsJsonObject();
    assertThat(file.get("tool").getAsString()).isEqualTo("latchkey-bench pool");
    JsonArray results = file.getAsJsonArray("results");
    assertThat(results).hasSize(4 * 2 * 2 * 5);
    JsonObject last = results.get(results.size() - 1).getAsJsonObject();
    assertThat(last.get("executor").getAsString()).isEqualTo("loaderpool");
    assertThat(last.get("task").getAsString()).isEqualTo("close-socket");
    assertThat(last.get("submitters").getAsInt()).isEqualTo(2);
    assertThat(last.get("inFlight").getAsInt()).isEqualTo(8);
    assertThat(last.getAsJsonArray("nanosPerTask").get(0).getAsDouble()).isPositive();
    for (int i = 40; i < 50; i++) {
      JsonObject parked = results.get(i).getAsJsonObject();
      assertThat(parked.get("task").getAsString()).isEqualTo("park-1ms");
      if (parked.get("submitters").getAsInt() == 1) {
        assertThat(parked.getAsJsonArray("nanosPerTask").get(0).getAsDouble())
            .as("one after the other, none is faster than its park: %s", parked)
            .isGreaterThanOrEqualTo(1_000_000);
      }
    }
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "has no virtual threads")
  @DisplayName("virtual threads, and the bytes of all threads")
  void virtual() {
    int exit =
        commandLine.execute(
            "pool --quick --time 5 --submitters 1 --executor virtual --task increment".split(" "));
    assertThat(exit).isZero();
    assertThat(commandLine.outLines()).contains("increment: bytes for a task, median of the forks");
  }

  @Test
  @EnabledForJreRange(max = JRE.JAVA_20)
  @DisplayName("virtual threads are refused where there are none")
  void noVirtual() {
    assertThat(commandLine.execute("pool", "--executor", "virtual")).isEqualTo(2);
    assertThat(commandLine.errLines())
        .singleElement()
        .asString()
        .contains("virtual threads need JDK 21 or later");
  }

  @Test
  @DisplayName("bad values are refused with what can be used")
  void badValues() {
    assertThat(commandLine.execute("pool", "--task", "sleep")).isEqualTo(2);
    assertThat(commandLine.execute("pool", "--executor", "tpx")).isEqualTo(2);
    assertThat(commandLine.execute("pool", "--submitters", "0")).isEqualTo(2);
    assertThat(commandLine.execute("pool", "cleaning", "--idle", "1")).isEqualTo(2);
    assertThat(commandLine.errLines())
        .containsExactly(
            "latchkey-bench pool: unknown task 'sleep': use one of increment, park-10us, park-1ms,"
                + " close-socket",
            "latchkey-bench pool: unknown executor 'tpx': use one of thread, virtual, forkjoin, tpe,"
                + " tpe-cached, loaderpool",
            "latchkey-bench pool: --submitters must be from 1 to 64, not 0",
            "latchkey-bench pool cleaning: --idle must be from 2 to 16777216, not 1");
  }

  @Test
  @DisplayName("cleaning: both searches, checked to find the same, in a table and in JMH's JSON")
  void cleaning() {
    Path json = directory.resolve("cleaning.json");
    int exit =
        commandLine.execute(
            ("pool cleaning --quick --iterations 1 --time 10 --idle 10,1000 --cut 90 --json "
                    + json)
                .split(" "));
    assertThat(exit).isZero();
    assertThat(commandLine.outLines())
        .anyMatch(line -> line.matches("  10 +90 % +\\S+ +\\S+ +\\S+x"))
        .anyMatch(line -> line.matches("  1,000 +90 % +\\S+ +\\S+ +\\S+x"));
    JsonArray results = JsonFile.read(json).getAsJsonArray();
    assertThat(results).hasSize(4);
    JsonObject linear = results.get(3).getAsJsonObject();
    assertThat(linear.get("benchmark").getAsString()).endsWith("IdleSweepBenchmark.linear");
    assertThat(linear.getAsJsonObject("latchkey").get("tool").getAsString())
        .isEqualTo("latchkey-bench pool cleaning");
  }
}
