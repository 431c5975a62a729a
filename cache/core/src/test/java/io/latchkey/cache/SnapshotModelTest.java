package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.internal.RevisionCheck;
import io.latchkey.cache.testing.ForwardingRevisions;
import io.latchkey.storage.Revision;
import io.latchkey.storage.testkit.FaultyRevisionStorage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Random calls against a plain list of all revisions. */
class SnapshotModelTest {
  private static final int STEPS = 4_000;

  /** How much the storage tells of the next serial. */
  private enum Next {
    EXACT,
    UNKNOWN,
    MIXED
  }

  @ParameterizedTest
  @CsvSource({
    "1, EXACT, 1000",
    "2, UNKNOWN, 1000",
    "3, MIXED, 1000",
    "4, EXACT, 20",
    "5, UNKNOWN, 20",
    "6, MIXED, 20",
    "7, MIXED, 3",
    "8, UNKNOWN, 1",
    "9, MIXED, 0"
  })
  @DisplayName(
      "M1 to M6, M8: random commits, reads, snapshots, evictions and gaps read what a list says")
  void readsWhatTheListSays(long which, Next next, long bound) throws Exception {
    long seed = which * 7919 + Long.getLong("latchkey.seed", 0);
    System.out.println("SnapshotModelTest: latchkey.seed=" + seed);
    Random random = new Random(seed);
    FaultyRevisionStorage<String, String> storage = FaultyRevisionStorage.create();
    Telling telling = new Telling(storage, next, new Random(seed + 1));
    List<Map<String, String>> revisions = new ArrayList<>(List.of(Map.of()));
    try (SnapshotCache<String, String> cache =
        SnapshotCache.over(telling).maximumSize(bound).recordStats().build()) {
      long promised = 0;
      for (int step = 0; step < STEPS; step++) {
        int dice = random.nextInt(100);
        String key = "k" + random.nextInt(12);
        if (dice < 25) {
          commit(random, storage, revisions);
        } else if (dice < 80) {
          long at = at(random, revisions.size() - 1, cache.head());
          assertThat(cache.get(key, at)).isEqualTo(revisions.get((int) at).get(key));
        } else if (dice < 88) {
          long at = at(random, revisions.size() - 1, cache.head());
          List<String> keys = List.of("k1", "k3", "k5", "k7", key + "?");
          Map<String, String> expected = new HashMap<>(revisions.get((int) at));
          expected.keySet().retainAll(keys);
          assertThat(cache.getAll(keys, at)).isEqualTo(expected);
        } else if (dice < 92) {
          try (Snapshot<String, String> snapshot = cache.snapshot()) {
            assertThat(snapshot.at()).isGreaterThanOrEqualTo(promised);
            promised = snapshot.at();
            assertThat(snapshot.get(key)).isEqualTo(revisions.get((int) promised).get(key));
          }
        } else {
          disturb(random, storage);
        }
        if (step % 100 == 0) {
          RevisionCheck.check(cache);
        }
      }
      storage.feed().settle();
      assertThat(cache.head()).isEqualTo(revisions.size() - 1L);
      cache.cleanUp();
      assertThat(cache.estimatedSize()).isLessThanOrEqualTo(bound);
      for (int at = 0; at < revisions.size(); at++) {
        String key = "k" + at % 12;
        assertThat(cache.get(key, at)).isEqualTo(revisions.get(at).get(key));
      }
      RevisionCheck.check(cache);
      if (bound > 100 && next == Next.EXACT) {
        assertThat(cache.stats().hitCount()).isGreaterThan(cache.stats().missCount());
      }
    }
  }

  /** Mostly near the head, which is where readers are. */
  private static long at(Random random, long newest, long head) {
    int dice = random.nextInt(10);
    if (dice < 5) {
      return head;
    }
    return dice < 8 ? Math.max(0, head - random.nextInt(10)) : random.nextLong(newest + 1);
  }

  private static void commit(
      Random random,
      FaultyRevisionStorage<String, String> storage,
      List<Map<String, String>> revisions)
      throws Exception {
    Map<String, String> state = new HashMap<>(revisions.get(revisions.size() - 1));
    Map<String, Optional<String>> changes = new LinkedHashMap<>();
    for (int i = random.nextInt(4); i >= 0; i--) {
      String key = "k" + random.nextInt(12);
      if (random.nextInt(4) == 0) {
        changes.put(key, Optional.empty());
        state.remove(key);
      } else {
        String value = key + "@" + revisions.size();
        changes.put(key, Optional.of(value));
        state.put(key, value);
      }
    }
    assertThat(storage.commit(changes, storage.head())).isEqualTo(revisions.size());
    revisions.add(state);
  }

  private static void disturb(Random random, FaultyRevisionStorage<String, String> storage) {
    switch (random.nextInt(10)) {
      case 0 -> storage.feed().lose("on purpose");
      case 1, 2 -> storage.feed().reconnect();
      case 3, 4 -> storage.feed().reconnectAtHead();
      case 5 -> storage.feed().hold();
      case 6 -> storage.feed().release(2);
      case 7 -> storage.feed().release();
      case 8 -> storage.feed().drop(1);
      default -> storage.feed().repeat(1);
    }
  }

  /** Hides next serials. */
  private static final class Telling extends ForwardingRevisions<String, String> {
    private final Next next;
    private final Random random;

    Telling(FaultyRevisionStorage<String, String> storage, Next next, Random random) {
      super(storage);
      this.next = next;
      this.random = random;
    }

    @Override
    public Revision<String> loadAt(String key, long at) throws Exception {
      Revision<String> found = super.loadAt(key, at);
      boolean hide = next == Next.UNKNOWN || (next == Next.MIXED && random.nextBoolean());
      return hide ? new Revision<>(found.value(), found.serial(), Revision.NEXT_UNKNOWN) : found;
    }
  }
}
