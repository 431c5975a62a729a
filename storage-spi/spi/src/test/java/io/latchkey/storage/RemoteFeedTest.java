package io.latchkey.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class RemoteFeedTest {
  /** Held, because the logging of the JDK forgets the level of a logger that is not. */
  private static final Logger LOG = Logger.getLogger("io.latchkey.storage");

  private final RemoteFeed<String> feed = new RemoteFeed<>();

  @BeforeAll
  static void expectWarnings() {
    LOG.setLevel(Level.OFF);
  }

  @AfterAll
  static void endOfWarnings() {
    LOG.setLevel(null);
  }

  /** Writes down what it is told, and fails at the events that the test names. */
  private static class Recorder implements FeedListener<String> {
    final List<String> events = new ArrayList<>();
    String failing = "nothing";

    private void told(String event) {
      events.add(event);
      if (event.startsWith(failing)) {
        throw new IllegalStateException("listener");
      }
    }

    @Override
    public void changed(long epoch, long sequence, Collection<? extends String> keys) {
      told(epoch + "." + sequence + ":" + String.join(",", keys));
    }

    @Override
    public void changedAll(long epoch, long sequence) {
      told(epoch + "." + sequence + ":all");
    }

    @Override
    public void lost(String reason) {
      told("lost " + reason);
    }

    @Override
    public void whole(long epoch, long sequence) {
      told("whole " + epoch + "." + sequence);
    }
  }

  private Recorder watching() {
    Recorder recorder = new Recorder();
    feed.watch(recorder);
    return recorder;
  }

  @Test
  void aListenerIsToldNothingUntilTheFeedIsWhole() {
    Recorder early = watching();
    feed.changed(List.of("unheard"));
    feed.lost("still not there");
    assertThat(early.events).isEmpty();
    feed.whole(7, 40);
    feed.changed(List.of("a", "b"));
    Recorder late = watching();
    feed.changedAll();
    feed.changed(List.of());
    assertThat(early.events).containsExactly("whole 7.40", "7.41:a,b", "7.42:all", "7.43:");
    assertThat(late.events).containsExactly("whole 7.41", "7.42:all", "7.43:");
  }

  @Test
  void aLossIsToldOnceAndEndsWithTheNextWhole() {
    feed.whole(1, 0);
    Recorder recorder = watching();
    feed.lost("cut");
    feed.lost("cut again");
    feed.changed(List.of("unheard"));
    Recorder meanwhile = watching();
    feed.whole(2, 5);
    feed.changed(List.of("a"));
    assertThat(recorder.events).containsExactly("whole 1.0", "lost cut", "whole 2.5", "2.6:a");
    assertThat(meanwhile.events).containsExactly("whole 2.5", "2.6:a");
  }

  @Test
  void aWholeWithoutALossTellsOneFirst() {
    feed.whole(1, 0);
    Recorder recorder = watching();
    feed.whole(2, 0);
    assertThat(recorder.events)
        .containsExactly("whole 1.0", "lost the feed began anew", "whole 2.0");
  }

  @Test
  void aListenerThatFailsLosesEventsAndOthersDoNot() {
    feed.whole(1, 0);
    Recorder failing = watching();
    Recorder other = watching();
    failing.failing = "1.1";
    feed.changed(List.of("a"));
    feed.changed(List.of("b"));
    feed.changed(List.of("c"));
    assertThat(failing.events.get(2)).startsWith("lost the listener failed at event 1");
    assertThat(failing.events)
        .containsExactly(
            "whole 1.0", "1.1:a", failing.events.get(2), "whole 1.1", "1.2:b", "1.3:c");
    assertThat(other.events).containsExactly("whole 1.0", "1.1:a", "1.2:b", "1.3:c");
  }

  @Test
  void aListenerThatDoesNotTakeALossIsToldItBeforeItIsWhole() {
    feed.whole(1, 0);
    Recorder recorder = watching();
    recorder.failing = "lost";
    feed.lost("cut");
    recorder.failing = "nothing";
    feed.whole(2, 0);
    assertThat(recorder.events).containsExactly("whole 1.0", "lost cut", "lost cut", "whole 2.0");
  }

  @Test
  void aListenerThatDoesNotTakeTheWholeIsToldAgainAtTheNextEventOrRetry() {
    Recorder recorder = watching();
    Recorder other = watching();
    recorder.failing = "whole";
    other.failing = "whole";
    feed.whole(1, 0);
    other.failing = "nothing";
    feed.retry();
    feed.retry();
    recorder.failing = "nothing";
    feed.changed(List.of("a"));
    feed.changed(List.of("b"));
    assertThat(other.events)
        .containsExactly("whole 1.0", "whole 1.0", "whole 1.0", "1.1:a", "1.2:b");
    assertThat(recorder.events)
        .containsExactly("whole 1.0", "whole 1.0", "whole 1.0", "whole 1.0", "whole 1.1", "1.2:b");
  }

  @Test
  void aListenerThatFailsWhileItSubscribesIsNotSubscribed() {
    feed.whole(1, 0);
    Recorder recorder = new Recorder();
    recorder.failing = "whole";
    assertThatIllegalStateException().isThrownBy(() -> feed.watch(recorder));
    assertThat(feed.isWatched()).isFalse();
    feed.changed(List.of("a"));
    assertThat(recorder.events).containsExactly("whole 1.0");
  }

  @Test
  void aClosedSubscriptionIsToldNothing() {
    feed.whole(1, 0);
    Recorder recorder = new Recorder();
    Subscription subscription = feed.watch(recorder);
    assertThat(feed.isWatched()).isTrue();
    subscription.close();
    subscription.close();
    feed.changed(List.of("a"));
    feed.lost("cut");
    assertThat(recorder.events).containsExactly("whole 1.0");
    assertThat(feed.isWatched()).isFalse();
  }

  @Test
  void aClosedFeedIsLostForGood() {
    feed.whole(1, 0);
    Recorder recorder = watching();
    feed.close();
    feed.close();
    feed.whole(2, 0);
    feed.changed(List.of("a"));
    assertThat(recorder.events).containsExactly("whole 1.0", "lost the storage was closed");
    assertThatIllegalStateException().isThrownBy(() -> feed.watch(recorder));
  }

  @Test
  void nullsAreRefused() {
    assertThatNullPointerException().isThrownBy(() -> feed.watch(null));
    assertThatNullPointerException().isThrownBy(() -> feed.lost(null));
    assertThatNullPointerException().isThrownBy(() -> feed.changed(null));
  }
}
