package io.latchkey.cache.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The states of a load on the executor. */
class TaskTest {
  private static final class Counting extends Task {
    int runs;
    boolean interrupt;
    boolean exhausted;
    int refusals;

    Counting() {
      super(Purpose.WAIT);
    }

    boolean queuedAfterInterruption;

    @Override
    boolean runClaimed() {
      runs++;
      if (exhausted) {
        throw new StackOverflowError();
      }
      return interrupt || !end();
    }

    @Override
    void interrupted() {
      queuedAfterInterruption = requeue();
    }

    @Override
    void refused(Throwable refusal, boolean full) {
      refusals++;
    }

    @Override
    void expire() {}
  }

  private final Counting task = new Counting();

  @Test
  @DisplayName("A task that a pool holds is not given to it again, before it has run")
  void heldByPool() {
    assertThat(task.hold()).isTrue();
    assertThat(task.hold()).isFalse();
    task.run();
    assertThat(task.hold()).isTrue();
  }

  @Test
  @DisplayName("A task that a closed pool drops is refused once, and not when it is under way")
  void cancelled() {
    assertThat(task.hold()).isTrue();
    task.cancelled(new RejectedExecutionException("closed"));
    task.cancelled(new RejectedExecutionException("closed"));
    task.run();
    assertThat(task.refusals).isEqualTo(1);
    assertThat(task.runs).isZero();
  }

  @Test
  @DisplayName("A task is run by one thread, however often it is submitted")
  void runsOnce() {
    assertThat(task.queued()).isTrue();
    task.run();
    task.run();
    assertThat(task.runs).isEqualTo(1);
    assertThat(task.queued()).isFalse();
    assertThat(task.claim()).isFalse();
  }

  @Test
  @DisplayName("F7: An interrupted load is queued again, by the thread that ran it")
  void interrupted() {
    task.interrupt = true;
    task.run();
    assertThat(task.queuedAfterInterruption).isTrue();
    task.interrupt = false;
    task.run();
    assertThat(task.runs).isEqualTo(2);
    assertThat(task.queued()).isFalse();
  }

  @Test
  @DisplayName("F6: A task whose thread has run out of stack can be taken up by another")
  void exhausted() {
    task.exhausted = true;
    assertThatThrownBy(task::run).isInstanceOf(StackOverflowError.class);
    assertThat(task.queued()).isTrue();
    task.exhausted = false;
    task.run();
    assertThat(task.runs).isEqualTo(2);
    assertThat(task.queued()).isFalse();
  }

  @Test
  @DisplayName("F17: A storage call that ended in time is counted by who ran it")
  void ends() {
    assertThat(task.end()).as("it does not run yet").isFalse();
    assertThat(task.claim()).isTrue();
    assertThat(task.end()).isTrue();
    assertThat(task.end()).isFalse();
    assertThat(task.timeOut()).isFalse();
    assertThat(task.requeue()).isFalse();
  }

  @Test
  @DisplayName("F17: A storage call whose time ran out is counted as abandoned only")
  void timesOutWhileRunning() {
    task.claim();
    assertThat(task.timeOut()).isTrue();
    assertThat(task.timeOut()).isFalse();
    assertThat(task.end()).isFalse();
    assertThat(task.requeue()).isFalse();
  }

  @Test
  @DisplayName("F7: A task whose time ran out before a thread had it never runs")
  void timesOutWhileQueued() {
    assertThat(task.timeOut()).isFalse();
    assertThat(task.queued()).isFalse();
    task.run();
    assertThat(task.runs).isZero();
  }

  @Test
  @DisplayName("F7: An interrupted task is queued again, and runs again")
  void requeued() {
    assertThat(task.requeue()).as("it does not run yet").isFalse();
    assertThat(task.claim()).isTrue();
    assertThat(task.requeue()).isTrue();
    assertThat(task.queued()).isTrue();
    task.run();
    assertThat(task.runs).isEqualTo(1);
  }

  @Test
  @DisplayName("The timer of a task is cancelled when it ends, and one that comes late at once")
  void timer() {
    CompletableFuture<Object> timer = new CompletableFuture<>();
    task.timer(timer);
    task.claim();
    assertThat(timer).isNotDone();
    task.end();
    assertThat(timer).isCancelled();
    CompletableFuture<Object> late = new CompletableFuture<>();
    task.timer(late);
    assertThat(late).isCancelled();

    Counting running = new Counting();
    running.claim();
    CompletableFuture<Object> pending = new CompletableFuture<>();
    running.timer(pending);
    assertThat(pending).isNotDone();
  }

  @Test
  @DisplayName("A task names the thread that runs it")
  void leader() {
    assertThat(task.leader()).isNull();
    task.leader(Leader.current());
    assertThat(task.leader()).isSameAs(Leader.current());
    task.leader(null);
    assertThat(task.leader()).isNull();
  }
}
