package io.latchkey.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RevisionStorageTest {
  /**
   * Forgets every revision but the head, or that too, and makes a commit after it told its head, at
   * times. What the defaults under test have no reason to call fails the test.
   */
  private static final class Forgetful implements RevisionStorage<String, String> {
    int commitsBehindOurBack;
    boolean forgetsTheHead;
    long head = 1;
    final List<String> loaded = new ArrayList<>();

    @Override
    public Revision<String> loadAt(String key, long at) throws StorageException {
      if (at < head || forgetsTheHead) {
        throw new SnapshotTooOldException("forgetful", at, head);
      }
      loaded.add(key);
      return new Revision<>("as of " + at, at, Revision.NO_NEXT);
    }

    @Override
    public long head() {
      long told = head;
      if (commitsBehindOurBack > 0) {
        commitsBehindOurBack--;
        head++;
      }
      return told;
    }

    @Override
    public Subscription commits(long from, CommitListener<String> listener) {
      throw new AssertionError("a load has no reason to subscribe");
    }

    @Override
    public long commit(Map<String, Optional<String>> changes, long base) {
      throw new AssertionError("a load has no reason to commit");
    }
  }

  @Test
  void loadReadsTheHeadAlsoWhenItMoves() throws Exception {
    Forgetful storage = new Forgetful();
    assertThat(storage.load("k")).isEqualTo("as of 1");
    storage.commitsBehindOurBack = 3;
    assertThat(storage.load("k")).isEqualTo("as of 4");
  }

  @Test
  void loadFailsWhereTheHeadItselfIsForgotten() {
    Forgetful storage = new Forgetful();
    storage.forgetsTheHead = true;
    assertThatThrownBy(() -> storage.load("k")).isInstanceOf(SnapshotTooOldException.class);
  }

  @Test
  void loadAllAtLoadsEachKeyOnceInOrder() throws Exception {
    Forgetful storage = new Forgetful();
    Set<String> keys = new LinkedHashSet<>(List.of("c", "a", "b"));
    Map<String, Revision<String>> found = storage.loadAllAt(keys, 1);
    assertThat(found.keySet()).containsExactly("c", "a", "b");
    assertThat(found.values()).containsOnly(new Revision<>("as of 1", 1, Revision.NO_NEXT));
    assertThat(storage.loaded).containsExactly("c", "a", "b");
    assertThat(storage.loadAllAt(Set.of(), 1)).isEmpty();
    assertThatNullPointerException().isThrownBy(() -> storage.loadAllAt(null, 1));
  }

  @Test
  void aRevisionAnswersForItsRange() {
    Revision<String> closed = new Revision<>("v", 3, 6);
    assertThat(List.of(closed.answers(2), closed.answers(3), closed.answers(5), closed.answers(6)))
        .containsExactly(false, true, true, false);
    assertThat(new Revision<>("v", 3, Revision.NO_NEXT).answers(Long.MAX_VALUE - 1)).isTrue();
    assertThat(new Revision<>("v", 3, Revision.NEXT_UNKNOWN).answers(9)).isTrue();
    assertThat(new Revision<>("v", 3, Revision.NEXT_UNKNOWN).answers(2)).isFalse();
    assertThat(new Revision<>("v", -3, 5).answers(2)).isFalse();
    assertThat(new Revision<>("v", 3, 6).isAbsent()).isFalse();
    assertThat(new Revision<>(null, 3, 6).isAbsent()).isTrue();
  }

  @Test
  void aConflictNamesTheKeysAndNoCredentials() {
    ConflictException conflict =
        new ConflictException(
            "redis://me:secret@host/0", List.of("a", "redis://me:hidden@elsewhere"), 41);
    assertThat(conflict)
        .hasMessageContaining("a, redis://***@elsewhere")
        .hasMessageContaining("after revision 41")
        .hasMessageContaining("redis://***@host/0")
        .hasMessageNotContaining("secret")
        .hasMessageNotContaining("hidden");
    assertThat(conflict.keys()).containsExactly("a", "redis://me:hidden@elsewhere");
    assertThat(conflict.base()).isEqualTo(41);
    assertThat(conflict.retryable()).isFalse();
    assertThat(conflict.storage()).isEqualTo("redis://***@host/0");
  }

  @Test
  void aConflictOfManyOrLongKeysHasAShortMessage() {
    List<String> many =
        IntStream.range(0, 500).mapToObj(i -> "key" + i + "-".repeat(10_000)).toList();
    ConflictException conflict = new ConflictException("s", many, 1);
    assertThat(conflict.getMessage()).hasSizeLessThan(2_000).contains("key9-", "and 490 more");
    assertThat(conflict.getMessage()).doesNotContain("key10-");
    assertThat(conflict.keys()).isEqualTo(many);
  }

  @Test
  void aForgottenRevisionIsToldWithTheOldestOne() {
    SnapshotTooOldException tooOld = new SnapshotTooOldException("s://u:secret@h", 3, 10);
    assertThat(tooOld)
        .hasMessageContaining("revision 3 is older")
        .hasMessageContaining("begins at revision 10")
        .hasMessageNotContaining("secret");
    assertThat(tooOld.at()).isEqualTo(3);
    assertThat(tooOld.oldest()).isEqualTo(10);
    assertThat(tooOld.retryable()).isFalse();
  }
}
