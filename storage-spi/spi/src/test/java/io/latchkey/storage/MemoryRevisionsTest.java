package io.latchkey.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The revisions of the storage in memory: what is special to it. */
class MemoryRevisionsTest {
  private static MemoryStorage<String, String> open(String url) throws Exception {
    return (MemoryStorage<String, String>) Storages.open(url, Codec.utf8(), Codec.utf8());
  }

  private static final class Commits implements CommitListener<String> {
    final List<String> told = new ArrayList<>();

    @Override
    public void committed(long epoch, long revision, Collection<? extends String> keys) {
      told.add(revision + String.join("", keys));
    }

    @Override
    public void lost(String reason) {
      told.add("lost: " + reason);
    }

    @Override
    public void whole(long epoch, long head) {
      told.add("whole " + head);
    }
  }

  @Test
  void eachWriteIsACommit() throws Exception {
    Commits commits = new Commits();
    try (MemoryStorage<String, String> storage = open("memory:")) {
      storage.commits(0, commits);
      storage.store("a", "1");
      Map<String, String> two = new LinkedHashMap<>();
      two.put("a", "2");
      two.put("b", "2");
      storage.storeAll(two);
      storage.storeAll(Map.of());
      storage.delete("a");
      assertThat(storage.commit(Map.of("a", Optional.of("4")), 3)).isEqualTo(4);
      storage.delete("a");
      storage.clear();
      storage.clear();
      assertThat(storage.head()).isEqualTo(6);
      assertThat(storage.size()).isZero();
      assertThat(storage.loadAt("a", 0)).isEqualTo(new Revision<>(null, 0, 1));
      assertThat(storage.loadAt("a", 1)).isEqualTo(new Revision<>("1", 1, 2));
      assertThat(storage.loadAt("a", 2)).isEqualTo(new Revision<>("2", 2, 3));
      assertThat(storage.loadAt("a", 3)).isEqualTo(new Revision<>(null, 3, 4));
      assertThat(storage.loadAt("a", 6)).isEqualTo(new Revision<>(null, 5, Revision.NO_NEXT));
      assertThat(storage.loadAt("b", 4)).isEqualTo(new Revision<>("2", 2, 6));
    }
    assertThat(commits.told)
        .containsExactly(
            "whole 0", "1a", "2ab", "3a", "4a", "5a", "6b", "lost: memory: was closed");
  }

  @Test
  void bothFeedsTellACommit() throws Exception {
    List<String> changed = new ArrayList<>();
    try (MemoryStorage<String, String> storage = open("memory:")) {
      storage.watch(
          new FeedListener<>() {
            @Override
            public void changed(long epoch, long sequence, Collection<? extends String> keys) {
              changed.addAll(keys);
            }

            @Override
            public void changedAll(long epoch, long sequence) {
              changed.add("all");
            }

            @Override
            public void lost(String reason) {}

            @Override
            public void whole(long epoch, long sequence) {}
          });
      storage.commit(Map.of("a", Optional.of("1")), 0);
      assertThatThrownBy(() -> storage.commit(Map.of("a", Optional.of("2")), 0))
          .isInstanceOf(ConflictException.class);
      storage.commit(Map.of(), 0);
      assertThat(changed).containsExactly("a");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3})
  void theHistoryIsAsLongAsSaid(int history) throws Exception {
    try (MemoryStorage<String, String> storage = open("memory:?history=" + history)) {
      for (int i = 1; i <= 10; i++) {
        storage.store("k", "v" + i);
      }
      int oldest = 10 - history;
      for (int at = oldest; at <= 10; at++) {
        assertThat(storage.loadAt("k", at).value()).isEqualTo("v" + at);
      }
      assertThatThrownBy(() -> storage.loadAt("k", oldest - 1))
          .isInstanceOf(SnapshotTooOldException.class)
          .hasMessageContaining("begins at revision " + oldest);
      assertThatThrownBy(() -> storage.commit(Map.of("x", Optional.of("1")), oldest - 1))
          .isInstanceOf(SnapshotTooOldException.class);
      assertThat(storage.loadAt("never", 10))
          .isEqualTo(new Revision<>(null, oldest, Revision.NO_NEXT));
      Commits lacking = new Commits();
      storage.commits(oldest - 1, lacking).close();
      Commits complete = new Commits();
      storage.commits(oldest, complete).close();
      assertThat(lacking.told).hasSize(2).last().isEqualTo("whole 10");
      assertThat(complete.told).hasSize(1 + history).first().isEqualTo("whole " + oldest);
      assertThat(storage.commit(Map.of("x", Optional.of("1")), oldest)).isEqualTo(11);
    }
  }

  @Test
  void aForgottenDeletionLeavesNothingBehind() throws Exception {
    MemoryRevisions revisions = new MemoryRevisions(2);
    revisions.commit(Map.of("a", "1", "b", "1"), MemoryRevisions.BLIND);
    Map<Object, Object> deletion = new LinkedHashMap<>();
    deletion.put("a", null);
    revisions.commit(deletion, MemoryRevisions.BLIND);
    assertThat(revisions.at("a", 2)).isEqualTo(new Revision<>(null, 2, Revision.NO_NEXT));
    revisions.commit(Map.of("c", "3"), MemoryRevisions.BLIND);
    revisions.commit(Map.of("c", "4"), MemoryRevisions.BLIND);
    // Only the oldest revision that is left is known of it now.
    assertThat(revisions.at("a", 4)).isEqualTo(new Revision<>(null, 2, Revision.NO_NEXT));
    revisions.commit(Map.of("c", "5"), MemoryRevisions.BLIND);
    assertThat(revisions.at("a", 4)).isEqualTo(new Revision<>(null, 3, Revision.NO_NEXT));
    assertThat(revisions.at("b", 5)).isEqualTo(new Revision<>("1", 1, Revision.NO_NEXT));
    revisions.commit(Map.of("a", "6"), MemoryRevisions.BLIND);
    assertThat(revisions.at("a", 5)).isEqualTo(new Revision<>(null, 4, 6));
    assertThat(revisions.at("a", 6)).isEqualTo(new Revision<>("6", 6, Revision.NO_NEXT));
  }

  /** A key whose comparison fails when it is told to. */
  private static final class Odd {
    static boolean failing;

    @Override
    public boolean equals(Object other) {
      if (failing) {
        throw new IllegalStateException("odd");
      }
      return other instanceof Odd;
    }

    @Override
    public int hashCode() {
      return 1;
    }
  }

  @Test
  void aKeyThatCannotBeComparedFailsTheWholeCommit() throws Exception {
    try (MemoryStorage<Object, String> storage = MemoryStorage.create()) {
      storage.store(new Odd(), "1");
      Map<Object, Optional<String>> changes = new LinkedHashMap<>();
      changes.put("fine", Optional.of("2"));
      changes.put(new Odd(), Optional.of("2"));
      Odd.failing = true;
      try {
        assertThatThrownBy(() -> storage.commit(changes, 1)).hasMessage("odd");
      } finally {
        Odd.failing = false;
      }
      assertThat(storage.head()).isEqualTo(1);
      storage.store("other", "3");
      assertThat(storage.load("fine")).isNull();
      assertThat(storage.load(new Odd())).isEqualTo("1");
      assertThat(storage.size()).isEqualTo(2);
    }
  }

  @Test
  void usersOfOneNameShareRevisionsAndCommits() throws Exception {
    Commits commits = new Commits();
    MemoryStorage<String, String> watched = open("memory:revisions?history=5");
    try (MemoryStorage<String, String> other = open("memory:revisions")) {
      watched.commits(0, commits);
      other.store("a", "1");
      assertThat(watched.loadAt("a", 1).value()).isEqualTo("1");
      assertThatThrownBy(() -> watched.commit(Map.of("a", Optional.empty()), 0))
          .isInstanceOf(ConflictException.class)
          .hasMessageContaining("others changed a after revision 0");
      assertThatThrownBy(() -> open("memory:revisions?history=6"))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("it is open with history=5");
      open("memory:revisions?history=5").close();
      watched.close();
      other.store("a", "2");
    }
    assertThat(commits.told).containsExactly("whole 0", "1a", "lost: memory:revisions was closed");
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "many", "3000000000"})
  void aBadHistoryIsRefused(String history) {
    assertThatThrownBy(() -> open("memory:?history=" + history))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("history is '" + history + "': give a number of commits from 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MemoryStorage.create(-2))
        .withMessageContaining("history is -2");
  }
}
