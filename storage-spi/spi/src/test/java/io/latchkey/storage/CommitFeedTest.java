package io.latchkey.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CommitFeedTest {
  private static final Logger LOG = Logger.getLogger("io.latchkey.storage");
  private static final long EPOCH = 5;

  /** The commits that the storage remembers; its own lock is the map. */
  private final Map<Long, List<String>> known = Collections.synchronizedMap(new TreeMap<>());

  private final CommitFeed<String> feed = new CommitFeed<>(EPOCH, 0, known::get);
  private long head;

  @BeforeEach
  void silence() {
    LOG.setLevel(Level.OFF);
  }

  @AfterEach
  void unsilence() {
    LOG.setLevel(null);
  }

  /** Writes down what it is told; throws while it has failures left. */
  private static class Recorder implements CommitListener<String> {
    final List<String> told = Collections.synchronizedList(new ArrayList<>());
    int failures;

    @Override
    public void committed(long epoch, long revision, Collection<? extends String> keys) {
      if (failures > 0) {
        failures--;
        told.add("failed " + revision);
        throw new IllegalStateException("on purpose");
      }
      told.add(revision + String.join("", keys));
    }

    @Override
    public void lost(String reason) {
      told.add("lost");
    }

    @Override
    public void whole(long epoch, long revision) {
      assertThat(epoch).isEqualTo(EPOCH);
      told.add("whole " + revision);
    }
  }

  private long take(String... keys) {
    synchronized (known) {
      head++;
      known.put(head, List.of(keys));
      feed.committed(head, List.of(keys));
      return head;
    }
  }

  private void commit(String... keys) {
    take(keys);
    feed.deliver();
  }

  @Test
  void wholeComesFirstThenEachCommit() {
    Recorder recorder = new Recorder();
    feed.subscribe(0, recorder);
    commit("a");
    commit("b", "c");
    commit();
    assertThat(recorder.told).containsExactly("whole 0", "1a", "2bc", "3");
  }

  @Test
  void aLateListenerGetsTheCommitsThatItLacks() {
    commit("a");
    commit("b");
    commit("c");
    Recorder recorder = new Recorder();
    feed.subscribe(1, recorder);
    assertThat(recorder.told).containsExactly("whole 1", "2b", "3c");
    commit("d");
    assertThat(recorder.told).containsExactly("whole 1", "2b", "3c", "4d");
  }

  @Test
  void forgottenCommitsAreALoss() {
    commit("a");
    commit("b");
    commit("c");
    known.remove(1L);
    Recorder tooLate = new Recorder();
    feed.subscribe(0, tooLate);
    Recorder inTime = new Recorder();
    feed.subscribe(1, inTime);
    commit("d");
    assertThat(tooLate.told).containsExactly("lost", "whole 3", "4d");
    assertThat(inTime.told).containsExactly("whole 1", "2b", "3c", "4d");
  }

  @Test
  void commitsForgottenWhileTheyAreToldAreALoss() {
    commit("a");
    commit("b");
    commit("c");
    Recorder recorder =
        new Recorder() {
          @Override
          public void committed(long epoch, long revision, Collection<? extends String> keys) {
            super.committed(epoch, revision, keys);
            known.remove(revision + 1);
          }
        };
    feed.subscribe(0, recorder);
    assertThat(recorder.told).containsExactly("whole 0", "1a", "lost", "whole 3");
  }

  @Test
  void commitsThatCannotBeReadAreALoss() {
    CommitFeed<String> broken =
        new CommitFeed<>(
            EPOCH,
            4,
            revision -> {
              throw new IOException("no read");
            });
    Recorder recorder = new Recorder();
    broken.subscribe(2, recorder);
    broken.committed(5, List.of("a"));
    broken.deliver();
    assertThat(recorder.told).containsExactly("lost", "whole 4", "5a");
  }

  @Test
  void aCommitOnItsWayIsToldOnceToWhoSubscribesMeanwhile() {
    long taken = take("a");
    Recorder knows = new Recorder();
    feed.subscribe(taken, knows);
    Recorder lacks = new Recorder();
    feed.subscribe(0, lacks);
    feed.deliver();
    commit("b");
    assertThat(knows.told).containsExactly("whole 1", "2b");
    assertThat(lacks.told).containsExactly("whole 0", "1a", "2b");
  }

  @Test
  void aListenerThatThrowsGoesBackToWhatItTookLast() {
    Recorder failing = new Recorder();
    Recorder other = new Recorder();
    feed.subscribe(0, failing);
    feed.subscribe(0, other);
    commit("a");
    failing.failures = 1;
    commit("b");
    commit("c");
    assertThat(failing.told)
        .containsExactly("whole 0", "1a", "failed 2", "lost", "whole 1", "2b", "3c");
    assertThat(other.told).containsExactly("whole 0", "1a", "2b", "3c");
  }

  @Test
  void aListenerThatKeepsThrowingIsTriedAgainAtEachCommit() {
    Recorder failing = new Recorder();
    feed.subscribe(0, failing);
    failing.failures = 3;
    commit("a");
    assertThat(failing.told).containsExactly("whole 0", "failed 1", "lost", "whole 0", "failed 1");
    failing.told.clear();
    commit("b");
    commit("c");
    assertThat(failing.told)
        .containsExactly("lost", "whole 0", "failed 1", "lost", "whole 0", "1a", "2b", "3c");
  }

  @Test
  void aListenerThatThrewGoesOnAtTheHeadIfTheCommitIsForgotten() {
    Recorder failing = new Recorder();
    feed.subscribe(0, failing);
    commit("a");
    failing.failures = 2;
    commit("b");
    known.clear();
    commit("c");
    known.clear();
    failing.told.clear();
    commit("d");
    commit("e");
    assertThat(failing.told).containsExactly("4d", "5e").doesNotContain("2b");
  }

  @Test
  void aListenerThatThrowsWhileSubscribingIsNotSubscribed() {
    commit("a");
    Recorder failing = new Recorder();
    failing.failures = 1;
    assertThatThrownBy(() -> feed.subscribe(0, failing)).hasMessage("on purpose");
    commit("b");
    assertThat(failing.told).containsExactly("whole 0", "failed 1");
  }

  @Test
  void aCommitFromInsideAListenerIsToldToAllAfterTheEvent() {
    Recorder first =
        new Recorder() {
          @Override
          public void committed(long epoch, long revision, Collection<? extends String> keys) {
            if (revision == 1) {
              commit("nested");
            }
            super.committed(epoch, revision, keys);
          }
        };
    Recorder second = new Recorder();
    feed.subscribe(0, first);
    feed.subscribe(0, second);
    commit("a");
    assertThat(first.told).containsExactly("whole 0", "1a", "2nested");
    assertThat(second.told).containsExactly("whole 0", "1a", "2nested");
  }

  @Test
  void aCommitFromInsideASubscriptionIsToldBeforeItReturns() {
    Recorder recorder =
        new Recorder() {
          @Override
          public void whole(long epoch, long revision) {
            super.whole(epoch, revision);
            commit("nested");
          }
        };
    feed.subscribe(0, recorder);
    assertThat(recorder.told).containsExactly("whole 0", "1nested");
  }

  @Test
  void aListenerThatSubscribesFromInsideAnEventGetsEachCommitOnce() {
    Recorder inner = new Recorder();
    feed.subscribe(
        0,
        new Recorder() {
          @Override
          public void committed(long epoch, long revision, Collection<? extends String> keys) {
            if (revision == 2) {
              feed.subscribe(0, inner);
            }
          }
        });
    commit("a");
    commit("b");
    commit("c");
    assertThat(inner.told).containsExactly("whole 0", "1a", "2b", "3c");
  }

  @Test
  void threadsTellTheirCommitsInOrderBeforeTheyReturn() throws Exception {
    int threads = 4;
    int each = 500;
    Recorder recorder = new Recorder();
    feed.subscribe(0, recorder);
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      CyclicBarrier together = new CyclicBarrier(threads);
      List<Future<Object>> running = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        running.add(
            executor.submit(
                () -> {
                  together.await();
                  for (int i = 0; i < each; i++) {
                    long revision = take("k");
                    feed.deliver();
                    assertThat(recorder.told.get((int) revision)).isEqualTo(revision + "k");
                  }
                  return null;
                }));
      }
      for (Future<Object> thread : running) {
        thread.get(30, TimeUnit.SECONDS);
      }
    } finally {
      executor.shutdownNow();
    }
    assertThat(recorder.told).hasSize(1 + threads * each);
  }

  @Test
  void closingEndsTheEventsWithoutWaiting() throws Exception {
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    Recorder recorder =
        new Recorder() {
          @Override
          public void committed(long epoch, long revision, Collection<? extends String> keys) {
            super.committed(epoch, revision, keys);
            inside.countDown();
            try {
              go.await();
            } catch (InterruptedException e) {
              throw new AssertionError(e);
            }
          }
        };
    Subscription subscription = feed.subscribe(0, recorder);
    Thread committing = new Thread(() -> commit("a"));
    committing.start();
    inside.await();
    subscription.close();
    subscription.close();
    go.countDown();
    committing.join();
    commit("b");
    assertThat(recorder.told).containsExactly("whole 0", "1a");
  }

  @Test
  void theEndOfTheFeedOrOfASubscriptionIsALoss() {
    Recorder ended = new Recorder();
    Recorder left = new Recorder();
    Subscription subscription = feed.subscribe(0, ended);
    feed.subscribe(0, left).close();
    Recorder stays = new Recorder();
    feed.subscribe(0, stays);
    feed.end(subscription, "over");
    feed.end(subscription, "over");
    commit("a");
    feed.close();
    feed.close();
    commit("b");
    assertThat(ended.told).containsExactly("whole 0", "lost");
    assertThat(left.told).containsExactly("whole 0");
    assertThat(stays.told).containsExactly("whole 0", "1a", "lost");
    assertThatIllegalStateException().isThrownBy(() -> feed.subscribe(0, stays));
    Subscription foreign = () -> {};
    assertThatIllegalArgumentException().isThrownBy(() -> feed.end(foreign, "over"));
  }

  @Test
  void nullsAreRefused() {
    assertThatNullPointerException().isThrownBy(() -> feed.subscribe(0, null));
    assertThatNullPointerException()
        .isThrownBy(() -> feed.committed(1, Collections.singletonList(null)));
    assertThatNullPointerException().isThrownBy(() -> new CommitFeed<>(1, 0, null));
  }
}
