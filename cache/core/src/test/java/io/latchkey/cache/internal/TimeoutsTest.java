package io.latchkey.cache.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.testing.Patience;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The timer of loads. */
class TimeoutsTest {
  private static final class Idle extends Task {
    Idle() {
      super(Purpose.WAIT);
    }

    @Override
    boolean runClaimed() {
      return false;
    }

    @Override
    void refused(Throwable refusal, boolean full) {}

    @Override
    void expire() {}
  }

  private static boolean threadOf(String cacheName) {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().equals("latchkey-" + cacheName + "-timeouts"));
  }

  @Test
  @DisplayName("F7: When the time of a load is up, its action runs on a daemon thread of the cache")
  void timesOut() {
    Timeouts timeouts = new Timeouts(1, "up");
    AtomicReference<Thread> timer = new AtomicReference<>();
    CountDownLatch up = new CountDownLatch(1);
    timeouts.watch(
        new Idle(),
        () -> {
          timer.set(Thread.currentThread());
          up.countDown();
        });
    Patience.await(up, "the time is up");
    assertThat(timer.get().isDaemon()).isTrue();
    assertThat(timer.get().getName()).isEqualTo("latchkey-up-timeouts");
    assertThat(timeouts.nanos()).isEqualTo(1);
    timeouts.close();
    Patience.until("the timer's thread ends", () -> !timer.get().isAlive());
  }

  @Test
  @DisplayName("F16: A cache has no timer before its first load, and none for a time without end")
  void noTimer() {
    Timeouts endless = new Timeouts(Long.MAX_VALUE, "endless");
    endless.watch(new Idle(), () -> {});
    assertThat(threadOf("endless")).isFalse();
    Timeouts unused = new Timeouts(5, "unused");
    unused.close();
    assertThat(threadOf("unused")).isFalse();
  }

  @Test
  @DisplayName("F16: Closing ends the timer's thread, with loads under way, and starts none later")
  void close() {
    Timeouts timeouts = new Timeouts(Long.MAX_VALUE / 4, "hour");
    Idle task = new Idle();
    timeouts.watch(task, () -> {});
    Patience.until("the timer's thread starts", () -> threadOf("hour"));
    timeouts.close();
    Patience.until("the timer's thread ends", () -> !threadOf("hour"));
    timeouts.watch(new Idle(), () -> {});
    assertThat(threadOf("hour")).isFalse();
    timeouts.close();
  }

  @Test
  @DisplayName("F7: A load that ended in time is not timed out")
  void cancelled() {
    Timeouts timeouts = new Timeouts(1, "cancelled");
    CountDownLatch busy = new CountDownLatch(1);
    CountDownLatch free = new CountDownLatch(1);
    CountDownLatch second = new CountDownLatch(1);
    timeouts.watch(
        new Idle(),
        () -> {
          busy.countDown();
          Patience.await(free, "the test frees the timer's thread");
        });
    Patience.await(busy, "the timer's thread is held");
    AtomicReference<String> timedOut = new AtomicReference<>("none");
    Idle ended = new Idle();
    ended.claim();
    ended.end();
    timeouts.watch(ended, () -> timedOut.set("the load that had ended"));
    timeouts.watch(new Idle(), second::countDown);
    free.countDown();
    Patience.await(second, "the second load is timed out");
    assertThat(timedOut).hasValue("none");
    timeouts.close();
  }
}
