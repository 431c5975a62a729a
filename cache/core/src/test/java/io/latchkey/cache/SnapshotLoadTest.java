package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.cache.internal.RevisionCheck;
import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.ForwardingRevisions;
import io.latchkey.cache.testing.GatedLoads;
import io.latchkey.cache.testing.Patience;
import io.latchkey.cache.testing.Roadblock;
import io.latchkey.cache.testing.ScriptedRevisions;
import io.latchkey.cache.testing.ScriptedRevisions.Next;
import io.latchkey.cache.testing.Stage;
import io.latchkey.storage.Revision;
import io.latchkey.storage.testkit.FaultyRevisionStorage;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Loads of revisions: who shares them, how they fail, and who must not wait for them. */
class SnapshotLoadTest {
  @RegisterExtension final Stage stage = new Stage();
  private final GatedLoads<String, Revision<String>> gates = stage.loads();
  private final ScriptedRevisions storage =
      new ScriptedRevisions(10, Next.EXACT, gates).write(3, "k", "a").write(6, "k", "b");
  private @Nullable SnapshotCache<String, String> opened;

  private SnapshotCache<String, String> build(SnapshotCacheBuilder<String, String> builder) {
    SnapshotCache<String, String> cache = builder.recordStats().build();
    opened = cache;
    return cache;
  }

  private SnapshotCache<String, String> cache() {
    return build(SnapshotCache.over(storage));
  }

  @AfterEach
  void consistent() {
    SnapshotCache<String, String> cache = opened;
    if (cache != null) {
      gates.release();
      stage.callers().forEach(Caller::outcome);
      Patience.until("nothing is under way", () -> RevisionCheck.faults(cache).isEmpty());
      cache.close();
    }
  }

  // ---- M7, F1

  @Test
  @DisplayName("F1: one load for all that want a key as of one revision")
  void sharedLoad() {
    SnapshotCache<String, String> cache = cache();
    storage.hold();
    Caller<String> leader = stage.callers().start(() -> cache.get("k", 8));
    GatedLoads.Load<String, Revision<String>> load = storage.load("k", 8);
    List<Caller<String>> waiters = stage.callers().startParked(20, () -> cache.get("k", 8));
    CompletableFuture<@Nullable String> future = cache.getAsync("k", 8);
    load.returns(storage.truth("k", 8));
    assertThat(leader.value()).isEqualTo("b");
    waiters.forEach(waiter -> assertThat(waiter.value()).isEqualTo("b"));
    assertThat(future.join()).isEqualTo("b");
    assertThat(storage.loads()).hasSize(1);
    assertThat(cache.stats().missCount()).isEqualTo(22);
  }

  @Test
  @DisplayName("M7: who waits for another revision takes the answer if it is good for that, too")
  void covered() {
    SnapshotCache<String, String> cache = cache();
    storage.hold();
    Caller<String> leader = stage.callers().start(() -> cache.get("k", 8));
    GatedLoads.Load<String, Revision<String>> load = storage.load("k", 8);
    Caller<String> later = stage.callers().startParked(() -> cache.get("k", 10));
    Caller<String> earlier = stage.callers().startParked(() -> cache.get("k", 6));
    load.returns(storage.truth("k", 8));
    assertThat(leader.value()).isEqualTo("b");
    assertThat(later.value()).isEqualTo("b");
    assertThat(earlier.value()).isEqualTo("b");
    assertThat(storage.loads()).hasSize(1);
  }

  @Test
  @DisplayName("M7: and loads for itself if it is not")
  void notCovered() {
    SnapshotCache<String, String> cache = cache();
    storage.hold();
    Caller<String> leader = stage.callers().start(() -> cache.get("k", 8));
    GatedLoads.Load<String, Revision<String>> load = storage.load("k", 8);
    Caller<String> earlier = stage.callers().startParked(() -> cache.get("k", 4));
    load.returns(storage.truth("k", 8));
    storage.load("k", 4).returns(storage.truth("k", 4));
    assertThat(leader.value()).isEqualTo("b");
    assertThat(earlier.value()).isEqualTo("a");
  }

  @Test
  @DisplayName("M7: who knows of a commit in between does not wait")
  void knownCommitBetween() {
    SnapshotCache<String, String> cache = cache();
    storage.hold();
    Caller<String> leader = stage.callers().start(() -> cache.get("k", 10));
    GatedLoads.Load<String, Revision<String>> load = storage.load("k", 10);
    Revision<String> early = storage.truth("k", 10);
    storage.commit(11, "k", "c");
    Caller<String> later = stage.callers().start(() -> cache.get("k", 11));
    storage.load("k", 11).returns(storage.truth("k", 11));
    assertThat(later.value()).isEqualTo("c");
    load.returns(early);
    assertThat(leader.value()).isEqualTo("b");
  }

  @Test
  @DisplayName("M7: the failure of a load is not that of one who wants another revision")
  void failureOfAnother() {
    SnapshotCache<String, String> cache = cache();
    storage.hold();
    Caller<String> leader = stage.callers().start(() -> cache.get("k", 8));
    GatedLoads.Load<String, Revision<String>> load = storage.load("k", 8);
    Caller<String> same = stage.callers().startParked(() -> cache.get("k", 8));
    Caller<String> other = stage.callers().startParked(() -> cache.get("k", 10));
    load.fails(new IllegalStateException("no"));
    CacheLoadException one = leader.failure(CacheLoadException.class);
    CacheLoadException two = same.failure(CacheLoadException.class);
    assertThat(one).isNotSameAs(two).hasMessageContaining("k as of revision 8 from scripted");
    storage.load("k", 10).returns(storage.truth("k", 10));
    assertThat(other.value()).isEqualTo("b");
    assertThat(cache.stats().loadFailureCount()).isEqualTo(1);
  }

  @Test
  @DisplayName("F7: an interrupted leader hands on to one who wants another revision")
  void promoted() {
    SnapshotCache<String, String> cache = cache();
    storage.hold();
    Caller<String> leader = stage.callers().start(() -> cache.get("k", 8));
    storage.load("k", 8);
    Caller<String> other = stage.callers().startParked(() -> cache.get("k", 10));
    leader.interrupt();
    leader.failure(CacheInterruptedException.class);
    storage.load("k", 8).returns(storage.truth("k", 8)); // the flight goes on for whoever joined
    assertThat(other.value()).isEqualTo("b");
    assertThat(cache.stats().loadAbandonedCount()).isEqualTo(1);
  }

  // ---- F6, F8, F10

  @ParameterizedTest
  @ValueSource(classes = {IllegalStateException.class, StackOverflowError.class, Exception.class})
  @DisplayName("F6: a failure of any kind is told, and not cached")
  void failures(Class<? extends Throwable> kind) throws Exception {
    SnapshotCache<String, String> cache = cache();
    storage.hold();
    Caller<String> caller = stage.callers().start(() -> cache.get("k", 8));
    storage.load("k", 8).fails(kind.getConstructor(String.class).newInstance("no"));
    assertThat(caller.failure(CacheLoadException.class)).hasCauseInstanceOf(kind);
    storage.letGo();
    assertThat(cache.get("k", 8)).isEqualTo("b");
  }

  @Test
  @DisplayName("F8: who leaves affects nobody")
  void leavers() {
    SnapshotCache<String, String> cache = cache();
    storage.hold();
    Caller<String> leader = stage.callers().start(() -> cache.get("k", 8));
    GatedLoads.Load<String, Revision<String>> load = storage.load("k", 8);
    Caller<String> interrupted = stage.callers().startParked(() -> cache.get("k", 8));
    Caller<String> other = stage.callers().startParked(() -> cache.get("k", 10));
    CompletableFuture<@Nullable String> cancelled = cache.getAsync("k", 8);
    interrupted.interrupt().failure(CacheInterruptedException.class);
    other.interrupt().failure(CacheInterruptedException.class);
    assertThat(cancelled.cancel(true)).isTrue();
    assertThatThrownBy(() -> cache.get("k", 8, Duration.ZERO))
        .isInstanceOf(CacheTimeoutException.class);
    load.returns(storage.truth("k", 8));
    assertThat(leader.value()).isEqualTo("b");
    assertThat(cache.get("k", 8)).isEqualTo("b");
    assertThat(storage.loads()).hasSize(1);
  }

  @Test
  @DisplayName("F10: a load may ask for another revision of its key, and not for its own")
  void recursion() {
    AtomicReference<SnapshotCache<String, String>> self = new AtomicReference<>();
    SnapshotCache<String, String> cache =
        build(
            SnapshotCache.over(
                new ForwardingRevisions<>(storage) {
                  @Override
                  public Revision<String> loadAt(String key, long at) throws Exception {
                    if (key.equals("k") && at > 3) {
                      self.get().get("k", at - 1);
                    } else if (key.equals("loop")) {
                      self.get().get("loop", at);
                    }
                    return super.loadAt(key, at);
                  }
                }));
    self.set(cache);
    assertThat(cache.get("k", 8)).isEqualTo("b");
    assertThatThrownBy(() -> cache.get("loop", 8))
        .isInstanceOf(CacheLoadException.class)
        .hasCauseInstanceOf(RecursiveLoadException.class)
        .hasStackTraceContaining("loop as of revision 8");
  }

  // ---- F12, F14, E1

  @Test
  @DisplayName("F12: while the weigher runs, commits, other keys and the same key go on")
  void noLockInWeigher() {
    Roadblock block = stage.roadblock();
    SnapshotCache<String, String> cache =
        build(
            SnapshotCache.over(storage)
                .maximumWeight(100)
                .weigher(
                    (key, value) -> {
                      if (key.equals("k")) {
                        block.pass();
                      }
                      return 1;
                    }));
    block.arm();
    Caller<String> held = stage.callers().start(() -> cache.get("k", 10));
    block.awaitHeld();
    stage.meanwhile(
        () -> {
          storage.commit(11, "k", "c");
          storage.commit(12, "other", "x");
          assertThat(cache.get("other", 12)).isEqualTo("x");
          assertThat(cache.head()).isEqualTo(12);
          cache.cleanUp();
        });
    block.open();
    assertThat(held.value()).isEqualTo("b");
    assertThat(cache.get("k", 12)).isEqualTo("c");
    assertThat(cache.get("k", 10)).isEqualTo("b");
  }

  @Test
  @DisplayName("F14: what the weigher refuses goes to its callers, and what it throws too")
  void weigher() {
    Map<String, Integer> weights = new HashMap<>(Map.of("a", 1, "b", 1));
    SnapshotCache<String, String> cache =
        build(
            SnapshotCache.over(storage)
                .maximumWeight(10)
                .weigher((key, value) -> weights.get(value)));
    weights.put("b", 11);
    assertThat(cache.get("k", 8)).isEqualTo("b");
    assertThat(cache.estimatedSize()).isZero();
    weights.put("b", -1);
    assertThatThrownBy(() -> cache.get("k", 8)).hasMessageContaining("the weigher returned -1");
    weights.remove("b");
    assertThatThrownBy(() -> cache.get("k", 8)).hasCauseInstanceOf(NullPointerException.class);
    weights.put("b", 10);
    assertThat(cache.get("k", 8)).isEqualTo("b");
    assertThat(cache.estimatedSize()).isEqualTo(1);
    assertThat(cache.get("none", 8)).isNull();
    cache.cleanUp();
    assertThat(cache.estimatedSize()).isEqualTo(1);
  }

  @Test
  @DisplayName("E1: with a bound of zero nothing is kept, and loads are shared")
  void boundOfZero() {
    SnapshotCache<String, String> cache = build(SnapshotCache.over(storage).maximumSize(0));
    storage.hold();
    Caller<String> leader = stage.callers().start(() -> cache.get("k", 8));
    GatedLoads.Load<String, Revision<String>> load = storage.load("k", 8);
    Caller<String> waiter = stage.callers().startParked(() -> cache.get("k", 8));
    Caller<String> other = stage.callers().startParked(() -> cache.get("k", 9));
    load.returns(storage.truth("k", 8));
    assertThat(leader.value()).isEqualTo("b");
    assertThat(waiter.value()).isEqualTo("b");
    assertThat(other.value()).isEqualTo("b");
    assertThat(storage.loads()).hasSize(1);
    assertThat(cache.estimatedSize()).isZero();
  }

  @Test
  @DisplayName("E1: revisions of one key count one by one for the bound")
  void boundCountsRevisions() {
    for (int revision = 11; revision < 100; revision++) {
      storage.write(revision, "k", "v" + revision);
    }
    SnapshotCache<String, String> cache = build(SnapshotCache.over(storage).maximumSize(10));
    for (int revision = 11; revision < 100; revision++) {
      assertThat(cache.get("k", revision)).isEqualTo("v" + revision);
    }
    cache.cleanUp();
    assertThat(cache.estimatedSize()).isEqualTo(10);
    assertThat(cache.stats().evictionCount()).isEqualTo(79);
  }

  // ---- F13, M10

  @Test
  @DisplayName("F13: a bulk takes what is cached, and loads the rest together as of its revision")
  void bulk() throws Exception {
    FaultyRevisionStorage<String, String> faulty = FaultyRevisionStorage.create();
    faulty.commit(Map.of("a", Optional.of("1"), "b", Optional.of("1")), 0);
    faulty.commit(Map.of("a", Optional.of("2"), "c", Optional.of("2")), 1);
    SnapshotCache<String, String> cache = build(SnapshotCache.over(faulty));
    assertThat(cache.get("b", 1)).isEqualTo("1");
    assertThat(cache.getAll(List.of("c", "b", "a", "x", "b"), 2).entrySet())
        .extracting(Map.Entry::getKey)
        .containsExactly("c", "b", "a");
    assertThat(cache.getAll(List.of("c", "b", "a", "x"), 1)).isEqualTo(Map.of("a", "1", "b", "1"));
    assertThat(cache.getAll(List.of(), 2)).isEmpty();
    assertThatThrownBy(() -> cache.getAll(List.of("a"), 2).clear())
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  @DisplayName(
      "F13: a bulk load that tells nothing of a key contradicts itself, and keeps the others")
  void bulkWithoutAKey() {
    SnapshotCache<String, String> cache =
        build(
            SnapshotCache.over(
                new ForwardingRevisions<>(storage) {
                  @Override
                  public Map<String, Revision<String>> loadAllAt(
                      Set<? extends String> keys, long at) {
                    return Map.of("k", storage.truth("k", at));
                  }
                }));
    assertThatThrownBy(() -> cache.getAll(List.of("k", "l"), 8))
        .isInstanceOf(StorageInconsistencyException.class)
        .hasMessageContaining("l as of revision 8: it told nothing");
    assertThat(cache.get("k", 8)).isEqualTo("b");
    assertThat(storage.loads()).isEmpty();
  }

  @Test
  @DisplayName("M10: a prefetch waits for nobody, is joined, and keeps its failures to itself")
  void prefetch() {
    SnapshotCache<String, String> cache = cache();
    storage.hold();
    cache.prefetch(List.of("k", "l"), 8);
    GatedLoads.Load<String, Revision<String>> load = storage.load("k", 8);
    GatedLoads.Load<String, Revision<String>> bad = storage.load("l", 8);
    Caller<String> joined = stage.callers().startParked(() -> cache.get("k", 8));
    cache.prefetch(List.of("k"), 8);
    load.returns(storage.truth("k", 8));
    bad.fails(new IllegalStateException("no"));
    assertThat(joined.value()).isEqualTo("b");
    Patience.until("the failure counts", () -> cache.stats().loadFailureCount() == 1);
    assertThat(cache.stats().loadSuccessCount()).isEqualTo(1);
    storage.letGo();
    cache.prefetch(List.of("k"), 9);
    assertThat(cache.get("k", 9)).isEqualTo("b");
    assertThat(storage.loads()).hasSize(2);
  }

  // ---- F16, time-outs

  @Test
  @DisplayName("F16: closing sends everybody away, also those who wait for a revision")
  void close() {
    SnapshotCache<String, String> cache = SnapshotCache.over(storage).name("mine").build();
    storage.hold();
    Caller<String> leader = stage.callers().start(() -> cache.get("k", 8));
    GatedLoads.Load<String, Revision<String>> load = storage.load("k", 8);
    Caller<String> waiter = stage.callers().startParked(() -> cache.get("k", 8));
    Caller<Object> head =
        stage
            .callers()
            .startParked(
                () -> {
                  cache.awaitHead(20, Duration.ofHours(1));
                  return "";
                });
    CompletableFuture<@Nullable String> future = cache.getAsync("k", 8);
    Snapshot<String, String> snapshot = cache.snapshot();
    cache.close();
    cache.close();
    waiter.failure(IllegalStateException.class);
    assertThat(head.failure(IllegalStateException.class)).hasMessageContaining("mine is closed");
    assertThatThrownBy(future::join).hasCauseInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> snapshot.get("k")).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> cache.get("k", 8)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(cache::snapshot).isInstanceOf(IllegalStateException.class);
    load.returns(storage.truth("k", 8));
    assertThat(leader.value()).isEqualTo("b");
    assertThat(cache.stats().loadSuccessCount()).isEqualTo(1);
  }

  @Test
  @DisplayName(
      "F7: at loadTimeout all waiters leave, and the next look-up loads beside the old load")
  void loadTimeout() {
    SnapshotCache<String, String> cache =
        build(SnapshotCache.over(storage).loadTimeout(Duration.ofMillis(50)));
    storage.hold();
    Caller<String> one = stage.callers().start(() -> cache.get("k", 8));
    GatedLoads.Load<String, Revision<String>> hung = storage.load("k", 8);
    one.failure(CacheTimeoutException.class);
    storage.letGo();
    assertThat(cache.get("k", 8)).isEqualTo("b");
    hung.returns(new Revision<>("late", 3, 9));
    hung.awaitLeft();
    assertThat(cache.get("k", 8)).isEqualTo("b");
  }
}
