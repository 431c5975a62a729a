package io.latchkey.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class LocalFeedTest {
  /** Held, because the logging of the JDK forgets the level of a logger that is not. */
  private static final Logger LOG = Logger.getLogger("io.latchkey.storage");

  private final LocalFeed<String> feed = new LocalFeed<>();

  @BeforeAll
  static void expectWarnings() {
    LOG.setLevel(Level.OFF);
  }

  @AfterAll
  static void endOfWarnings() {
    LOG.setLevel(null);
  }

  /** Writes down what it is told, and fails when the test says so. */
  private class Recorder implements FeedListener<String> {
    final List<String> events = new ArrayList<>();
    final Set<Thread> threads = new HashSet<>();
    boolean failChanged;
    boolean failLost;
    boolean failWhole;

    private void told(String event, boolean fail) {
      threads.add(Thread.currentThread());
      events.add(event);
      if (fail) {
        throw new IllegalStateException("listener");
      }
    }

    @Override
    public void changed(long epoch, long sequence, Collection<? extends String> keys) {
      assertThat(epoch).isEqualTo(feed.epoch());
      told(sequence + ":" + String.join(",", keys), failChanged);
    }

    @Override
    public void changedAll(long epoch, long sequence) {
      assertThat(epoch).isEqualTo(feed.epoch());
      told(sequence + ":all", failChanged);
    }

    @Override
    public void lost(String reason) {
      assertThat(reason).isNotBlank();
      told("lost", failLost);
    }

    @Override
    public void whole(long epoch, long sequence) {
      assertThat(epoch).isEqualTo(feed.epoch());
      told("whole " + sequence, failWhole);
    }
  }

  @Test
  void aListenerIsToldWholeAndThenEverythingOnTheThreadThatChanges() {
    feed.changed(List.of("before"));
    Recorder recorder = new Recorder();
    feed.watch(recorder);
    assertThat(recorder.events).containsExactly("whole 1");
    feed.changed(List.of("a", "b"));
    feed.changedAll();
    feed.changed(List.of());
    feed.changed(List.of("c"));
    assertThat(recorder.events).containsExactly("whole 1", "2:a,b", "3:all", "4:c");
    assertThat(recorder.threads).containsExactly(Thread.currentThread());
  }

  @Test
  void epochsDiffer() {
    assertThat(new LocalFeed<String>().epoch()).isNotEqualTo(feed.epoch()).isNotNegative();
  }

  @Test
  void aClosedSubscriptionIsToldNothingMore() {
    Recorder closed = new Recorder();
    Recorder open = new Recorder();
    Subscription subscription = feed.watch(closed);
    feed.watch(open);
    subscription.close();
    subscription.close();
    feed.changed(List.of("a"));
    feed.close();
    assertThat(closed.events).containsExactly("whole 0");
    assertThat(open.events).containsExactly("whole 0", "1:a", "lost");
  }

  @Test
  void aListenerThatFailsIsToldThatItLostEventsAndTheOthersGoOn() {
    Recorder failing = new Recorder();
    Recorder other = new Recorder();
    feed.watch(failing);
    feed.watch(other);
    failing.failChanged = true;
    feed.changed(List.of("a"));
    failing.failChanged = false;
    feed.changed(List.of("b"));
    assertThat(failing.events).containsExactly("whole 0", "1:a", "lost", "whole 1", "2:b");
    assertThat(other.events).containsExactly("whole 0", "1:a", "2:b");
  }

  @Test
  void aListenerThatCannotBeToldOfItsLossIsTriedAtEachEvent() {
    Recorder failing = new Recorder();
    feed.watch(failing);
    failing.failChanged = true;
    failing.failLost = true;
    feed.changed(List.of("a"));
    feed.changed(List.of("b"));
    failing.failLost = false;
    failing.failWhole = true;
    feed.changed(List.of("c"));
    feed.changed(List.of("d"));
    failing.failWhole = false;
    failing.failChanged = false;
    feed.changed(List.of("e"));
    feed.changed(List.of("f"));
    assertThat(failing.events)
        .containsExactly(
            "whole 0", "1:a", "lost", "lost", "lost", "whole 3", "whole 4", "whole 5", "6:f");
  }

  @Test
  void aListenerThatFailsAtOnceIsNotSubscribed() {
    Recorder failing = new Recorder();
    failing.failWhole = true;
    assertThatThrownBy(() -> feed.watch(failing)).hasMessage("listener");
    feed.changed(List.of("a"));
    assertThat(failing.events).containsExactly("whole 0");
  }

  @Test
  void aChangeMadeByAListenerIsToldAfterwardsToAllInOneOrder() {
    Recorder first =
        new Recorder() {
          @Override
          public void changed(long epoch, long sequence, Collection<? extends String> keys) {
            super.changed(epoch, sequence, keys);
            if (keys.contains("a")) {
              feed.changed(List.of("nested"));
              feed.watch(new Recorder());
              events.add("end of a");
            }
          }
        };
    Recorder second = new Recorder();
    feed.watch(first);
    feed.watch(second);
    feed.changed(List.of("a"));
    assertThat(first.events).containsExactly("whole 0", "1:a", "end of a", "2:nested");
    assertThat(second.events).containsExactly("whole 0", "1:a", "2:nested");
  }

  @Test
  void anExhaustedStackLosesNoEventSilently() {
    Recorder first = new Recorder();
    Recorder second = new Recorder();
    feed.watch(first);
    feed.watch(second);
    exhaust();
    feed.changed(List.of("end"));
    for (Recorder recorder : List.of(first, second)) {
      long position = 0;
      for (String event : recorder.events) {
        if (event.startsWith("whole")) {
          position = Long.parseLong(event.substring(6));
        } else if (!event.equals("lost")) {
          assertThat(event).startsWith(++position + ":");
        }
      }
      assertThat(recorder.events.get(recorder.events.size() - 1)).matches("\\d+:end|whole \\d+");
    }
  }

  /** Publishes at every depth of a stack that runs out, the least stack first. */
  private void exhaust() {
    try {
      if (feed.epoch() >= 0) {
        exhaust();
      }
      feed.changed(List.of("deep"));
    } catch (StackOverflowError e) {
      // This is what the test is about; the callers publish with a little more stack each.
      return;
    }
  }

  @Test
  void threadsSeeOneOrderWithoutHoles() throws Exception {
    Recorder one = new Recorder();
    Recorder two = new Recorder();
    feed.watch(one);
    feed.watch(two);
    int threads = 4;
    int each = 200;
    CyclicBarrier start = new CyclicBarrier(threads);
    List<Thread> running =
        IntStream.range(0, threads)
            .mapToObj(
                t ->
                    new Thread(
                        () -> {
                          try {
                            start.await();
                          } catch (Exception e) {
                            throw new AssertionError(e);
                          }
                          for (int i = 0; i < each; i++) {
                            feed.changed(List.of(t + "/" + i));
                          }
                        }))
            .toList();
    running.forEach(Thread::start);
    for (Thread thread : running) {
      thread.join();
    }
    assertThat(one.events).isEqualTo(two.events).hasSize(threads * each + 1);
    assertThat(one.events.stream().skip(1).map(e -> Long.parseLong(e.substring(0, e.indexOf(':')))))
        .containsExactlyElementsOf(
            LongStream.rangeClosed(1, (long) threads * each).boxed().toList());
  }

  @Test
  void theStorageEndsASubscription() {
    Recorder recorder = new Recorder();
    Subscription subscription = feed.watch(recorder);
    feed.end(subscription, "server gone");
    feed.end(subscription, "again");
    feed.changed(List.of("a"));
    assertThat(recorder.events).containsExactly("whole 0", "lost");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new LocalFeed<String>().end(subscription, "foreign"));
  }

  @Test
  void aClosedFeedTellsLostAndRefusesListeners() {
    Recorder recorder = new Recorder();
    feed.watch(recorder);
    recorder.failLost = true;
    feed.close();
    feed.close();
    feed.changed(List.of("a"));
    feed.changedAll();
    assertThat(recorder.events).containsExactly("whole 0", "lost");
    assertThatIllegalStateException().isThrownBy(() -> feed.watch(recorder));
  }

  @Test
  void nullsAreRefused() {
    assertThatNullPointerException().isThrownBy(() -> feed.watch(null)).withMessage("listener");
    assertThatNullPointerException().isThrownBy(() -> feed.changed(null));
  }
}
