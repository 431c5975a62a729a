package io.latchkey.cache.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.Callers;
import io.latchkey.cache.testing.Patience;
import io.latchkey.cache.testing.StackEdge;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The entry as latch: which transitions there are, and who wins them. */
class EntryTest {
  private final Token bottom = new NoLeader();
  private final Entry entry = new Entry("key", 1, bottom);

  private Entry ready(Object outcome) {
    return new Entry("key", 1, outcome, Entry.READY);
  }

  @Test
  @DisplayName("A flight is LOADING, with its token for a stack")
  void starts() {
    assertThat(entry.stateAcquire()).isEqualTo(Entry.LOADING);
    assertThat(entry.stack()).isSameAs(bottom);
    assertThat(entry.weight()).isEqualTo(1);
  }

  @Test
  @DisplayName("A kept outcome is READY; nobody can join or close the flight any more")
  void keep() {
    Node top = entry.close();
    assertThat(top).isSameAs(bottom);
    assertThat(entry.stack()).isNull();
    assertThat(entry.keep(top, "object", Entry.READY)).isTrue();

    assertThat(entry.stateAcquire()).isEqualTo(Entry.READY);
    assertThat(entry.outcomePlain()).isEqualTo("object");
    assertThat(entry.push(Waiter.OfThread.create(false))).isFalse();
    assertThat(entry.close()).isNull();
    assertThat(entry.close(bottom)).isFalse();
    assertThat(entry.detach()).isFalse();
    assertThat(entry.drop()).as("it is not in flight").isFalse();
  }

  @Test
  @DisplayName("A closed stack takes no waiter, and only one caller closes it")
  void closedOnce() {
    assertThat(entry.close()).isSameAs(bottom);
    assertThat(entry.close()).isNull();
    assertThat(entry.push(Waiter.OfThread.create(false))).isFalse();
  }

  @Test
  @DisplayName("The last to leave closes the stack only if nobody has come meanwhile")
  void closeAtTop() {
    Waiter late = Waiter.OfThread.create(false);
    entry.push(late);
    assertThat(entry.close(bottom)).isFalse();
    assertThat(entry.stack()).isSameAs(late);
    assertThat(entry.close(late)).isTrue();
    assertThat(entry.stack()).isNull();
  }

  @Test
  @DisplayName("F2: What a detached flight brings is not kept")
  void keepAfterDetach() {
    assertThat(entry.detach()).isTrue();
    assertThat(entry.detach()).isFalse();
    Node top = entry.close();
    assertThat(entry.keep(top, "late", Entry.READY)).isFalse();
    assertThat(entry.stateAcquire()).isEqualTo(Entry.DEAD);
    assertThat(entry.outcomePlain()).isNull();
  }

  @Test
  @DisplayName("A flight that ends without an outcome to keep says whether it was in the table")
  void drop() {
    entry.close();
    assertThat(entry.drop()).isTrue();
    assertThat(entry.stateAcquire()).isEqualTo(Entry.DEAD);
    assertThat(entry.outcomePlain()).isNull();

    Entry away = new Entry("key", 1, bottom);
    away.detach();
    away.close();
    assertThat(away.drop()).isFalse();
    assertThat(away.stateAcquire()).isEqualTo(Entry.DEAD);
    assertThat(away.outcomePlain()).isNull();
  }

  @ParameterizedTest
  @ValueSource(bytes = {Entry.READY, Entry.FAILED})
  @DisplayName("An entry is retired once, by the one who gets its outcome")
  void retire(byte state) {
    Entry alive = new Entry("key", 1, "outcome", state);
    assertThat(alive.retire()).isEqualTo("outcome");
    assertThat(alive.retire()).isNull();
    assertThat(alive.stateAcquire()).isEqualTo(Entry.DEAD);
    assertThat(alive.outcomePlain()).as("a dead entry pins nothing").isNull();
  }

  @Test
  @DisplayName("A flight cannot be retired")
  void retireFlight() {
    assertThat(entry.retire()).isNull();
    assertThat(entry.stateAcquire()).isEqualTo(Entry.LOADING);
    assertThat(entry.stack()).isSameAs(bottom);
  }

  @Test
  @DisplayName("An abandoned flight is rescued once, and its waiters with it")
  void rescue() {
    Waiter waiter = Waiter.OfThread.create(false);
    assertThat(entry.rescue(bottom)).as("nobody abandoned it").isNull();
    entry.push(waiter);
    entry.state = Entry.ABANDONED;
    assertThat(entry.rescue(bottom)).isSameAs(waiter);
    assertThat(entry.rescue(bottom)).isNull();
    assertThat(entry.stateAcquire()).isEqualTo(Entry.DEAD);
    assertThat(entry.outcomePlain()).isNull();
  }

  @Test
  @DisplayName("A flight that was abandoned after its stack was taken has no waiters to rescue")
  void rescueSettled() {
    entry.close();
    entry.state = Entry.ABANDONED;
    Node none = new NoLeader();
    assertThat(entry.rescue(none)).isSameAs(none);
    assertThat(entry.outcomePlain()).isNull();
  }

  @Test
  @DisplayName("The use counter counts to three and then stays")
  void touch() {
    Entry hit = ready("object");
    List<Integer> counts = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      hit.touch();
      counts.add((int) hit.counter);
    }
    assertThat(counts).containsExactly(1, 2, 3, 3, 3);
  }

  @Test
  @DisplayName("Who finds no stack waits until the closed flight has its new state")
  void awaitSettled() {
    Node top = entry.close();
    Callers callers = new Callers();
    Caller<Object> late = callers.run(entry::awaitSettled);
    Caller<Object> detached =
        callers.run(
            () -> {
              Entry other = new Entry("other", 1, bottom);
              other.detach();
              other.close();
              Caller<Object> inner = callers.run(other::awaitSettled);
              seenSpinning(inner);
              other.drop();
              inner.value();
            });
    seenSpinning(late);
    assertThat(late.ended()).isFalse();
    entry.keep(top, "object", Entry.READY);
    late.value();
    detached.value();
  }

  private static void seenSpinning(Caller<?> caller) {
    Patience.until(
        "a thread awaits the new state",
        () -> {
          for (StackTraceElement frame : caller.thread().getStackTrace()) {
            if (frame.getMethodName().equals("awaitSettled")) {
              return true;
            }
          }
          if (caller.ended()) {
            throw new AssertionError("it did not wait for the new state");
          }
          return false;
        });
  }

  @Test
  @DisplayName("An open flight, and one with a new state, are not waited for")
  void nothingToAwait() {
    entry.awaitSettled();
    ready("object").awaitSettled();
    entry.close();
    entry.state = Entry.ABANDONED;
    entry.awaitSettled();
  }

  @Test
  @DisplayName("F6: Where the stack ends, keeping an outcome happens wholly, or can be rescued")
  void keepAtTheEdge() {
    for (int i = 0; i < 10; i++) {
      Entry warm = new Entry("key", 1, bottom);
      warm.keep(warm.close(), "object", Entry.READY);
    }
    List<Entry> entries = new ArrayList<>();
    int attempts =
        StackEdge.explore(
            () -> {
              Entry flight = new Entry("key", 1, bottom);
              Node top = flight.close();
              if (top != null) {
                entries.add(flight);
                flight.keep(top, "object", Entry.READY);
              }
            });
    assertThat(attempts).isGreaterThan(12);
    for (Entry flight : entries) {
      switch (flight.stateAcquire()) {
        case Entry.READY -> assertThat(flight.outcomePlain()).isEqualTo("object");
        case Entry.ABANDONED -> assertThat(flight.rescue(new NoLeader())).isSameAs(bottom);
        default -> assertThat(flight.stack()).as("nothing happened yet").isNull();
      }
    }
  }
}
