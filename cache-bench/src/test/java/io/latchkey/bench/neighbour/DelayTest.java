package io.latchkey.bench.neighbour;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.bench.peers.Implementation;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DelayTest {
  private static final Duration LONG = Duration.ofMinutes(1);
  private static final Duration SHORT = Duration.ofMillis(20);

  @ParameterizedTest
  @EnumSource
  @DisplayName("nothing waits where the load holds no lock")
  void doesNotWait(Work work) {
    assertThat(Delay.measure(Implementation.CHM_FUTURE, work, LONG).loadOver()).isFalse();
  }

  @ParameterizedTest
  @EnumSource(names = {"GET", "REMOVE_LOADING"})
  @DisplayName("a map that loads under its lock waits for the load")
  void waits(Work work) {
    Delay.Outcome outcome = Delay.measure(Implementation.CHM, work, SHORT);
    assertThat(outcome.loadOver()).isTrue();
    assertThat(outcome.nanos()).isPositive();
  }
}
