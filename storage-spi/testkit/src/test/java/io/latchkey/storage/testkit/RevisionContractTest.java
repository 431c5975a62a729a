package io.latchkey.storage.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.latchkey.storage.RevisionStorage;
import java.time.Duration;
import java.util.List;
import java.util.function.IntFunction;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;

/**
 * The suite of revisions itself: it passes what is right, and each fault fails the test that is
 * there for it.
 */
class RevisionContractTest {
  static final int LONG = 10_000;

  /** Opens what the suite is run on, by the length of the history; set before each run. */
  private static IntFunction<RevisionStorage<String, String>> subject = RightRevisions::new;

  private static Duration patience = Duration.ofSeconds(30);

  /** The storage that was opened last. */
  private static @Nullable RevisionStorage<String, String> last;

  /** A suite of its own, run by the tests below only. */
  static class Suite extends RevisionContract<String, String> {
    @Override
    protected RevisionStorage<String, String> open() {
      RevisionStorage<String, String> opened = subject.apply(LONG);
      last = opened;
      return opened;
    }

    @Override
    protected RevisionStorage<String, String> openWithHistory(int commits) {
      return subject.apply(commits);
    }

    @Override
    protected @Nullable RevisionStorage<String, String> reopen() {
      return last instanceof RightRevisions right ? right.again() : null;
    }

    @Override
    protected String key(int number) {
      return "key" + number;
    }

    @Override
    protected String value(int number) {
      return "value" + number;
    }

    @Override
    protected boolean tellsOnTheWritingThread() {
      return true;
    }

    @Override
    protected Duration patience() {
      return patience;
    }
  }

  private static final Logger LOG = Logger.getLogger("io.latchkey.storage");

  /** The listeners of the suite that fail would fill the output. */
  @BeforeAll
  static void silence() {
    LOG.setLevel(Level.OFF);
  }

  @AfterAll
  static void unsilence() {
    LOG.setLevel(null);
  }

  private static Events run(IntFunction<RevisionStorage<String, String>> storages) {
    subject = storages;
    last = null;
    return EngineTestKit.engine("junit-jupiter")
        .selectors(selectClass(Suite.class))
        .execute()
        .testEvents();
  }

  private static List<String> names(Events events) {
    return events.stream().map(event -> event.getTestDescriptor().getDisplayName()).toList();
  }

  @Test
  void aRightStoragePasses() {
    Events events = run(RightRevisions::new);
    assertThat(names(events.failed())).isEmpty();
    assertThat(events.succeeded().count()).isGreaterThan(75);
    assertThat(names(events.succeeded()))
        .contains(
            "reopening: numbers go on, conflicts are seen", "store: what was stored is loaded");
  }

  static Stream<Arguments> faults() {
    return Stream.of(
            RevisionFaults.readFaults(),
            RevisionFaults.commitFaults(),
            CommitFeedFaults.feedFaults(),
            CommitFeedFaults.historyFaults())
        .flatMap(faults -> faults);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("faults")
  void aFaultFailsItsTest(String rule, IntFunction<RevisionStorage<String, String>> storages) {
    patience = Duration.ofMillis(500);
    try {
      assertThat(names(run(storages).failed())).contains(rule);
    } finally {
      patience = Duration.ofSeconds(30);
    }
  }
}
