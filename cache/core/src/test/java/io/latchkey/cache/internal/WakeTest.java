package io.latchkey.cache.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.CacheLoadException;
import io.latchkey.cache.testing.ManualExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Who is woken by whom, and in which order. */
class WakeTest {
  private final ManualExecutor executor = new ManualExecutor();
  private final Wake wake = new Wake(executor);
  private final Entry flight = new Entry("key", 1, new NoLeader());

  private <W extends Waiter> W push(W waiter) {
    assertThat(flight.push(waiter)).isTrue();
    return waiter;
  }

  private List<Waiter> threads(int count) {
    List<Waiter> waiters = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      waiters.add(0, push(Waiter.OfThread.create(false)));
    }
    return waiters;
  }

  private List<Waiter.OfFuture> futures(int count) {
    List<Waiter.OfFuture> waiters = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      waiters.add(push(new Waiter.OfFuture()));
    }
    return waiters;
  }

  private void start(Object outcome, boolean here) {
    Node top = flight.close();
    assertThat(top).isNotNull();
    wake.start(top, outcome, outcome instanceof Failure, here);
  }

  private static long woken(List<? extends Waiter> waiters) {
    return waiters.stream().filter(waiter -> waiter.state() == Waiter.WOKEN).count();
  }

  private static long done(List<Waiter.OfFuture> waiters) {
    return waiters.stream().filter(waiter -> waiter.future.isDone()).count();
  }

  @Test
  @DisplayName("A leader with nobody to wake wakes nobody")
  void nobody() {
    start("object", false);
    assertThat(executor.waiting()).isZero();
  }

  @Test
  @DisplayName("The leader wakes two threads, and each of them 32 more when it passes on")
  void quota() {
    List<Waiter> all = threads(100);
    start("object", false);
    assertThat(woken(all)).isEqualTo(2);
    wake.passOn(all.get(0));
    assertThat(woken(all)).isEqualTo(34);
    wake.passOn(all.get(1));
    assertThat(woken(all)).isEqualTo(66);
    wake.passOn(all.get(2));
    wake.passOn(all.get(3));
    assertThat(woken(all)).isEqualTo(100);
    wake.passOn(all.get(99));
    for (Waiter waiter : all) {
      assertThat(Joins.outcome(waiter)).isEqualTo("object");
    }
    assertThat(executor.waiting()).isZero();
  }

  @Test
  @DisplayName("Each waiter that passes the wake on, in whatever order, all are reached")
  void everybody() {
    List<Waiter> all = threads(1000);
    start("object", false);
    List<Waiter> passed = new ArrayList<>();
    while (passed.size() < all.size()) {
      Waiter next =
          all.stream()
              .filter(waiter -> waiter.state() == Waiter.WOKEN && !passed.contains(waiter))
              .findFirst()
              .orElseThrow();
      passed.add(next);
      wake.passOn(next);
    }
    assertThat(woken(all)).isEqualTo(1000);
  }

  @Test
  @DisplayName("F8: Waiters that left do not count, on top neither")
  void goneDoNotCount() {
    List<Waiter> all = threads(10);
    all.get(0).leave();
    all.get(2).leave();
    all.get(3).leave();
    start("object", false);
    assertThat(all.get(1).state()).isEqualTo(Waiter.WOKEN);
    assertThat(all.get(4).state()).isEqualTo(Waiter.WOKEN);
    assertThat(woken(all)).isEqualTo(2);
    assertThat(all.get(0).state()).isEqualTo(Waiter.GONE);
    assertThat(Joins.outcome(all.get(4))).isEqualTo("object");
  }

  @Test
  @DisplayName("A waiter that nobody woke has no outcome yet, and passes nothing on")
  void noOutcome() {
    Waiter waiter = push(Waiter.OfThread.create(false));
    assertThat(Joins.outcome(waiter)).isSameAs(Joins.RETRY);
    wake.passOn(waiter);
    assertThat(waiter.state()).isEqualTo(Waiter.WAITING);
  }

  @Test
  @DisplayName("Futures are completed on the executor, after the threads were woken")
  void futuresOnTheExecutor() {
    List<Waiter> threads = new ArrayList<>();
    List<Waiter.OfFuture> futures = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      futures.addAll(futures(2));
      threads.addAll(threads(1));
    }
    start("object", false);
    assertThat(woken(threads)).isEqualTo(2);
    assertThat(done(futures)).isZero();
    wake.passOn(threads.get(2));
    executor.runAll();
    assertThat(woken(threads)).isEqualTo(3);
    assertThat(futures).allMatch(each -> "object".equals(each.future.getNow(null)));
  }

  @Test
  @DisplayName("A future on top of the stack is completed like the others")
  void futureOnTop() {
    List<Waiter> threads = threads(3);
    List<Waiter.OfFuture> futures = futures(2);
    start(Entry.ABSENT, false);
    assertThat(woken(threads)).as("futures take no thread's place").isEqualTo(2);
    executor.runAll();
    assertThat(futures).allMatch(each -> each.future.isDone() && each.future.join() == null);
  }

  @Test
  @DisplayName("On the executor's own thread futures are completed at once")
  void here() {
    List<Waiter.OfFuture> futures = futures(200);
    start("object", true);
    assertThat(done(futures)).isEqualTo(200);
    assertThat(executor.waiting()).isZero();
  }

  @Test
  @DisplayName("One waker looks after 64 futures; the executor goes on with the others")
  void batch() {
    List<Waiter> threads = threads(2);
    List<Waiter.OfFuture> futures = futures(200);
    start("object", false);
    assertThat(woken(futures)).isEqualTo(65);
    assertThat(woken(threads)).isZero();
    assertThat(executor.waiting()).isEqualTo(1);
    executor.runAll();
    assertThat(done(futures)).isEqualTo(200);
    assertThat(woken(threads)).isEqualTo(2);
  }

  @Test
  @DisplayName("A batch that reaches just the last waiter leaves nothing to the executor but it")
  void exactBatch() {
    List<Waiter.OfFuture> futures = futures(65);
    start("object", false);
    assertThat(woken(futures)).isEqualTo(65);
    assertThat(executor.waiting()).isEqualTo(1);
    executor.runNext();
    assertThat(done(futures)).isEqualTo(65);
    assertThat(executor.waiting()).isZero();
  }

  @Test
  @DisplayName("F15: Futures are completed here when the executor refuses to, by an error too")
  void refused() {
    List<Waiter.OfFuture> futures = futures(100);
    executor.reject(true);
    start("object", false);
    assertThat(done(futures)).isEqualTo(100);

    Entry other = new Entry("key", 1, new NoLeader());
    Waiter.OfFuture waiter = new Waiter.OfFuture();
    other.push(waiter);
    Wake broken =
        new Wake(
            task -> {
              throw new OutOfMemoryError("no thread");
            });
    Node top = other.close();
    assertThat(top).isNotNull();
    broken.start(top, "object", false, false);
    assertThat(waiter.future).isCompletedWithValue("object");
  }

  @Test
  @DisplayName("F8: A cancelled future is nobody, and keeps its cancellation")
  void cancelled() {
    List<Waiter.OfFuture> futures = futures(3);
    futures.get(1).future.cancel(true);
    assertThat(futures.get(1).gone()).isTrue();
    start("object", true);
    assertThat(futures.get(0).future).isCompletedWithValue("object");
    assertThat(futures.get(1).future).isCancelled();
    assertThat(futures.get(2).future).isCompletedWithValue("object");
  }

  @Test
  @DisplayName("F6: Each future fails with an exception of its own")
  void failures() {
    List<Waiter.OfFuture> futures = futures(2);
    Exception cause = new RejectedExecutionException("x");
    start(Failure.load("loading failed", cause), true);
    List<Throwable> thrown = new ArrayList<>();
    for (Waiter.OfFuture waiter : futures) {
      CompletionException wrapped =
          Assertions.catchThrowableOfType(CompletionException.class, waiter.future::join);
      thrown.add(wrapped.getCause());
    }
    assertThat(thrown)
        .allSatisfy(each -> assertThat(each).isInstanceOf(CacheLoadException.class))
        .allSatisfy(each -> assertThat(each).hasCause(cause))
        .doesNotHaveDuplicates();
  }

  @Test
  @DisplayName("A bulk's waiter is woken beside the quota of threads")
  void bulk() {
    List<Waiter> threads = threads(3);
    Waiter.BulkWait wait = new Waiter.BulkWait(true);
    Waiter bulk = push(new Waiter.OfBulk(wait));
    start("object", false);
    assertThat(bulk.state()).isEqualTo(Waiter.WOKEN);
    assertThat(wait.promoted).isFalse();
    assertThat(woken(threads)).isEqualTo(2);
  }

  @Test
  @DisplayName("Marks on the stack are passed over")
  void marks() {
    List<Waiter> threads = threads(2);
    push(new Waiter.PutMark("put"));
    push(new Waiter.LeaderMark(new NoLeader()));
    start("object", false);
    assertThat(woken(threads)).isEqualTo(2);
  }
}
