package io.latchkey.bench.flight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.bench.peers.CacheUnderTest;
import io.latchkey.bench.peers.Implementation;
import io.latchkey.storage.Storage;
import java.time.Duration;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

class DrillTest {
  private final GatedStorage storage = new GatedStorage();

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "DIRECT")
  @DisplayName("every cache that is measured loads once for all callers")
  void oneLoad(Implementation implementation) throws Exception {
    try (CacheUnderTest<Long, Object> cache = implementation.over(storage, 100)) {
      Drill drill = new Drill(cache, storage, Callers.PLATFORM, false);
      for (long key = 0; key < 3; key++) {
        Drill.Outcome outcome = drill.run(key, 6);
        assertThat(outcome.loads()).isEqualTo(1);
        assertThat(outcome.lastNanos()).isPositive();
        assertThat(outcome.bytes()).isNotNaN();
        if (implementation != Implementation.CAFFEINE_ASYNC) {
          assertThat(outcome.leaderNanos()).isPositive().isLessThanOrEqualTo(outcome.lastNanos());
        }
      }
    }
  }

  @Test
  @DisplayName("a cache that fails ends the drill with what it threw")
  void fails() {
    Storage<Long, Object> broken =
        key -> {
          storage.load(key);
          throw new IllegalStateException("no luck");
        };
    try (CacheUnderTest<Long, Object> cache = Implementation.CHM_FUTURE.over(broken, 100)) {
      Drill drill = new Drill(cache, storage, Callers.PLATFORM, true);
      Assertions.assertTimeoutPreemptively(
          Duration.ofMinutes(1),
          () -> assertThatThrownBy(() -> drill.run(1, 4)).hasStackTraceContaining("no luck"));
    }
  }
}
