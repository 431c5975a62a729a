package io.latchkey.cache.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.cache.CacheLoadException;
import io.latchkey.cache.Snapshot;
import io.latchkey.cache.SnapshotCache;
import io.latchkey.cache.Transaction;
import io.latchkey.cache.testing.Caller;
import io.latchkey.cache.testing.GatedLoads;
import io.latchkey.cache.testing.Patience;
import io.latchkey.cache.testing.ScriptedRevisions;
import io.latchkey.cache.testing.ScriptedRevisions.Next;
import io.latchkey.cache.testing.Stage;
import io.latchkey.storage.Revision;
import java.util.AbstractCollection;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Snapshots and transactions where their cache or their history ends. */
class SnapshotEndTest {
  /** In the first stripe of the table, and in the second. */
  private static final String FIRST = "@";

  private static final String SECOND = "A";

  @RegisterExtension final Stage stage = new Stage();
  private final GatedLoads<String, Revision<String>> gates = stage.loads();

  private ScriptedRevisions atFive() {
    return new ScriptedRevisions(5, Next.UNKNOWN, gates)
        .write(2, FIRST, "old")
        .write(2, SECOND, "old");
  }

  @Test
  @DisplayName("M9: a snapshot opened while a storage is found to be set back mixes no histories")
  void openedWhileDropping() {
    ScriptedRevisions storage = atFive();
    try (SnapshotCache<String, String> cache = SnapshotCache.over(storage).build()) {
      cache.getAll(List.of(FIRST, SECOND), 5);
      LatchSnapshotCache<String, String> inside = (LatchSnapshotCache<String, String>) cache;
      Entry place = inside.parts.table.find(FIRST, Table.hash(FIRST));
      assertThat(place).isNotNull();
      storage.nextEpoch();
      storage.write(3, FIRST, "new").write(3, SECOND, "new");
      Caller<Object> feed;
      Snapshot<String, String> between;
      String read;
      synchronized (place) { // the feed cannot drop what follows
        feed = stage.callers().run(() -> storage.whole(5));
        Patience.until("the feed drops", () -> feed.thread().getState() == Thread.State.BLOCKED);
        between = cache.snapshot();
        read = between.get(SECOND);
      }
      feed.value();
      assertThat(read).isEqualTo("old");
      assertThatThrownBy(() -> between.get(FIRST))
          .isInstanceOf(CacheLoadException.class)
          .hasMessageContaining("has begun another history");
      assertThat(cache.snapshot().getAll(List.of(FIRST, SECOND)).values())
          .containsExactly("new", "new");
      RevisionCheck.check(cache);
    }
  }

  @Test
  @DisplayName("M9: a snapshot of a history that ended says so, also where the storage fails")
  void endedAndFailing() {
    ScriptedRevisions storage = atFive();
    try (SnapshotCache<String, String> cache = SnapshotCache.over(storage).build()) {
      Snapshot<String, String> old = cache.snapshot();
      storage.nextEpoch();
      storage.whole(4);
      storage.answer(FIRST, 5, null);
      assertThatThrownBy(() -> old.get(FIRST))
          .hasMessageContaining("has begun another history since the snapshot at revision 5");
      assertThatThrownBy(() -> old.getAll(List.of(FIRST)))
          .hasMessageContaining("has begun another history since the snapshot at revision 5");
      RevisionCheck.check(cache);
    }
  }

  @Test
  @DisplayName("F16: a transaction of a closed cache takes no changes, shows none, commits none")
  void cacheClosed() {
    SnapshotCache<String, String> cache = SnapshotCache.over(atFive()).build();
    Transaction<String, String> empty = cache.begin();
    Transaction<String, String> changed = cache.begin();
    changed.put(FIRST, "mine");
    cache.close();
    assertThatThrownBy(() -> changed.put(SECOND, "x")).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> changed.remove(SECOND)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> changed.get(FIRST)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(empty::commit).isInstanceOf(IllegalStateException.class);
  }

  @Test
  @DisplayName("F13: a transaction reads the keys it is given once, so that none passes for absent")
  void changingKeys() {
    try (SnapshotCache<String, String> cache = SnapshotCache.over(atFive()).build();
        Transaction<String, String> transaction = cache.begin()) {
      AtomicInteger asked = new AtomicInteger();
      AbstractCollection<String> growing =
          new AbstractCollection<>() {
            @Override
            public Iterator<String> iterator() {
              return List.of(FIRST, SECOND)
                  .subList(0, asked.incrementAndGet() == 1 ? 1 : 2)
                  .iterator();
            }

            @Override
            public int size() {
              return 2;
            }
          };
      transaction.getAll(growing);
      assertThat(asked).hasValue(1);
      RevisionCheck.check(cache);
    }
  }
}
