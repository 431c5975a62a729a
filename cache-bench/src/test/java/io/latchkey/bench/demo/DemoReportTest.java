package io.latchkey.bench.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.bench.console.FailedRunException;
import io.latchkey.bench.console.Screen;
import io.latchkey.bench.peers.Implementation;
import io.latchkey.storage.MemoryStorage;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class DemoReportTest {
  private final StringWriter out = new StringWriter();
  private final Screen screen =
      Screen.of(new PrintWriter(out), new PrintWriter(new StringWriter()));
  private final Contender ours = new Contender(Implementation.LATCHKEY, MemoryStorage.create(), 10);

  @AfterEach
  void close() {
    ours.close();
  }

  @Test
  @DisplayName("fresh reads and one load pass")
  void passes() {
    ours.phases().add(new PhaseResult(1234, 1, 1, 1, 1, 0));
    ours.stampedes().add(new StampedeResult(1, 1, 1, 0));
    verdict();
    assertThat(out.toString()).contains("No stale object").contains("1,234 reads");
  }

  @Test
  @DisplayName("a stale read fails")
  void staleRead() {
    ours.phases().add(new PhaseResult(10, 1, 1, 1, 1, 2));
    ours.stampedes().add(new StampedeResult(1, 1, 1, 0));
    assertThatThrownBy(this::verdict)
        .isInstanceOf(FailedRunException.class)
        .hasMessageContaining("2 stale");
  }

  @Test
  @DisplayName("a stale object in a stampede fails")
  void staleStampede() {
    ours.phases().add(new PhaseResult(10, 1, 1, 1, 1, 0));
    ours.stampedes().add(new StampedeResult(1, 1, 1, 1));
    assertThatThrownBy(this::verdict)
        .isInstanceOf(FailedRunException.class)
        .hasMessageContaining("1 stale");
  }

  @Test
  @DisplayName("a second load in any stampede fails")
  void secondLoad() {
    ours.phases().add(new PhaseResult(10, 1, 1, 1, 1, 0));
    ours.stampedes().add(new StampedeResult(1, 1, 1, 0));
    ours.stampedes().add(new StampedeResult(2, 1, 1, 0));
    assertThatThrownBy(this::verdict)
        .isInstanceOf(FailedRunException.class)
        .hasMessageContaining("2 times instead of once");
  }

  private void verdict() {
    DemoSettings settings =
        new DemoSettings(
            10, 10, 10, 1, Duration.ofSeconds(1), 0, 0, 1, 1, Duration.ZERO, null, null, null, "");
    new DemoReport(settings, screen, List.of(ours)).verdict();
  }
}
