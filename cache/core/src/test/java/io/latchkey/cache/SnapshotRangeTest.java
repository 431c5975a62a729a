package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.cache.internal.RevisionCheck;
import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.GatedLoads;
import io.latchkey.cache.testing.ScriptedRevisions;
import io.latchkey.cache.testing.ScriptedRevisions.Next;
import io.latchkey.cache.testing.Stage;
import io.latchkey.storage.Revision;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** For which revisions a load is the answer: M1 to M6. */
class SnapshotRangeTest {
  @RegisterExtension final Stage stage = new Stage();
  private final GatedLoads<String, Revision<String>> gates = stage.loads();
  private @Nullable SnapshotCache<String, String> opened;

  private SnapshotCache<String, String> over(ScriptedRevisions storage) {
    SnapshotCache<String, String> cache = SnapshotCache.over(storage).recordStats().build();
    opened = cache;
    return cache;
  }

  private ScriptedRevisions at(long head, Next next) {
    return new ScriptedRevisions(head, next, gates);
  }

  @AfterEach
  void consistent() {
    SnapshotCache<String, String> cache = opened;
    if (cache != null) {
      RevisionCheck.check(cache);
      cache.close();
    }
  }

  private static Revision<String> revision(@Nullable String value, long serial, long next) {
    return new Revision<>(value, serial, next);
  }

  // ---- M1, M2

  @Test
  @DisplayName("M1: a revision answers from its serial to the one before the next, edges included")
  void edges() {
    ScriptedRevisions storage =
        at(10, Next.EXACT).write(3, "k", "a").write(6, "k", "b").write(9, "k", "c");
    SnapshotCache<String, String> cache = over(storage);
    assertThat(cache.get("k", 4)).isEqualTo("a");
    assertThat(cache.get("k", 7)).isEqualTo("b");
    assertThat(cache.get("k", 10)).isEqualTo("c");
    assertThat(storage.loads()).containsExactly("k@4", "k@7", "k@10");

    String[] expected = {null, null, null, "a", "a", "a", "b", "b", "b", "c", "c"};
    for (int at = 3; at <= 10; at++) {
      assertThat(cache.get("k", at)).as("at %d", at).isEqualTo(expected[at]);
    }
    assertThat(storage.loads()).hasSize(3);
    assertThat(cache.get("k", 2)).isNull();
    assertThat(cache.get("k", 0)).isNull();
    assertThat(storage.loads()).hasSize(4);
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("M2: what is current stays the answer at every later head, until it is changed")
  void current(Next next) {
    ScriptedRevisions storage = at(5, next).write(2, "k", "a").write(3, "other", "x");
    SnapshotCache<String, String> cache = over(storage);
    assertThat(cache.get("k", 5)).isEqualTo("a");
    for (int revision = 6; revision < 500; revision++) {
      storage.commit(revision, "other", "y" + revision);
      assertThat(cache.get("k", cache.head())).isEqualTo("a");
    }
    storage.commit(500, "k", "b");
    assertThat(cache.get("k", 499)).isEqualTo("a");
    assertThat(storage.loads()).hasSize(1);
    assertThat(cache.get("k", 500)).isEqualTo("b");
    assertThat(storage.loads()).hasSize(2);
  }

  @Test
  @DisplayName("M2: what is current says nothing of revisions that were not told")
  void notBeyondTheHead() {
    ScriptedRevisions storage = at(5, Next.EXACT).write(2, "k", "a");
    SnapshotCache<String, String> cache = over(storage);
    assertThat(cache.get("k", 5)).isEqualTo("a");
    storage.write(7, "k", "b");
    assertThat(cache.get("k", 7)).isEqualTo("b");
    assertThat(cache.get("k", 5)).isEqualTo("a");
    storage.tell(6);
    storage.tell(7, "k");
    assertThat(cache.get("k", 6)).isEqualTo("a");
    assertThat(cache.get("k", 7)).isEqualTo("b");
  }

  // ---- M3, M4

  /**
   * A load as of {@code at} begins at head 10; commits of its key come while it is held; it answers
   * with a serial and a next serial (0: none so far, -1: unknown). Then it answers up to {@code
   * last}, or is current.
   */
  @ParameterizedTest
  @CsvSource({
    "10, '',       4,  0, current", "10, '',       4, -1, current",
    "10, '12',     4,  0, 11", "10, '12',     4, -1, 11",
    "10, '12 14',  4, -1, 11", "10, '12 14',  4, 12, 11",
    "10, '11',    10, -1, 10", "8,  '12',     4, -1, 8",
    "8,  '12',     4,  0, 11", "8,  '12',     4,  9, 8",
    "8,  '',       4, -1, 8", "8,  '',       4,  0, current",
    "12, '12',    12, -1, current", "12, '12 14', 12, -1, 13",
    "12, '12 14', 12, 14, 13", "14, '12 14', 14, 0, current",
    "13, '12 14', 12, -1, 13", "20, '12',    12, -1, 20",
    "20, '12',    15,  0, 20", "20, '12',    12, 25, 24",
  })
  @DisplayName("M4: a load ends after invalidations: it covers what was not changed since")
  void invalidatedWhileLoading(long at, String commits, long serial, long next, String last) {
    ScriptedRevisions storage = at(10, Next.UNKNOWN);
    SnapshotCache<String, String> cache = over(storage);
    storage.hold();
    Caller<String> leader = stage.callers().start(() -> cache.get("k", at));
    GatedLoads.Load<String, Revision<String>> load = storage.load("k", at);
    for (int revision = 11; revision <= 15; revision++) {
      boolean changes = List.of(commits.split(" ")).contains(String.valueOf(revision));
      storage.tell(revision, changes ? new String[] {"k"} : new String[] {"other"});
    }
    load.returns(revision("v", serial, next == 0 ? Revision.NO_NEXT : next));
    assertThat(leader.value()).isEqualTo("v");

    long covered = last.equals("current") ? 15 : Long.parseLong(last);
    Caller<Boolean> hits =
        stage
            .callers()
            .start(
                () -> {
                  for (long revision = serial; revision <= covered; revision++) {
                    assertThat(cache.get("k", revision)).as("at %d", revision).isEqualTo("v");
                  }
                  return true;
                });
    assertThat(hits.value()).isTrue();
    assertThat(storage.loads()).hasSize(1);
    if (!last.equals("current")) {
      Caller<String> beyond = stage.callers().start(() -> cache.get("k", covered + 1));
      storage.load("k", covered + 1).returns(revision("w", covered + 1, -1));
      assertThat(beyond.value()).isEqualTo("w");
    } else {
      storage.tell(16);
      assertThat(cache.get("k", 16)).isEqualTo("v");
    }
  }

  @Test
  @DisplayName("M3: a load that began before a commit was told, and ends after it, is not current")
  void beganBeforeCommit() {
    ScriptedRevisions storage = at(1, Next.EXACT).write(1, "k", "a");
    SnapshotCache<String, String> cache = over(storage);
    storage.hold();
    Caller<String> leader = stage.callers().start(() -> cache.get("k", 1));
    GatedLoads.Load<String, Revision<String>> load = storage.load("k", 1);
    Revision<String> early = storage.truth("k", 1);
    storage.letGo();
    storage.commit(2, "k", "b");
    assertThat(cache.head()).isEqualTo(2);
    load.returns(early);
    assertThat(leader.value()).isEqualTo("a");
    assertThat(cache.get("k", 2)).isEqualTo("b");
    assertThat(cache.get("k", 1)).isEqualTo("a");
    assertThat(storage.loads()).containsExactly("k@1", "k@2");
  }

  @Test
  @DisplayName("M3: a load older than the remembered commits of its key covers its revision only")
  void olderThanTheTail() {
    ScriptedRevisions storage = at(1, Next.UNKNOWN).write(1, "k", "a");
    SnapshotCache<String, String> cache = over(storage);
    storage.hold();
    Caller<String> leader = stage.callers().start(() -> cache.get("k", 1));
    GatedLoads.Load<String, Revision<String>> load = storage.load("k", 1);
    storage.letGo();
    for (int revision = 2; revision < 100; revision++) {
      storage.commit(revision, "k", "v" + revision);
    }
    load.returns(revision("a", 1, -1));
    assertThat(leader.value()).isEqualTo("a");
    for (int revision = 1; revision < 100; revision++) {
      String expected = revision == 1 ? "a" : "v" + revision;
      assertThat(cache.get("k", revision)).isEqualTo(expected);
    }
  }

  @Test
  @DisplayName("M3: nor does one become current that began before a commit too large to remember")
  void hugeCommit() {
    ScriptedRevisions storage = at(1, Next.UNKNOWN).write(1, "k", "a");
    SnapshotCache<String, String> cache = over(storage);
    storage.hold();
    Caller<String> leader = stage.callers().start(() -> cache.get("k", 1));
    GatedLoads.Load<String, Revision<String>> load = storage.load("k", 1);
    storage.letGo();
    String[] keys = new String[70_000];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = i == 35_000 ? "k" : "k" + i;
    }
    storage.write(2, "k", "b");
    storage.tell(2, keys);
    load.returns(revision("a", 1, -1));
    assertThat(leader.value()).isEqualTo("a");
    assertThat(cache.get("k", 2)).isEqualTo("b");
  }

  @Test
  @DisplayName("M3: nor beside the rest of a huge commit that is told late")
  void hugeAndLate() {
    ScriptedRevisions storage = at(5, Next.UNKNOWN).write(1, "k", "a");
    SnapshotCache<String, String> cache = over(storage);
    storage.tell(6, "x");
    storage.commit(7, "k", "b");
    storage.hold();
    Caller<String> leader = stage.callers().start(() -> cache.get("k", 6));
    GatedLoads.Load<String, Revision<String>> load = storage.load("k", 6);
    storage.letGo();
    String[] keys = new String[70_000];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = "x" + i;
    }
    storage.tell(6, keys);
    load.returns(revision("a", 1, -1));
    assertThat(leader.value()).isEqualTo("a");
    assertThat(cache.get("k", 7)).isEqualTo("b");
  }

  // ---- M5

  @Test
  @DisplayName("M5: neighbours of one serial merge, whichever was loaded first")
  void merges() {
    ScriptedRevisions storage = at(9, Next.UNKNOWN).write(2, "k", "a");
    SnapshotCache<String, String> cache = over(storage);
    storage.answer("k", 4, revision("a", 2, -1));
    cache.get("k", 4);
    storage.tell(10, "k"); // so that it is not current
    storage.write(10, "k", "b");
    cache.get("k", 8);
    cache.get("k", 6);
    assertThat(cache.estimatedSize()).isEqualTo(1);
    for (int at = 2; at <= 8; at++) {
      assertThat(cache.get("k", at)).isEqualTo("a");
    }
    assertThat(storage.loads()).hasSizeLessThanOrEqualTo(3);
    assertThat(cache.get("k", 10)).isEqualTo("b");
    assertThat(cache.estimatedSize()).isEqualTo(2);
  }

  /** Cached is serial 5, known up to 8; what is loaded then cannot be true. */
  @ParameterizedTest
  @CsvSource({
    "4, v, 6, -1, it tells serial 6 and next serial -1", // above the revision asked for
    "9, v, 5, 9, it tells serial 5 and next serial 9", // not after the revision asked for
    "9, v, 3, -1, 'it tells serial 3, and told serial 5, valid up to revision 8'",
    "4, v, 2, 9, 'it tells serial 2, and told serial 5'", // leaves 5 out
    "9, v, 7, -1, 'it tells serial 7, and told serial 5, valid up to revision 8'",
    "12, v, 5, 0, 'it tells serial 5, and told of a commit at 11'",
    "9, v, 5, 13, 'it tells next serial 13, and told of a commit at 11'",
    "9, , 9, 13, ''", // of an absence the serial is a hint, but not of what follows it
  })
  @DisplayName("M5: a storage that contradicts itself is found out, and nothing of it is cached")
  void contradictions(
      long at, @Nullable String value, long serial, long next, @Nullable String message) {
    ScriptedRevisions storage = at(10, Next.EXACT).write(2, "k", "old").write(5, "k", "v");
    SnapshotCache<String, String> cache = over(storage);
    storage.answer("k", 8, revision("v", 5, -1));
    assertThat(cache.get("k", 8)).isEqualTo("v");
    storage.commit(11, "k", "new");
    storage.tell(12, "other");
    storage.answer("k", at, revision(value, serial, next == 0 ? Revision.NO_NEXT : next));
    if (value == null) {
      assertThat(cache.get("k", at)).isNull();
      assertThat(cache.get("k", 11)).isEqualTo("new");
      return;
    }
    assertThatThrownBy(() -> cache.get("k", at))
        .isInstanceOf(StorageInconsistencyException.class)
        .hasMessageContaining("scripted contradicts itself about k as of revision " + at)
        .hasMessageContaining(message);
    for (long each = 2; each <= 12; each++) {
      Revision<String> truth = storage.truth("k", each);
      storage.answer("k", each, truth);
      assertThat(cache.get("k", each)).as("at %d", each).isEqualTo(truth.value());
    }
  }

  @Test
  @DisplayName("M5: of two loads at once that contradict each other, one caller is told")
  void contradictionAtOnce() {
    ScriptedRevisions storage = at(10, Next.UNKNOWN);
    SnapshotCache<String, String> cache = over(storage);
    storage.hold();
    // A future does not wait for a load of another revision, so both are under way.
    var one = cache.getAsync("k", 6);
    GatedLoads.Load<String, Revision<String>> first = storage.load("k", 6);
    var two = cache.getAsync("k", 9);
    GatedLoads.Load<String, Revision<String>> second = storage.load("k", 9);
    first.returns(revision("v", 5, -1));
    assertThat(one.join()).isEqualTo("v");
    second.returns(revision("w", 3, -1));
    assertThatThrownBy(two::join).hasCauseInstanceOf(StorageInconsistencyException.class);
    assertThat(cache.estimatedSize()).isZero();
  }

  // ---- M6

  @ParameterizedTest
  @EnumSource
  @DisplayName("M6: absence has its range, before the first object and after a deletion")
  void absence(Next next) {
    ScriptedRevisions storage =
        at(9, next).write(3, "k", "a").write(5, "k", null).write(8, "k", "b");
    SnapshotCache<String, String> cache = over(storage);
    for (int round = 0; round < 2; round++) {
      for (int at : new int[] {6, 1, 4, 9, 5, 2, 8, 7, 3, 0}) {
        assertThat(cache.get("k", at))
            .as("at %d", at)
            .isEqualTo(at < 3 || (at >= 5 && at < 8) ? null : at < 5 ? "a" : "b");
      }
    }
    if (next == Next.EXACT) {
      assertThat(storage.loads()).hasSize(4);
    }
    storage.commit(10, "k", null);
    storage.commit(11, "k", "c");
    assertThat(cache.get("k", 11)).isEqualTo("c");
    assertThat(cache.get("k", 10)).isNull();
    assertThat(cache.get("k", 9)).isEqualTo("b");
  }
}
