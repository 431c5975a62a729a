package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TaskQueueTest {
  private record Numbered(int number) implements Runnable {
    @Override
    public void run() {}
  }

  @Test
  @DisplayName("A queue for nothing takes nothing")
  void zeroCapacity() {
    TaskQueue queue = new TaskQueue(0);
    assertThat(queue.add(new Numbered(1))).isFalse();
    assertThat(queue.poll()).isNull();
    assertThat(queue.drain()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"1,1", "7,2", "16,3", "17,4", "100,5"})
  @DisplayName("Tasks leave in the order in which they came, and there are never too many")
  void firstInFirstOut(int capacity, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    TaskQueue queue = new TaskQueue(capacity);
    Deque<Runnable> expected = new ArrayDeque<>();
    for (int step = 0; step < 5000; step++) {
      if (random.nextInt(9) < (step / 500 % 2 == 0 ? 6 : 3)) {
        Runnable task = new Numbered(step);
        boolean room = expected.size() < capacity;
        assertThat(queue.add(task)).as("seed %d, step %d", seed, step).isEqualTo(room);
        if (room) {
          expected.add(task);
        }
      } else {
        assertThat(queue.poll()).as("seed %d, step %d", seed, step).isSameAs(expected.poll());
      }
      assertThat(queue.size()).isEqualTo(expected.size());
    }
    assertThat(queue.drain()).isEqualTo(new ArrayList<>(expected));
    assertThat(queue.size()).isZero();
  }
}
