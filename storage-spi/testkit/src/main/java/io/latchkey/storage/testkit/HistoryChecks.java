package io.latchkey.storage.testkit;

import static io.latchkey.storage.testkit.RevisionWriter.NONE;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.storage.ConflictException;
import io.latchkey.storage.Revision;
import io.latchkey.storage.RevisionStorage;
import io.latchkey.storage.SnapshotTooOldException;
import io.latchkey.storage.Subscription;
import io.latchkey.storage.testkit.CommitRecorder.Kind;
import java.util.Map;
import java.util.Set;

/** What a storage may forget, and what it must not, also over a close. */
final class HistoryChecks<K, V> {
  private static final int HISTORY = 3;

  private final RevisionContract<K, V> contract;

  HistoryChecks(RevisionContract<K, V> contract) {
    this.contract = contract;
  }

  CheckList<K, V> checks(boolean forgets, boolean reopens) {
    CheckList<K, V> checks = new CheckList<>(contract);
    RevisionChecks.add(checks, contract, "history: long enough for a snapshot", this::longEnough);
    if (forgets) {
      checks.addWhole("history: what is older is refused, the rest is read", this::forgets);
      checks.addWhole("history: a forgotten deletion stays a deletion", this::deletion);
      checks.addWhole("history: forgotten commits are told as a loss", this::tellsLoss);
      checks.addWhole("history: a base that is forgotten is refused", this::refusesBase);
    }
    if (reopens) {
      checks.addWhole("reopening: the head and the objects are as they were", this::reopens);
      checks.addWhole("reopening: numbers go on, conflicts are seen", this::goesOn);
      checks.addWhole("reopening: commits after it follow those before", this::resumes);
    }
    return checks;
  }

  private RevisionStorage<K, V> forgetful() throws Exception {
    return requireNonNull(
        contract.openWithHistory(HISTORY), "openWithHistory() returned null this time");
  }

  private RevisionStorage<K, V> again() throws Exception {
    return requireNonNull(contract.reopen(), "reopen() returned null this time");
  }

  private void longEnough(RevisionStorage<K, V> storage, RevisionWriter<K, V> writer)
      throws Exception {
    long first = writer.commit(0, 1);
    for (int i = 0; i < 100; i++) {
      writer.commit(i % 2, i);
    }
    writer.assertHolds(0, first, 1, first, first + 1);
  }

  private void forgets() throws Exception {
    try (RevisionStorage<K, V> storage = forgetful()) {
      RevisionWriter<K, V> writer = new RevisionWriter<>(contract, storage);
      long start = writer.commit(1, 5);
      for (int i = 0; i < 10; i++) {
        writer.commit(0, i);
      }
      long head = storage.head();
      for (int i = 0; i <= HISTORY; i++) {
        long at = head - i;
        writer.assertHolds(0, at, 9 - i, at, i == 0 ? Revision.NO_NEXT : at + 1);
        writer.assertHolds(1, at, 5, start, Revision.NO_NEXT);
      }
      assertThatThrownBy(() -> storage.loadAt(contract.key(0), start))
          .isInstanceOf(SnapshotTooOldException.class)
          .hasMessageContaining(Long.toString(start))
          .satisfies(
              e -> {
                SnapshotTooOldException tooOld = (SnapshotTooOldException) e;
                assertThat(tooOld.at()).isEqualTo(start);
                assertThat(tooOld.oldest()).isBetween(start + 1, head - HISTORY);
                assertThat(tooOld.retryable()).isFalse();
              });
      assertThatThrownBy(() -> storage.loadAllAt(Set.of(contract.key(1)), start))
          .isInstanceOf(SnapshotTooOldException.class);
      contract.assertSame(storage.load(contract.key(0)), contract.value(9));
    }
  }

  private void deletion() throws Exception {
    try (RevisionStorage<K, V> storage = forgetful()) {
      RevisionWriter<K, V> writer = new RevisionWriter<>(contract, storage);
      writer.commit(0, 1);
      long deleted = writer.commit(0, NONE);
      for (int i = 0; i < 10; i++) {
        writer.commit(1, i);
      }
      long head = storage.head();
      Revision<V> found = storage.loadAt(contract.key(0), head);
      assertThat(found.value()).isNull();
      assertThat(found.serial()).isBetween(deleted, head - HISTORY);
      writer.assertFits(found, head, Revision.NO_NEXT);
      long recreated = writer.commit(0, 2);
      assertThat(storage.loadAt(contract.key(0), head).value()).isNull();
      writer.assertHolds(0, recreated, 2, recreated, Revision.NO_NEXT);
    }
  }

  private void tellsLoss() throws Exception {
    try (RevisionStorage<K, V> storage = forgetful()) {
      RevisionWriter<K, V> writer = new RevisionWriter<>(contract, storage);
      long start = storage.head();
      // A feed may remember more commits than the storage revisions, but not for ever.
      for (int i = 0; i < 2000 && writer.commit(0, i) > 0; i++) {}
      CommitRecorder<K> recorder = new CommitRecorder<>(contract.patience());
      try (Subscription subscription = storage.commits(start, recorder)) {
        assertThat(subscription).isNotNull();
        recorder.awaitRevision(storage.head());
        long made = writer.commit(1, 1);
        recorder.awaitRevision(made);
        assertThat(recorder.events().get(0).kind()).isEqualTo(Kind.LOST);
        assertThat(recorder.commits().get(made)).containsExactly(contract.key(1));
      }
    }
  }

  private void refusesBase() throws Exception {
    try (RevisionStorage<K, V> storage = forgetful()) {
      RevisionWriter<K, V> writer = new RevisionWriter<>(contract, storage);
      long start = storage.head();
      for (int i = 0; i < 10; i++) {
        writer.commit(0, i);
      }
      long head = storage.head();
      assertThatThrownBy(() -> writer.commit(Map.of(1, 1), start))
          .isInstanceOf(SnapshotTooOldException.class);
      assertThatThrownBy(() -> writer.commit(Map.of(0, 1), head - HISTORY))
          .isInstanceOf(ConflictException.class);
      assertThat(storage.head()).isEqualTo(head);
      assertThat(writer.commit(Map.of(1, 1), head - HISTORY)).isEqualTo(head + 1);
    }
  }

  private void reopens() throws Exception {
    long head;
    try (RevisionStorage<K, V> storage = contract.open()) {
      RevisionWriter<K, V> writer = new RevisionWriter<>(contract, storage);
      writer.commit(Map.of(0, 1, 1, 1), storage.head());
      writer.commit(0, 2);
      head = writer.commit(1, NONE);
    }
    try (RevisionStorage<K, V> storage = again()) {
      assertThat(storage.head()).isEqualTo(head);
      RevisionWriter<K, V> writer = new RevisionWriter<>(contract, storage);
      writer.assertHolds(0, head, 2, head - 1, Revision.NO_NEXT);
      assertThat(storage.loadAt(contract.key(1), head).isAbsent()).isTrue();
      try {
        writer.assertHolds(0, head - 2, 1, head - 2, head - 1);
      } catch (SnapshotTooOldException e) {
        // A storage may keep its history in memory.
        assertThat(e.oldest()).isLessThanOrEqualTo(head);
      }
    }
  }

  private void goesOn() throws Exception {
    long head;
    try (RevisionStorage<K, V> storage = contract.open()) {
      RevisionWriter<K, V> writer = new RevisionWriter<>(contract, storage);
      writer.commit(0, 1);
      head = writer.commit(1, 1);
    }
    try (RevisionStorage<K, V> storage = again()) {
      RevisionWriter<K, V> writer = new RevisionWriter<>(contract, storage);
      long next = writer.commit(Map.of(0, 2), head);
      assertThat(next).isEqualTo(head + 1);
      assertThatThrownBy(() -> writer.commit(Map.of(0, 3), head))
          .isInstanceOf(ConflictException.class);
      writer.assertHolds(0, next, 2, next, Revision.NO_NEXT);
      writer.assertHolds(0, head, 1, head - 1, next);
    }
  }

  private void resumes() throws Exception {
    long head;
    try (RevisionStorage<K, V> storage = contract.open()) {
      RevisionWriter<K, V> writer = new RevisionWriter<>(contract, storage);
      writer.commit(0, 1);
      head = writer.commit(1, 1);
    }
    try (RevisionStorage<K, V> storage = again()) {
      RevisionWriter<K, V> writer = new RevisionWriter<>(contract, storage);
      CommitRecorder<K> recorder = new CommitRecorder<>(contract.patience());
      try (Subscription subscription = storage.commits(head - 1, recorder)) {
        assertThat(subscription).isNotNull();
        long made = writer.commit(2, 1);
        recorder.awaitRevision(made);
        assertThat(recorder.commits().get(made)).containsExactly(contract.key(2));
        boolean lost = recorder.count(Kind.LOST) > 0;
        assertThat(lost || recorder.commits().containsKey(head))
            .as("the commit before the close is told, or its loss")
            .isTrue();
      }
    }
  }
}
