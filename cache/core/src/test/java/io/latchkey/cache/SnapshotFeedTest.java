package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.cache.internal.RevisionCheck;
import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.GatedLoads;
import io.latchkey.cache.testing.ScriptedRevisions;
import io.latchkey.cache.testing.ScriptedRevisions.Next;
import io.latchkey.cache.testing.Stage;
import io.latchkey.storage.Codec;
import io.latchkey.storage.Revision;
import io.latchkey.storage.RevisionStorage;
import io.latchkey.storage.SnapshotTooOldException;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.Storages;
import io.latchkey.storage.testkit.FaultyRevisionStorage;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a cache over revisions does with a feed that is not as it should be: M8. */
class SnapshotFeedTest {
  private static final Duration SOON = Duration.ofMillis(1);

  @RegisterExtension final Stage stage = new Stage();
  private final GatedLoads<String, Revision<String>> gates = stage.loads();
  private @Nullable SnapshotCache<String, String> opened;

  private SnapshotCache<String, String> over(ScriptedRevisions storage) {
    SnapshotCache<String, String> cache = SnapshotCache.over(storage).recordStats().build();
    opened = cache;
    return cache;
  }

  /** At head 5: k is "a" since 2, and cached as current. */
  private ScriptedRevisions atFive(Next next) {
    return new ScriptedRevisions(5, next, gates).write(2, "k", "a");
  }

  @AfterEach
  void consistent() {
    SnapshotCache<String, String> cache = opened;
    if (cache != null) {
      RevisionCheck.check(cache);
      cache.close();
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName(
      "M8: when the feed is lost, what was current ends at the last head, and is still read there")
  void lost(Next next) {
    ScriptedRevisions storage = atFive(next);
    SnapshotCache<String, String> cache = over(storage);
    cache.get("k", 5);
    storage.tell(6, "other");
    storage.lost();
    storage.write(8, "k", "b");

    assertThat(cache.head()).isEqualTo(6);
    assertThat(cache.get("k", cache.head())).isEqualTo("a");
    assertThat(storage.loads()).hasSize(1);
    assertThat(cache.get("k", 8)).isEqualTo("b");
    assertThat(cache.get("k", 7)).isEqualTo("a");

    storage.whole(9);
    assertThat(cache.head()).isEqualTo(9);
    assertThat(cache.get("k", 9)).isEqualTo("b");
    assertThat(cache.get("k", 6)).isEqualTo("a");
    storage.commit(10, "k", "c");
    assertThat(cache.get("k", 10)).isEqualTo("c");
    assertThat(cache.get("k", 9)).isEqualTo("b");
  }

  @Test
  @DisplayName("M8: what is told in a gap is not taken for complete")
  void toldInAGap() {
    ScriptedRevisions storage = atFive(Next.UNKNOWN);
    SnapshotCache<String, String> cache = over(storage);
    cache.get("k", 5);
    storage.lost();
    storage.write(6, "k", "b");
    storage.tell(7, "other"); // 6 was not told
    assertThat(cache.head()).isEqualTo(5);
    storage.whole(7);
    assertThat(cache.get("k", 7)).isEqualTo("b");
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("M8: a load that began before a gap is never current, whenever it ends")
  void loadsAcrossGaps(Next next) {
    ScriptedRevisions storage = atFive(next);
    SnapshotCache<String, String> cache = over(storage);
    storage.hold();
    Caller<String> before = stage.callers().start(() -> cache.get("k", 5));
    GatedLoads.Load<String, Revision<String>> first = storage.load("k", 5);
    Revision<String> early = storage.truth("k", 5);
    storage.lost();
    Caller<String> within = stage.callers().start(() -> cache.get("l", 5));
    GatedLoads.Load<String, Revision<String>> second = storage.load("l", 5);
    storage.write(6, "k", "b").write(6, "l", "b");
    storage.whole(6);
    storage.letGo();
    first.returns(early);
    second.returns(new Revision<>(null, 0, early.nextSerial()));
    assertThat(before.value()).isEqualTo("a");
    assertThat(within.value()).isNull();

    assertThat(cache.get("k", 6)).isEqualTo("b");
    assertThat(cache.get("l", 6)).isEqualTo("b");
    assertThat(cache.get("k", 5)).isEqualTo("a");
    assertThat(cache.get("l", 5)).isNull();
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("M8: a hole in the revisions is a gap that ends with the commit behind it")
  void hole(Next next) {
    ScriptedRevisions storage = atFive(next);
    SnapshotCache<String, String> cache = over(storage);
    cache.get("k", 5);
    storage.write(6, "k", "b");
    storage.tell(7, "other");
    assertThat(cache.head()).isEqualTo(7);
    assertThat(cache.get("k", 7)).isEqualTo("b");
    assertThat(cache.get("k", 5)).isEqualTo("a");
    assertThat(storage.loads()).hasSize(2);
  }

  @Test
  @DisplayName("M8: a late commit, and one that is told twice, change nothing that is right")
  void lateAndTwice() {
    ScriptedRevisions storage = atFive(Next.UNKNOWN);
    SnapshotCache<String, String> cache = over(storage);
    cache.get("k", 5);
    storage.write(6, "k", "b");
    storage.tell(7, "other");
    storage.tell(6, "k"); // late
    assertThat(cache.head()).isEqualTo(7);
    assertThat(cache.get("k", 7)).isEqualTo("b");
    storage.tell(6, "k");
    storage.tell(7, "other");
    storage.commit(8, "k", "c");
    storage.tell(8, "k");
    assertThat(cache.head()).isEqualTo(8);
    assertThat(cache.get("k", 8)).isEqualTo("c");
    storage.tell(8, "k");
    assertThat(cache.get("k", 8)).isEqualTo("c");
    assertThat(cache.get("k", 7)).isEqualTo("b");
    assertThat(storage.loads()).hasSize(3);
  }

  @Test
  @DisplayName("M8: a late commit closes what it should have closed")
  void lateCommitCloses() {
    ScriptedRevisions storage = atFive(Next.UNKNOWN);
    SnapshotCache<String, String> cache = over(storage);
    storage.tell(6);
    storage.answer("k", 6, new Revision<>("a", 2, Revision.NEXT_UNKNOWN)); // wrong: see below
    assertThat(cache.get("k", 6)).isEqualTo("a");
    storage.write(6, "k", "b");
    storage.tell(6, "k"); // the rest of the commit
    storage.answer("k", 6, storage.truth("k", 6));
    assertThat(cache.get("k", 6)).isEqualTo("b");
    assertThat(cache.get("k", 5)).isEqualTo("a");
  }

  @Test
  @DisplayName("M8: a feed that is whole again at an earlier commit tells the rest once more")
  void wholeGoesBack() {
    ScriptedRevisions storage = atFive(Next.UNKNOWN);
    SnapshotCache<String, String> cache = over(storage);
    cache.get("k", 5);
    storage.commit(6, "k", "b");
    storage.lost();
    storage.whole(5);
    assertThat(cache.head()).isEqualTo(6);
    storage.tell(6, "k");
    assertThat(cache.get("k", 6)).isEqualTo("b");
    storage.commit(7, "k", "c");
    assertThat(cache.head()).isEqualTo(7);
    assertThat(cache.get("k", 7)).isEqualTo("c");
    assertThat(cache.get("k", 6)).isEqualTo("b");
    assertThat(cache.get("k", 5)).isEqualTo("a");
  }

  @Test
  @DisplayName("M8: a storage that was set back is read anew, and old snapshots end")
  void setBack() {
    ScriptedRevisions storage = atFive(Next.UNKNOWN);
    SnapshotCache<String, String> cache = over(storage);
    cache.get("k", 5);
    storage.hold();
    Caller<String> loading = stage.callers().start(() -> cache.get("l", 5));
    GatedLoads.Load<String, Revision<String>> load = storage.load("l", 5);
    storage.letGo();
    Snapshot<String, String> old = cache.snapshot();
    storage.lost();
    storage.nextEpoch();
    storage.write(2, "k", "other").write(2, "l", "other");
    storage.whole(4);
    load.returns(new Revision<>("before", 1, Revision.NEXT_UNKNOWN));
    assertThat(loading.value()).isEqualTo("before");

    assertThat(cache.head()).isEqualTo(4);
    assertThat(cache.get("k", 4)).isEqualTo("other");
    assertThat(cache.get("l", 4)).isEqualTo("other");
    assertThat(cache.get("l", 5)).isEqualTo("other");
    assertThatThrownBy(() -> old.get("k"))
        .isInstanceOf(CacheLoadException.class)
        .hasMessageContaining(
            "scripted has begun another history since the snapshot at revision 5");
    try (Snapshot<String, String> now = cache.snapshot()) {
      assertThat(now.at()).isEqualTo(4);
      assertThat(now.get("k")).isEqualTo("other");
    }
  }

  @Test
  @DisplayName("M8: commits of an unknown epoch, without a word, drop what is cached as well")
  void unknownEpoch() {
    ScriptedRevisions storage = atFive(Next.UNKNOWN);
    SnapshotCache<String, String> cache = over(storage);
    cache.get("k", 5);
    storage.nextEpoch();
    storage.write(2, "k", "other");
    storage.tell(6);
    assertThat(cache.head()).isEqualTo(6);
    assertThat(cache.get("k", 6)).isEqualTo("other");
    assertThat(cache.get("k", 5)).isEqualTo("other");
  }

  @Test
  @DisplayName(
      "M8: after very many gaps, what was current before the first is right or loaded anew")
  void manyGaps() {
    ScriptedRevisions storage = atFive(Next.UNKNOWN);
    SnapshotCache<String, String> cache = over(storage);
    cache.get("k", 5);
    for (int revision = 6; revision < 306; revision++) {
      storage.lost();
      storage.write(revision, "k", "v" + revision);
      storage.whole(revision);
    }
    assertThat(cache.get("k", 5)).isEqualTo("a");
    assertThat(storage.loads()).hasSize(1);
    for (int revision = 6; revision < 306; revision++) {
      assertThat(cache.get("k", revision)).isEqualTo("v" + revision);
    }
    assertThat(cache.get("k", 3)).isEqualTo("a");
  }

  @Test
  @DisplayName("M8: a revision that the storage has forgotten is refused, and cached ones are not")
  void tooOld() throws Exception {
    FaultyRevisionStorage<String, String> storage =
        FaultyRevisionStorage.over(
            (RevisionStorage<String, String>)
                Storages.open("memory:?history=3", Codec.utf8(), Codec.utf8()));
    storage.commit(Map.of("k", Optional.of("a"), "l", Optional.of("a")), 0);
    try (SnapshotCache<String, String> cache = SnapshotCache.over(storage).build();
        Snapshot<String, String> old = cache.snapshot()) {
      assertThat(old.get("k")).isEqualTo("a");
      for (int i = 1; i < 9; i++) {
        storage.commit(Map.of("k", Optional.of("v" + i)), i);
      }
      assertThat(old.get("k")).isEqualTo("a");
      assertThatThrownBy(() -> old.get("l"))
          .isInstanceOf(CacheLoadException.class)
          .hasCauseInstanceOf(SnapshotTooOldException.class)
          .hasMessageContaining("l as of revision 1");
      assertThat(cache.get("l", cache.head())).isEqualTo("a");
      RevisionCheck.check(cache);
    }
  }

  @Test
  @DisplayName("M8: a revision of the future is refused as retryable, and read when it is there")
  void future() throws Exception {
    FaultyRevisionStorage<String, String> storage = FaultyRevisionStorage.create();
    try (SnapshotCache<String, String> cache = SnapshotCache.over(storage).build();
        Snapshot<String, String> future = cache.snapshotAt(2)) {
      assertThatThrownBy(() -> future.get("k"))
          .isInstanceOf(CacheLoadException.class)
          .cause()
          .isInstanceOfSatisfying(
              StorageException.class, cause -> assertThat(cause.retryable()).isTrue());
      storage.feed().hold();
      storage.commit(Map.of("k", Optional.of("a")), 0);
      storage.commit(Map.of("k", Optional.of("b")), 1);
      assertThat(future.get("k")).isEqualTo("b");
      assertThat(cache.head()).isZero();
      assertThatThrownBy(() -> cache.awaitHead(2, SOON))
          .isInstanceOf(CacheTimeoutException.class)
          .hasMessageContaining("revision 2")
          .hasMessageEndingWith("the head is 0");
      storage.feed().release();
      cache.awaitHead(2, Duration.ofMinutes(1));
      assertThat(cache.get("k", 1)).isEqualTo("a");
      assertThat(future.get("k")).isEqualTo("b");
      storage.feed().lose("on purpose");
      assertThatThrownBy(() -> cache.awaitHead(3, SOON))
          .hasMessageEndingWith("whose feed is lost; the last one told is 2");
      RevisionCheck.check(cache);
    }
  }
}
