package io.latchkey.bench.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.bench.console.BadInputException;
import io.latchkey.bench.console.FailedRunException;
import io.latchkey.bench.console.Progress;
import io.latchkey.storage.Storage;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class BackendRunTest {
  private static final List<Long> KEYS = LongStream.range(0, 40).boxed().toList();

  private final Counting storage = new Counting();

  @Test
  @DisplayName("what goes through the cache is loaded once, the rest each time; bulks are bulks")
  void loads() {
    List<ReadResult> results = run(40).run(new Silent());
    // A quarter of 10 each: read 1 + 2 times directly, once through the cache.
    assertThat(storage.singles).hasSize(20);
    assertThat(storage.singles.values()).filteredOn(times -> times == 3).hasSize(10);
    assertThat(storage.singles.values()).filteredOn(times -> times == 1).hasSize(10);
    // Bulks of 4, 4 and 2: three direct readings, and one through the cache.
    assertThat(storage.bulks).isEqualTo(9 + 3);
    assertThat(results).hasSize(8).allMatch(result -> result.found() == result.asked());
    assertThat(results)
        .extracting(ReadResult::asked)
        .containsExactly(10L, 20L, 10L, 20L, 10L, 20L, 10L, 20L);
    assertThat(results)
        .extracting(ReadResult::calls)
        .containsExactly(10L, 20L, 3L, 6L, 10L, 20L, 3L, 6L);
  }

  @Test
  @DisplayName("percentiles go up, and the mean lies within the calls")
  void percentiles() {
    for (ReadResult result : run(40).run(new Silent())) {
      assertThat(result.nanos(50)).isLessThanOrEqualTo(result.nanos(99));
      assertThat(result.nanos(99)).isLessThanOrEqualTo(result.maxNanos());
      assertThat(result.nanosPerObject()).isBetween(0.0, (double) result.maxNanos() + 1);
    }
  }

  @Test
  @DisplayName("what is read while the JVM settles is not measured, and comes from the same way")
  void settling() {
    Duration settling = Duration.ofMillis(20);
    List<ReadResult> results =
        new BackendRun<>(storage, KEYS, 4, 2, 40, 1, settling).run(new Silent());
    assertThat(results)
        .extracting(ReadResult::asked)
        .containsExactly(10L, 20L, 10L, 20L, 10L, 20L, 10L, 20L);
    assertThat(storage.singles.values()).filteredOn(times -> times > 3).hasSize(10);
    assertThat(storage.singles.values()).filteredOn(times -> times == 1).hasSize(10);
    assertThat(storage.bulks).isGreaterThan(9 + 3);
  }

  @Test
  @DisplayName("a storage that cannot be written is not filled")
  void notWritable() {
    assertThatThrownBy(() -> run(40).fill(10, new Silent()))
        .isInstanceOf(BadInputException.class)
        .hasMessageContaining("cannot be written");
  }

  @Test
  @DisplayName("a storage that fails ends the run, with its message")
  void failure() {
    storage.broken = true;
    assertThatThrownBy(() -> run(40).run(new Silent()))
        .isInstanceOf(FailedRunException.class)
        .hasMessageContaining("reading from Counting failed: the disk is gone");
  }

  private BackendRun<Long> run(long bound) {
    return new BackendRun<>(storage, KEYS, 4, 2, bound, 1, Duration.ZERO);
  }

  private static final class Counting implements Storage<Long, byte[]> {
    final Map<Long, Integer> singles = new HashMap<>();
    int bulks;
    boolean broken;

    @Override
    public byte[] load(Long key) throws Exception {
      if (broken) {
        throw new Exception("the disk is gone");
      }
      singles.merge(key, 1, Integer::sum);
      return new byte[1];
    }

    @Override
    public Map<Long, byte[]> loadAll(Set<? extends Long> keys) {
      bulks++;
      Map<Long, byte[]> all = new HashMap<>();
      keys.forEach(key -> all.put(key, new byte[1]));
      return all;
    }
  }

  private static final class Silent implements Progress {
    @Override
    public void stepTo(long done) {}

    @Override
    public void close() {}
  }
}
