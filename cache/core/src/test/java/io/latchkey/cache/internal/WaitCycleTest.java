package io.latchkey.cache.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.testing.Callers;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Finding loads that wait for themselves. */
class WaitCycleTest {
  private final Leader self = Leader.current();
  private final Callers callers = new Callers();

  @AfterEach
  void waitForNothing() {
    self.waitingOn = null;
  }

  /** A leader in a thread of its own that has ended meanwhile. */
  private Leader other(Entry... waitsFor) {
    Leader leader = callers.start(Leader::current).value();
    assertThat(leader).isNotNull();
    leader.waitingOn = waitsFor;
    return leader;
  }

  private static Entry led(Object key, Token by) {
    return new Entry(key, 1, by);
  }

  private static @Nullable Waiter push(Entry flight, byte state) {
    Waiter.OfThread waiter = Waiter.OfThread.create(true);
    flight.push(waiter);
    if (state != Waiter.WAITING) {
      waiter.claim(state);
    }
    return waiter;
  }

  private @Nullable List<Object> find(Entry... from) {
    self.waitingOn = from;
    return WaitCycle.find(from, self);
  }

  @Test
  @DisplayName("The leader of a flight is named by the token at the bottom")
  void tokenAtTheBottom() {
    Entry flight = led("key", self);
    assertThat(WaitCycle.token(flight, 0)).isSameAs(self);
    push(flight, Waiter.WAITING);
    push(flight, Waiter.GONE);
    assertThat(WaitCycle.token(flight, 2)).isSameAs(self);
    assertThat(WaitCycle.token(flight, 1)).as("too deep to see").isNull();
    flight.close();
    assertThat(WaitCycle.token(flight, 9)).isNull();
  }

  @Test
  @DisplayName("F10: A promoted waiter leads in place of the token")
  void promoted() {
    Leader promoted = other();
    Entry flight = led("key", self);
    push(flight, Waiter.WAITING);
    Waiter.OfThread waiter = Waiter.OfThread.create(true);
    flight.push(waiter);
    push(flight, Waiter.WAITING);
    waiter.claim(Waiter.PROMOTED);
    assertThat(WaitCycle.token(flight, 9)).as("it has not begun yet").isNull();
    waiter.leader = promoted;
    assertThat(WaitCycle.token(flight, 9)).isSameAs(promoted);
    waiter.resign();
    assertThat(WaitCycle.token(flight, 9)).isSameAs(self);
  }

  @Test
  @DisplayName("F10: A task that took over from an interrupted leader leads in place of the token")
  void leaderMark() {
    Entry flight = led("key", self);
    Token task = new NoLeader();
    flight.push(new Waiter.LeaderMark(task));
    assertThat(WaitCycle.token(flight, 9)).isSameAs(task);
    assertThat(find(flight)).as("the old leader leads no more").isNull();
  }

  @Test
  @DisplayName("F10: A flight that this thread leads is a way back by itself")
  void direct() {
    assertThat(find(led("key", self))).containsExactly("key");
  }

  @Test
  @DisplayName("F10: A way back goes through the flights that other leaders wait for")
  void throughOthers() {
    Entry mine = led("mine", self);
    Entry third = led("third", other(mine));
    Entry second = led("second", other(third));
    assertThat(find(second)).containsExactly("second", "third", "mine");
    assertThat(find(led("else", other()))).isNull();
    assertThat(find(led("settled", other(led("more", new NoLeader()))))).isNull();
  }

  @Test
  @DisplayName("F10: Of several flights waited for, one on a way back is enough")
  void bulk() {
    Entry mine = led("mine", self);
    Entry innocent = led("innocent", new NoLeader());
    Entry idle = led("idle", other());
    Entry guilty = led("guilty", other(innocent, mine));
    assertThat(find(innocent, idle, guilty)).startsWith("guilty").endsWith("mine");
    assertThat(find(innocent, idle)).isNull();
  }

  @Test
  @DisplayName("F10: A circle of others is none of ours, and does not catch the search")
  void circleOfOthers() {
    Leader one = other();
    Leader two = other();
    Entry first = led("first", one);
    Entry second = led("second", two);
    one.waitingOn = new Entry[] {second};
    two.waitingOn = new Entry[] {first};
    assertThat(find(first)).isNull();
    assertThat(find(second, first)).isNull();
  }

  @Test
  @DisplayName("F10: A promoted waiter deep in the stack is followed, however deep")
  void deepPromotion() {
    Entry flight = led("key", new NoLeader());
    Waiter.OfThread waiter = Waiter.OfThread.create(true);
    flight.push(waiter);
    waiter.claim(Waiter.PROMOTED);
    waiter.leader = self;
    for (int i = 0; i < 500; i++) {
      push(flight, Waiter.WAITING);
    }
    assertThat(find(flight)).containsExactly("key");
  }

  @Test
  @DisplayName("F10: A chain of two hundred loads is followed to its end")
  void longChain() {
    Leader last = other(led("mine", self));
    List<Entry> chain = new ArrayList<>();
    chain.add(led(0, last));
    List<Leader> leaders = new ArrayList<>();
    for (int i = 1; i < 200; i++) {
      leaders.add(other(chain.get(i - 1)));
      chain.add(led(i, leaders.get(i - 1)));
    }
    assertThat(find(chain.get(199))).hasSize(201).endsWith(0, "mine");
  }

  @Test
  @DisplayName("The keys of a circle are named in order")
  void describe() {
    assertThat(WaitCycle.describe(List.of("a", 2, "c"))).isEqualTo("a -> 2 -> c");
  }
}
