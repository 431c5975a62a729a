package io.latchkey.cache.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What each event of a feed makes the cache do, by its place in the sequence. */
class FeedPositionTest {
  private final List<String> done = new ArrayList<>();
  private boolean broken;
  private final Feed<String> feed =
      new Feed<>(
          new Feed.Target<>() {
            @Override
            public void changed(Collection<? extends String> keys) {
              if (broken) {
                throw new IllegalStateException("a key without a hash");
              }
              done.add("changed " + keys);
            }

            @Override
            public void invalidateAll() {
              done.add("all");
            }

            @Override
            public void gap(boolean open) {
              done.add(open ? "gap" : "no gap");
            }
          },
          "storage");

  private List<String> done() {
    List<String> since = List.copyOf(done);
    done.clear();
    return since;
  }

  private void changed(long epoch, long sequence) {
    feed.changed(epoch, sequence, List.of("k" + sequence));
  }

  /** The feed is whole, with this as its last event. */
  private void wholeAt(long epoch, long sequence) {
    feed.whole(epoch, sequence);
    done.clear();
  }

  @Test
  @DisplayName("F19: The first whole ends the gap, after all was dropped")
  void firstWhole() {
    feed.whole(1, 5);
    assertThat(done()).containsExactly("all", "no gap");
    feed.whole(1, 5);
    assertThat(done()).as("nothing was missed since").isEmpty();
  }

  @Test
  @DisplayName("F19: An event in its order drops its keys only")
  void inOrder() {
    wholeAt(1, 5);
    changed(1, 6);
    changed(1, 7);
    assertThat(done()).containsExactly("changed [k6]", "changed [k7]");
  }

  @Test
  @DisplayName("F19: After a hole in the sequence, or in another epoch, all is dropped")
  void holes() {
    wholeAt(1, 5);
    changed(1, 8);
    assertThat(done()).containsExactly("all", "changed [k8]");
    changed(1, 9);
    assertThat(done()).containsExactly("changed [k9]");
    changed(2, 10);
    assertThat(done()).as("another epoch").containsExactly("all", "changed [k10]");
    changed(1, 11);
    assertThat(done()).as("an epoch back").containsExactly("all", "changed [k11]");
  }

  @Test
  @DisplayName("F19: An event of the past only drops its keys once more")
  void late() {
    wholeAt(1, 5);
    changed(1, 5);
    changed(1, 3);
    assertThat(done()).containsExactly("changed [k5]", "changed [k3]");
    changed(1, 6);
    assertThat(done()).as("the position has not gone back").containsExactly("changed [k6]");
  }

  @Test
  @DisplayName("F19: Before anything is known of the position, no event is out of order")
  void firstEvent() {
    changed(7, 100);
    assertThat(done()).containsExactly("changed [k100]");
    changed(7, 102);
    assertThat(done()).containsExactly("all", "changed [k102]");
  }

  @Test
  @DisplayName("F19: A change of everything drops everything, and moves the position")
  void changedAll() {
    wholeAt(1, 5);
    feed.changedAll(1, 6);
    assertThat(done()).containsExactly("all");
    changed(1, 7);
    assertThat(done()).containsExactly("changed [k7]");
  }

  @Test
  @DisplayName("F19: Between lost and whole there is a gap, opened before all is dropped")
  void lost() {
    wholeAt(1, 5);
    feed.lost("the line was cut");
    assertThat(done()).containsExactly("gap", "all");
    changed(1, 6);
    assertThat(done()).containsExactly("changed [k6]");
    feed.whole(1, 6);
    assertThat(done()).containsExactly("all", "no gap");
  }

  @Test
  @DisplayName("F19: A whole that tells of missed events drops all, though there was no gap")
  void wholeAfterHole() {
    wholeAt(1, 5);
    feed.whole(1, 9);
    assertThat(done()).containsExactly("all");
    feed.whole(1, 10);
    assertThat(done()).as("the next one was not missed").isEmpty();
  }

  @Test
  @DisplayName("F19: An event that cannot be applied drops everything, and is not swallowed")
  void broken() {
    wholeAt(1, 5);
    broken = true;
    assertThatThrownBy(() -> changed(1, 6)).hasMessage("a key without a hash");
    assertThat(done()).containsExactly("all");
  }
}
