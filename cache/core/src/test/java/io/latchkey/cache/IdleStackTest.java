package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IdleStackTest {
  private static final long IDLE = 100;

  private final LoaderPool pool = LoaderPool.builder().build();
  private final IdleStack stack = new IdleStack();

  private PoolWorker worker(int number) {
    return new PoolWorker(pool, "worker-" + number, null, 1, () -> {});
  }

  private PoolWorker push(long now) {
    PoolWorker worker = worker(stack.size());
    stack.reserve(stack.size() + 1);
    stack.push(worker, now);
    return worker;
  }

  @Test
  @DisplayName("The worker that became idle last is the first one out")
  void lastInFirstOut() {
    PoolWorker first = push(1);
    PoolWorker last = push(2);
    assertThat(stack.pop()).isSameAs(last);
    assertThat(stack.pop()).isSameAs(first);
    assertThat(stack.pop()).isNull();
    assertThat(stack.size()).isZero();
  }

  @Test
  @DisplayName("An empty stack has nothing expired, and nothing is cut from it")
  void empty() {
    assertThat(stack.expired(Long.MAX_VALUE, 0)).isZero();
    assertThat(stack.cut(0)).isEmpty();
  }

  @Test
  @DisplayName("A worker expires when its idle time is over, not before")
  void boundary() {
    push(0);
    assertThat(stack.expired(IDLE - 1, IDLE)).isZero();
    assertThat(stack.expired(IDLE, IDLE)).isEqualTo(1);
  }

  @Test
  @DisplayName("The clock may pass the largest number meanwhile")
  void clockWraps() {
    push(Long.MAX_VALUE - 10);
    push(Long.MIN_VALUE + 10);
    assertThat(stack.expired(Long.MIN_VALUE + 95, IDLE)).isEqualTo(1);
    assertThat(stack.expired(Long.MIN_VALUE + 110, IDLE)).isEqualTo(2);
    assertThat(stack.expired(Long.MIN_VALUE + 80, IDLE)).isZero();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  @DisplayName("Binary search cuts what a look at each worker finds, and leaves the rest in order")
  void cutsLikeLinearSearch(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<PoolWorker> expected = new ArrayList<>();
    long now = 0;
    for (int step = 0; step < 3000; step++) {
      now += random.nextInt(8);
      int choice = random.nextInt(20);
      if (choice < 14) {
        expected.add(push(now));
      } else if (choice < 18) {
        PoolWorker popped = stack.pop();
        assertThat(popped)
            .as("seed %d", seed)
            .isSameAs(expected.isEmpty() ? null : expected.remove(expected.size() - 1));
      } else {
        List<PoolWorker> expired = new ArrayList<>();
        for (PoolWorker each : expected) {
          if (now - each.idleSince >= IDLE) {
            expired.add(each);
          }
        }
        assertThat(stack.cut(stack.expired(now, IDLE)))
            .as("seed %d", seed)
            .containsExactlyElementsOf(expired);
        expected.removeAll(expired);
      }
      assertThat(stack.size()).isEqualTo(expected.size());
    }
    while (!expected.isEmpty()) {
      assertThat(stack.pop()).isSameAs(expected.remove(expected.size() - 1));
    }
  }
}
