package io.latchkey.cache.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The stack of waiters while its flight is open. */
class WaiterStackTest {
  private final Token bottom = new NoLeader();
  private final Entry flight = new Entry("key", 1, bottom);

  private Waiter.OfThread push() {
    Waiter.OfThread waiter = Waiter.OfThread.create(false);
    assertThat(flight.push(waiter)).isTrue();
    return waiter;
  }

  private List<Node> nodes() {
    List<Node> nodes = new ArrayList<>();
    Node node = flight.stack();
    while (node instanceof Waiter waiter) {
      nodes.add(node);
      node = waiter.nextAcquire();
    }
    assertThat(node).as("the token stays at the bottom").isSameAs(bottom);
    return nodes;
  }

  @Test
  @DisplayName("The last to come is on top, the token at the bottom")
  void lastOnTop() {
    Waiter first = push();
    Waiter second = push();
    assertThat(nodes()).containsExactly(second, first);
  }

  @Test
  @DisplayName("F8: Waiters that left on top are not built upon")
  void goneOnTopAreSkipped() {
    Waiter first = push();
    push().leave();
    push().leave();
    Waiter last = push();
    assertThat(nodes()).containsExactly(last, first);
  }

  @Test
  @DisplayName("F8: A stack whose waiters have all left is rebuilt from the token")
  void allGone() {
    for (int i = 0; i < 100; i++) {
      push().leave();
    }
    Waiter last = push();
    assertThat(nodes()).containsExactly(last);
  }

  @Test
  @DisplayName("F8: With a few live at any time, waiters that left never pile up beneath them")
  void goneBeneathAreUnlinked() {
    int live = 10;
    Deque<Waiter> window = new ArrayDeque<>();
    int longest = 0;
    for (int i = 0; i < 300_000; i++) {
      window.addLast(push());
      if (window.size() > live) {
        window.removeFirst().leave();
      }
      if (i % 1000 == 0) {
        longest = Math.max(longest, nodes().size());
        assertThat(nodes()).containsAll(window);
      }
    }
    assertThat(longest).isLessThan(200);
  }
}
