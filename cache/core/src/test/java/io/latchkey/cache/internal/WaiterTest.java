package io.latchkey.cache.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The kinds of waiters, and what becomes of each. */
class WaiterTest {
  @Test
  @DisplayName("A waiter is woken, promoted or gone, whichever comes first")
  void onceOnly() {
    Waiter woken = Waiter.OfThread.create(true);
    assertThat(woken.claim(Waiter.WOKEN)).isTrue();
    assertThat(woken.leave()).isFalse();
    assertThat(woken.claim(Waiter.PROMOTED)).isFalse();
    assertThat(woken.state()).isEqualTo(Waiter.WOKEN);
    assertThat(woken.gone()).isFalse();

    Waiter gone = Waiter.OfThread.create(true);
    assertThat(gone.leave()).isTrue();
    assertThat(gone.claim(Waiter.WOKEN)).isFalse();
    assertThat(gone.gone()).isTrue();

    Waiter promoted = Waiter.OfThread.create(true);
    assertThat(promoted.claim(Waiter.PROMOTED)).isTrue();
    assertThat(promoted.leave()).isFalse();
    promoted.resign();
    assertThat(promoted.gone()).isTrue();
  }

  @Test
  @DisplayName("A thread leads only if it may, and is named by its own leader once it does")
  void ofThread() {
    Waiter.OfThread waiter = Waiter.OfThread.create(true);
    assertThat(waiter.mayLead()).isTrue();
    assertThat(Waiter.OfThread.create(false).mayLead()).isFalse();
    assertThat(waiter.leader()).isNull();
    waiter.leader = Leader.current();
    assertThat(waiter.leader()).isSameAs(Leader.current());
    assertThat(waiter.thread).isSameAs(Thread.currentThread());
    assertThat(waiter.signal()).as("it wakes others").isTrue();
  }

  @Test
  @DisplayName("A future wakes nobody, leads nothing, and is gone when it is done")
  void ofFuture() {
    Waiter.OfFuture waiter = new Waiter.OfFuture();
    assertThat(waiter.signal()).isFalse();
    assertThat(waiter.mayLead()).isFalse();
    assertThat(waiter.leader()).isNull();
    assertThat(waiter.gone()).isFalse();
    waiter.future.complete("object");
    assertThat(waiter.gone()).isTrue();
    Waiter.OfFuture left = new Waiter.OfFuture();
    left.leave();
    assertThat(left.gone()).isTrue();
  }

  @Test
  @DisplayName("A bulk learns that one of its waiters was promoted, and who leads it then")
  void ofBulk() {
    Waiter.BulkWait wait = new Waiter.BulkWait(true);
    Waiter.OfBulk waiter = new Waiter.OfBulk(wait);
    assertThat(waiter.mayLead()).isTrue();
    assertThat(new Waiter.OfBulk(new Waiter.BulkWait(false)).mayLead()).isFalse();
    assertThat(waiter.signal()).as("it wakes no others").isFalse();
    assertThat(wait.promoted).isFalse();
    waiter.claim(Waiter.PROMOTED);
    waiter.signal();
    assertThat(wait.promoted).isTrue();
    assertThat(waiter.leader()).isNull();
    wait.leader = Leader.current();
    assertThat(waiter.leader()).isSameAs(Leader.current());
  }

  @Test
  @DisplayName("Marks are no callers: nobody wakes or promotes them")
  void marks() {
    Waiter put = new Waiter.PutMark("put");
    assertThat(put.state()).isEqualTo(Waiter.WOKEN);
    assertThat(put.outcome).isEqualTo("put");
    assertThat(put.signal()).isFalse();
    assertThat(put.gone()).as("pruning leaves it").isFalse();
    assertThat(put.mayLead()).isFalse();

    NoLeader token = new NoLeader();
    Waiter.LeaderMark mark = new Waiter.LeaderMark(token);
    assertThat(mark.state()).isEqualTo(Waiter.PROMOTED);
    assertThat(mark.signal()).isFalse();
    assertThat(mark.gone()).isFalse();
    assertThat(mark.leader()).isNull();
    assertThat(new Waiter.LeaderMark(Leader.current()).leader()).isSameAs(Leader.current());
  }

  @Test
  @DisplayName("A link is changed only by who knows it")
  void links() {
    Waiter upper = Waiter.OfThread.create(false);
    Waiter lower = Waiter.OfThread.create(false);
    Token bottom = new NoLeader();
    lower.standOn(bottom);
    upper.standOn(lower);
    assertThat(upper.nextAcquire()).isSameAs(lower);
    assertThat(upper.casNext(bottom, lower)).isFalse();
    assertThat(upper.casNext(lower, bottom)).isTrue();
    assertThat(upper.nextAcquire()).isSameAs(bottom);
  }
}
