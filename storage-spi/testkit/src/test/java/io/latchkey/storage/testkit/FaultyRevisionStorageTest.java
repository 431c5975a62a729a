package io.latchkey.storage.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.storage.CommitListener;
import io.latchkey.storage.MemoryStorage;
import io.latchkey.storage.Revision;
import io.latchkey.storage.Subscription;
import io.latchkey.storage.testkit.CommitRecorder.Kind;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class FaultyRevisionStorageTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final FaultyRevisionStorage<String, Integer> storage = FaultyRevisionStorage.create();
  private final FaultyCommitFeed<String> feed = storage.feed();
  private final Script script = new Script();

  /** Writes down what it is told; throws while it has failures left. */
  private static final class Script implements CommitListener<String> {
    final List<String> told = new ArrayList<>();
    int failures;
    long epoch = -1;

    @Override
    public void committed(long eventEpoch, long revision, Collection<? extends String> keys) {
      if (failures > 0) {
        failures--;
        throw new IllegalStateException("on purpose");
      }
      told.add(revision + String.join("", keys) + (eventEpoch == epoch ? "" : "?"));
    }

    @Override
    public void lost(String reason) {
      told.add("lost");
    }

    @Override
    public void whole(long eventEpoch, long head) {
      epoch = eventEpoch;
      told.add("whole " + head);
    }
  }

  private void commit(String... keys) throws Exception {
    Map<String, Optional<Integer>> changes = new TreeMap<>();
    for (String key : keys) {
      changes.put(key, Optional.of(1));
    }
    storage.commit(changes, storage.head());
  }

  private Subscription watch() throws Exception {
    return storage.commits(storage.head(), script);
  }

  @Test
  void heldCommitsComeInPortions() throws Exception {
    watch();
    feed.hold();
    for (String key : List.of("a", "b", "c", "d")) {
      commit(key);
    }
    assertThat(script.told).containsExactly("whole 0");
    assertThat(feed.held()).isEqualTo(4);
    feed.release(1);
    assertThat(script.told).containsExactly("whole 0", "1a");
    FutureTask<Void> elsewhere = new FutureTask<>(() -> feed.release(2), null);
    new Thread(elsewhere).start();
    elsewhere.get();
    assertThat(script.told).containsExactly("whole 0", "1a", "2b", "3c");
    commit("e");
    feed.release();
    commit("f");
    assertThat(script.told).containsExactly("whole 0", "1a", "2b", "3c", "4d", "5e", "6f");
    assertThat(storage.head()).isEqualTo(6);
  }

  @Test
  void aLostConnectionComesBackWhereItWas() throws Exception {
    watch();
    commit("a");
    feed.hold();
    commit("b");
    feed.lose("reset by peer");
    commit("c");
    feed.release();
    assertThat(script.told).containsExactly("whole 0", "1a", "lost");
    feed.reconnect();
    commit("d");
    assertThat(script.told).containsExactly("whole 0", "1a", "lost", "whole 1", "2b", "3c", "4d");
  }

  @Test
  void aLostConnectionComesBackAtTheHead() throws Exception {
    watch();
    feed.lose("reset by peer");
    commit("a");
    commit("b");
    feed.reconnectAtHead();
    commit("c");
    assertThat(script.told).containsExactly("whole 0", "lost", "whole 2", "3c");
  }

  @Test
  void whoSubscribesInAGapOrAHoldIsInIt() throws Exception {
    feed.lose("reset by peer");
    feed.hold();
    commit("a");
    watch();
    commit("b");
    assertThat(script.told).containsExactly("lost");
    feed.reconnect();
    assertThat(script.told).containsExactly("lost", "whole 1");
    feed.release(1);
    assertThat(script.told).containsExactly("lost", "whole 1", "2b");
  }

  @Test
  void whatTheContractForbids() throws Exception {
    watch();
    feed.drop(1);
    commit("a");
    feed.repeat(1);
    commit("b");
    feed.split(1);
    commit("c", "d");
    feed.swap();
    commit("e");
    commit("f");
    feed.changeEpoch();
    commit("g");
    assertThat(script.told).containsExactly("whole 0", "2b", "2b", "3c", "3d", "5f", "4e", "6g?");
    // All of it can be read nevertheless.
    assertThat(storage.loadAt("a", 6)).isEqualTo(new Revision<>(1, 1, Revision.NO_NEXT));
  }

  @Test
  void aListenerThatThrowsOnceOrAgainMissesNothing() throws Exception {
    watch();
    script.failures = 1;
    commit("a");
    assertThat(script.told).containsExactly("whole 0", "lost", "whole 0", "1a");
    script.told.clear();
    script.failures = 2;
    commit("b");
    assertThat(script.told).containsExactly("lost", "whole 1");
    commit("c");
    assertThat(script.told).containsExactly("lost", "whole 1", "lost", "whole 1", "2b", "3c");
  }

  @Test
  void aClosedSubscriptionIsToldNothingThatWasHeld() throws Exception {
    Subscription subscription = watch();
    feed.hold();
    commit("a");
    subscription.close();
    feed.release();
    commit("b");
    assertThat(script.told).containsExactly("whole 0");
    assertThat(feed.held()).isZero();
  }

  @Test
  void callsFailByScript() throws Exception {
    commit("a");
    storage.loads().onCall(1, Fault.fail(new IOException("reset")));
    assertThatThrownBy(() -> storage.loadAt("a", 1)).hasMessage("reset");
    assertThat(storage.load("a")).isEqualTo(1);
    storage.writes().onCall(2, Fault.fail(new IOException("full")));
    assertThatThrownBy(() -> commit("b")).hasMessage("full");
    assertThat(storage.head()).isEqualTo(1);
    feed.refuse(new IOException("no feed"));
    assertThatThrownBy(this::watch).hasMessage("no feed");
    feed.refuse(null);
    watch();
    assertThat(script.told).containsExactly("whole 1");
    assertThat(storage.name()).isEqualTo("faulty memory");
  }

  /** What a listener knows at last is never less than what was committed, whatever happened. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void anUnsettledFeedKeepsItsContract(long seed) throws Exception {
    CommitRecorder<String> recorder = new CommitRecorder<>(PATIENCE);
    storage.commits(0, recorder);
    feed.unsettle(seed);
    int each = 400;
    Crew.start(
            3,
            thread -> {
              Random random = new Random(seed + thread);
              for (int i = 0; i < each; i++) {
                if (thread == 2) {
                  feed.release(random.nextInt(3));
                } else {
                  storage.commit(Map.of(thread + ":" + i, Optional.of(i)), storage.head());
                }
              }
            })
        .join(PATIENCE);
    assertThat(recorder.count(Kind.LOST)).isGreaterThan(5);
    feed.settle();
    recorder.awaitRevision(2L * each);
    long start = storage.head();
    commit("last");
    recorder.awaitRevision(start + 1);
    recorder.checkOrder();
  }

  @Test
  void theSameSeedGivesTheSame() throws Exception {
    List<List<String>> runs = new ArrayList<>();
    for (int run = 0; run < 2; run++) {
      FaultyRevisionStorage<String, Integer> own =
          FaultyRevisionStorage.over(MemoryStorage.create());
      Script told = new Script();
      own.commits(0, told);
      own.feed().unsettle(77);
      for (int i = 0; i < 200; i++) {
        own.commit(Map.of("k", Optional.of(i)), i);
      }
      runs.add(told.told);
    }
    assertThat(runs.get(1)).isEqualTo(runs.get(0)).contains("lost");
  }

  @Test
  void held() throws Exception {
    FaultyRevisionStorage<String, String> storage = FaultyRevisionStorage.create();
    storage.feed().hold();
    storage.commit(Map.of("k", Optional.of("v")), storage.head()); // nobody is told yet
    storage.feed().release();
    assertThat(storage.load("k")).isEqualTo("v");
  }
}
