package io.latchkey.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A feed of commits whose storage hears of them over a connection that breaks. */
class CommitFeedLossTest {
  private static final String FAILURE = "java.lang.IllegalStateException: on purpose";

  /** Held, because the logging of the JDK forgets the level of a logger that is not. */
  private static final Logger LOG = Logger.getLogger("io.latchkey.storage");

  private final Map<Long, List<String>> known = new TreeMap<>();
  private final CommitFeed<String> feed = new CommitFeed<>(5, 0, known::get);
  private final Recorder recorder = new Recorder();

  @BeforeAll
  static void expectWarnings() {
    LOG.setLevel(Level.OFF);
  }

  @AfterAll
  static void endOfWarnings() {
    LOG.setLevel(null);
  }

  /** Writes down what it is told; throws while it has failures left. */
  private static final class Recorder implements CommitListener<String> {
    final List<String> told = new ArrayList<>();
    int failures;

    @Override
    public void committed(long epoch, long revision, Collection<? extends String> keys) {
      if (failures > 0) {
        failures--;
        told.add("failed");
        throw new IllegalStateException("on purpose");
      }
      told.add(epoch + "." + revision + ":" + String.join("", keys));
    }

    @Override
    public void lost(String reason) {
      told.add("lost " + reason);
    }

    @Override
    public void whole(long epoch, long revision) {
      told.add("whole " + epoch + "." + revision);
    }
  }

  private void commit(long revision, String key) {
    known.put(revision, List.of(key));
    feed.committed(revision, List.of(key));
    feed.deliver();
  }

  @Test
  void afterALossListenersGoOnWhereTheyWere() {
    feed.subscribe(0, recorder);
    commit(1, "a");
    feed.lost("cut");
    feed.lost("cut again");
    known.put(2L, List.of("b"));
    feed.whole(2);
    commit(3, "c");
    assertThat(recorder.told)
        .containsExactly("whole 5.0", "5.1:a", "lost cut", "whole 5.1", "5.2:b", "5.3:c");
  }

  @Test
  void whoSubscribesDuringALossIsToldWhenItEnds() {
    commit(1, "a");
    commit(2, "b");
    feed.lost("cut");
    feed.subscribe(1, recorder);
    assertThat(recorder.told).isEmpty();
    feed.whole(2);
    assertThat(recorder.told).containsExactly("whole 5.1", "5.2:b");
  }

  @Test
  void anotherHistoryIsAnotherEpoch() {
    feed.subscribe(0, recorder);
    commit(1, "a");
    commit(2, "b");
    feed.restart(6, 1);
    commit(2, "c");
    assertThat(feed.epoch()).isEqualTo(6);
    assertThat(recorder.told)
        .containsExactly(
            "whole 5.0",
            "5.1:a",
            "5.2:b",
            "lost the storage has another history",
            "whole 6.1",
            "6.2:c");
  }

  @Test
  void forgottenCommitsAreSkipped() {
    feed.subscribe(0, recorder);
    commit(1, "a");
    feed.lost("cut");
    feed.restart(5, 9);
    commit(10, "b");
    assertThat(recorder.told)
        .containsExactly("whole 5.0", "5.1:a", "lost cut", "whole 5.9", "5.10:b");
  }

  @Test
  void whoSubscribesDuringALossIsToldIfItsCommitsAreForgotten() {
    feed.lost("not connected yet");
    feed.subscribe(1, recorder);
    known.put(9L, List.of("i"));
    feed.whole(9);
    commit(10, "j");
    assertThat(recorder.told)
        .containsExactly(
            "lost the commits after revision 1 are no longer known", "whole 5.9", "5.10:j");
  }

  @Test
  void aListenerThatFailsAtAnOldCommitIsToldAgain() {
    feed.lost("not connected yet");
    feed.subscribe(0, recorder);
    known.put(1L, List.of("a"));
    recorder.failures = 1;
    feed.whole(1);
    assertThat(recorder.told)
        .containsExactly(
            "whole 5.0", "failed", "lost the listener failed: " + FAILURE, "whole 5.0", "5.1:a");
  }

  @Test
  void aListenerThatFailsAgainIsToldAtARetry() {
    feed.lost("not connected yet");
    feed.subscribe(0, recorder);
    known.put(1L, List.of("a"));
    recorder.failures = 2;
    feed.whole(1);
    feed.retry();
    feed.retry();
    commit(2, "b");
    assertThat(recorder.told.subList(recorder.told.size() - 3, recorder.told.size()))
        .containsExactly("whole 5.0", "5.1:a", "5.2:b");
  }

  @Test
  void wholeWithoutALossAndEventsAfterTheEndDoNothing() {
    feed.subscribe(0, recorder);
    feed.whole(0);
    feed.close();
    feed.lost("cut");
    feed.whole(0);
    feed.restart(7, 3);
    assertThat(recorder.told).containsExactly("whole 5.0", "lost the storage was closed");
  }
}
