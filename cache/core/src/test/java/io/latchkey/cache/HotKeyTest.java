package io.latchkey.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.cache.internal.RevisionCheck;
import io.latchkey.storage.testkit.FaultyRevisionStorage;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One key that is changed again and again, with very many of its revisions cached. */
class HotKeyTest {
  private static final int REVISIONS = 50_000;

  private final FaultyRevisionStorage<String, Integer> storage = FaultyRevisionStorage.create();

  /** Copying all revisions at each load would take minutes here. */
  @ParameterizedTest
  @ValueSource(longs = {Long.MAX_VALUE, 1_000, 10})
  @DisplayName("M1: a key with very many revisions is read at each of them, evicted ones included")
  void manyRevisions(long bound) throws Exception {
    SnapshotCacheBuilder<String, Integer> builder = SnapshotCache.over(storage);
    try (SnapshotCache<String, Integer> cache = builder.maximumSize(bound).build()) {
      for (int revision = 1; revision <= REVISIONS; revision++) {
        storage.commit(Map.of("k", Optional.of(revision)), revision - 1);
        assertThat(cache.get("k", revision)).isEqualTo(revision);
      }
      cache.cleanUp();
      assertThat(cache.estimatedSize()).isEqualTo(Math.min(bound, REVISIONS));
      Random random = new Random(7);
      for (int i = 0; i < 2_000; i++) {
        int at = REVISIONS - 900 + random.nextInt(900);
        assertThat(cache.get("k", at)).isEqualTo(at);
      }
      RevisionCheck.check(cache);
    }
  }

  @Test
  @DisplayName("M5: revisions that come in any order, some evicted and loaded again, stay in order")
  void anyOrder() throws Exception {
    int count = 400;
    for (int revision = 1; revision <= count; revision++) {
      storage.commit(
          Map.of("k", revision % 7 == 0 ? Optional.empty() : Optional.of(revision / 3)),
          revision - 1);
    }
    for (long bound : List.of(1L, 5L, 50L, 1_000L)) {
      try (SnapshotCache<String, Integer> cache =
          SnapshotCache.over(storage).maximumSize(bound).build()) {
        Random random = new Random(bound);
        for (int i = 0; i < 3_000; i++) {
          int at = 1 + random.nextInt(count);
          assertThat(cache.get("k", at)).as("at %d", at).isEqualTo(at % 7 == 0 ? null : at / 3);
          if (i % 50 == 0) {
            RevisionCheck.check(cache);
          }
        }
      }
    }
  }
}
