package io.latchkey.storage.mvstore;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.storage.Codec;
import io.latchkey.storage.ConflictException;
import io.latchkey.storage.Revision;
import io.latchkey.storage.SnapshotTooOldException;
import io.latchkey.storage.testkit.CommitRecorder;
import io.latchkey.storage.testkit.CommitRecorder.Event;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The revisions of a file: what is special to it; the rest is in the contract suite. */
class MvRevisionsTest {
  @TempDir private Path directory;
  private Path file;

  @BeforeEach
  void nameTheFile() {
    file = directory.resolve("objects.db");
  }

  private MvStorage<String, String> open(int history) throws Exception {
    return MvStorage.open(
        file, Codec.utf8(), Codec.utf8(), MvOptions.defaults().withHistory(history));
  }

  /** A file as it was before there were revisions. */
  private void makeOldFile() {
    try (MVStore store = MVStore.open(file.toString())) {
      store.setStoreVersion(1);
      MVMap<byte[], byte[]> objects =
          store.openMap(
              "io.latchkey.objects",
              new MVMap.Builder<byte[], byte[]>()
                  .keyType(CheckedBytes.INSTANCE)
                  .valueType(CheckedBytes.INSTANCE));
      objects.put("k".getBytes(UTF_8), "old".getBytes(UTF_8));
      objects.put("l".getBytes(UTF_8), "old".getBytes(UTF_8));
    }
  }

  @Test
  void anOldFileIsRevisionZero() throws Exception {
    makeOldFile();
    try (MvStorage<String, String> storage = open(10)) {
      assertThat(storage.head()).isZero();
      assertThat(storage.load("k")).isEqualTo("old");
      assertThat(storage.loadAt("k", 0)).isEqualTo(new Revision<>("old", 0, Revision.NO_NEXT));
      assertThat(storage.commit(Map.of("k", Optional.of("new")), 0)).isEqualTo(1);
      assertThat(storage.loadAt("k", 0)).isEqualTo(new Revision<>("old", 0, 1));
      assertThat(storage.loadAt("k", 1)).isEqualTo(new Revision<>("new", 1, Revision.NO_NEXT));
      assertThat(storage.loadAt("l", 1)).isEqualTo(new Revision<>("old", 0, Revision.NO_NEXT));
      assertThatThrownBy(() -> storage.commit(Map.of("k", Optional.empty()), 0))
          .isInstanceOf(ConflictException.class);
    }
    try (MvStorage<String, String> storage = open(10)) {
      assertThat(storage.loadAt("k", 1)).isEqualTo(new Revision<>("new", 1, Revision.NO_NEXT));
      assertThatThrownBy(() -> storage.loadAt("k", 0)).isInstanceOf(SnapshotTooOldException.class);
    }
    try (MVStore store = MVStore.open(file.toString())) {
      assertThat(store.getStoreVersion()).isEqualTo(2);
    }
  }

  @Test
  void theEpochStaysOverReopening() throws Exception {
    long[] epochs = new long[2];
    for (int round = 0; round < 2; round++) {
      try (MvStorage<String, String> storage = open(10)) {
        storage.store("k", "v" + round);
        CommitRecorder<String> recorder = new CommitRecorder<>(Duration.ofSeconds(30));
        storage.commits(round, recorder).close();
        recorder.awaitRevision(round + 1);
        List<Event<String>> events = recorder.events();
        assertThat(events).hasSize(2);
        epochs[round] = events.get(0).epoch();
      }
    }
    assertThat(epochs[1]).isEqualTo(epochs[0]);
  }

  @Test
  void aShorterHistoryForgetsLittleByLittle() throws Exception {
    try (MvStorage<String, String> storage = open(1000)) {
      for (int i = 1; i <= 200; i++) {
        storage.store("k", "v" + i);
      }
      assertThat(storage.loadAt("k", 1).value()).isEqualTo("v1");
      Files.copy(file, directory.resolve("killed.db")); // closing would forget the history
    }
    file = directory.resolve("killed.db");
    try (MvStorage<String, String> storage = open(5)) {
      assertThat(storage.loadAt("k", 1).value()).isEqualTo("v1");
      for (int i = 201; i <= 210; i++) {
        storage.store("k", "v" + i);
      }
      assertThatThrownBy(() -> storage.loadAt("k", 204))
          .isInstanceOf(SnapshotTooOldException.class)
          .hasMessageContaining("begins at revision 205");
      assertThat(storage.loadAt("k", 205)).isEqualTo(new Revision<>("v205", 205, 206));
    }
  }

  @Test
  void withoutHistoryTheHeadIsReadAndConflictsAreSeen() throws Exception {
    try (MvStorage<String, String> storage = open(0)) {
      storage.store("k", "1");
      storage.delete("k");
      assertThat(storage.loadAt("k", 2)).isEqualTo(new Revision<>(null, 2, Revision.NO_NEXT));
      assertThat(storage.commit(Map.of("k", Optional.of("3")), 2)).isEqualTo(3);
      assertThat(storage.loadAt("k", 3)).isEqualTo(new Revision<>("3", 3, Revision.NO_NEXT));
      assertThatThrownBy(() -> storage.loadAt("k", 2)).isInstanceOf(SnapshotTooOldException.class);
      assertThatThrownBy(() -> storage.commit(Map.of("k", Optional.of("4")), 2))
          .isInstanceOfAny(SnapshotTooOldException.class, ConflictException.class);
    }
  }

  @Test
  void clearIsACommitOfAllKeys() throws Exception {
    try (MvStorage<String, String> storage = open(10)) {
      storage.storeAll(Map.of("a", "1", "b", "1"));
      CommitRecorder<String> recorder = new CommitRecorder<>(Duration.ofSeconds(30));
      storage.commits(1, recorder);
      storage.clear();
      storage.clear();
      assertThat(recorder.commits()).isEqualTo(Map.of(2L, Set.of("a", "b")));
      assertThat(storage.head()).isEqualTo(2);
      assertThat(storage.size()).isZero();
      assertThat(storage.loadAt("a", 1)).isEqualTo(new Revision<>("1", 1, 2));
    }
  }

  /** Keys of which one begins as another goes on, up to the bytes of a revision. */
  @Test
  void versionsOfKeysThatBeginAlikeAreToldApart() throws Exception {
    List<String> keys = List.of("", "a", "a\0\0\0\0\0\0\0\1", "a\0\0\0\0\0\0\0\2", "aa", "b");
    try (MvStorage<String, String> storage = open(1000)) {
      for (int round = 0; round < 5; round++) {
        for (String key : keys) {
          storage.store(key, key + round);
        }
      }
      for (long at = 1; at <= 5L * keys.size(); at++) {
        for (int i = 0; i < keys.size(); i++) {
          long round = (at - 1 - i + keys.size()) / keys.size() - 1;
          String expected = round < 0 ? null : keys.get(i) + round;
          assertThat(storage.loadAt(keys.get(i), at).value()).isEqualTo(expected);
        }
      }
    }
  }

  @Test
  void aNegativeHistoryIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MvOptions.defaults().withHistory(-1))
        .withMessageContaining("history is -1");
  }
}
