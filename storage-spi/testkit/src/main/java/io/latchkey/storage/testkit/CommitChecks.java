package io.latchkey.storage.testkit;

import static io.latchkey.storage.testkit.RevisionWriter.NONE;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.latchkey.storage.ConflictException;
import io.latchkey.storage.Revision;
import io.latchkey.storage.RevisionStorage;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.WritableStorage;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** What commits change, and when they must not. */
final class CommitChecks<K, V> {
  private static final int WRITERS = 4;
  private static final int KEYS = 10;
  private static final int EACH = 40;

  private final RevisionContract<K, V> contract;

  CommitChecks(RevisionContract<K, V> contract) {
    this.contract = contract;
  }

  CheckList<K, V> checks(boolean writable) {
    CheckList<K, V> checks = new CheckList<>(contract);
    add(checks, "commit: makes the revision after the head", this::numbers);
    add(checks, "commit: stores and deletes all together", this::together);
    add(checks, "commit: an empty one makes no revision", this::empty);
    add(checks, "commit: nulls are refused and nothing is changed", this::nulls);
    add(checks, "commit: a base in the future or below zero is refused", this::badBase);
    add(checks, "conflict: of two commits on one base the second fails", this::conflict);
    add(checks, "conflict: a deletion and a creation count", this::deletionsCount);
    add(checks, "conflict: all of the keys are named, and no others", this::namesKeys);
    add(checks, "no conflict: other keys, or a base that has the change", this::noConflict);
    add(checks, "threads: no commit is based on what it did not see", this::serializable);
    add(checks, "threads: a reader sees all of a commit or nothing", this::atomic);
    if (writable) {
      add(checks, "writes: each is a commit, and conflicts with a commit", this::writesAreCommits);
    }
    if (contract.failsWhenClosed()) {
      add(checks, "after close: calls fail and say so", this::closed);
    }
    return checks;
  }

  private void add(CheckList<K, V> checks, String rule, RevisionChecks.Check<K, V> check) {
    RevisionChecks.add(checks, contract, rule, check);
  }

  private void numbers(RevisionStorage<K, V> storage, RevisionWriter<K, V> writer)
      throws Exception {
    long start = storage.head();
    for (int i = 1; i <= 20; i++) {
      assertThat(writer.commit(i % 3, i % 5 == 0 ? NONE : i)).isEqualTo(start + i);
      assertThat(storage.head()).isEqualTo(start + i);
    }
  }

  private void together(RevisionStorage<K, V> storage, RevisionWriter<K, V> writer)
      throws Exception {
    long first = writer.commit(Map.of(0, 10, 1, 11), storage.head());
    long second = writer.commit(Map.of(0, 20, 1, NONE, 2, 22, 3, NONE), first);
    writer.assertHolds(0, first, 10, first, second);
    writer.assertHolds(1, first, 11, first, second);
    writer.assertHolds(0, second, 20, second, Revision.NO_NEXT);
    writer.assertHolds(1, second, NONE, second, Revision.NO_NEXT);
    writer.assertHolds(2, second, 22, second, Revision.NO_NEXT);
    assertThat(storage.loadAt(contract.key(3), second).isAbsent()).isTrue();
  }

  private void empty(RevisionStorage<K, V> storage, RevisionWriter<K, V> writer) throws Exception {
    long start = storage.head();
    assertThat(writer.commit(Map.of(), start)).isEqualTo(start);
    long head = writer.commit(0, 1);
    assertThat(writer.commit(Map.of(), start)).isEqualTo(head);
    assertThat(storage.head()).isEqualTo(head);
  }

  @SuppressWarnings("NullAway") // what is checked is the answer to a null
  private void nulls(RevisionStorage<K, V> storage, RevisionWriter<K, V> writer) throws Exception {
    long head = writer.commit(0, 1);
    Map<K, Optional<V>> nullKey = new HashMap<>();
    nullKey.put(contract.key(1), writer.change(1));
    nullKey.put(null, writer.change(1));
    Map<K, Optional<V>> nullValue = new HashMap<>();
    nullValue.put(contract.key(1), writer.change(1));
    nullValue.put(contract.key(2), null);
    assertRefused(() -> storage.commit(null, head), NullPointerException.class);
    assertRefused(() -> storage.commit(nullKey, head), NullPointerException.class);
    assertRefused(() -> storage.commit(nullValue, head), NullPointerException.class);
    assertThat(storage.head()).isEqualTo(head);
    assertThat(storage.load(contract.key(1))).isNull();
  }

  private static void assertRefused(ThrowingCallable call, Class<? extends Exception> type) {
    assertThatThrownBy(call).isInstanceOf(type);
  }

  private void badBase(RevisionStorage<K, V> storage, RevisionWriter<K, V> writer)
      throws Exception {
    long head = writer.commit(0, 1);
    assertRefused(() -> writer.commit(Map.of(1, 1), -1), IllegalArgumentException.class);
    assertThatThrownBy(() -> writer.commit(Map.of(1, 1), head + 1))
        .isInstanceOf(StorageException.class)
        .isNotInstanceOf(ConflictException.class)
        .hasMessageContaining(Long.toString(head + 1))
        .satisfies(e -> assertThat(((StorageException) e).retryable()).isTrue());
    assertThat(storage.head()).isEqualTo(head);
    assertThat(storage.load(contract.key(1))).isNull();
  }

  private void assertConflict(
      RevisionStorage<K, V> storage,
      RevisionWriter<K, V> writer,
      Map<Integer, Integer> changes,
      long base,
      Integer... keys)
      throws Exception {
    long head = storage.head();
    ConflictException conflict =
        catchThrowableOfType(ConflictException.class, () -> writer.commit(changes, base));
    assertThat(conflict).as("the conflict of %s after %d", changes, base).isNotNull();
    Object[] expected = List.of(keys).stream().map(contract::key).toArray();
    assertThat(conflict.keys()).containsExactlyInAnyOrder(expected);
    assertThat(conflict.base()).isEqualTo(base);
    assertThat(conflict.retryable()).isFalse();
    assertThat(conflict).hasMessageContaining(conflict.storage());
    assertThat(storage.head()).as("head after the conflict").isEqualTo(head);
  }

  private void conflict(RevisionStorage<K, V> storage, RevisionWriter<K, V> writer)
      throws Exception {
    long base = writer.commit(Map.of(0, 1, 1, 1), storage.head());
    long won = writer.commit(Map.of(0, 2), base);
    assertConflict(storage, writer, Map.of(0, 3, 1, 3, 2, 3), base, 0);
    writer.assertHolds(0, won, 2, won, Revision.NO_NEXT);
    writer.assertHolds(1, won, 1, base, Revision.NO_NEXT);
    assertThat(storage.load(contract.key(2))).isNull();
    // On a base that has the change it goes.
    long repeated = writer.commit(Map.of(0, 3, 1, 3), won);
    writer.assertHolds(0, repeated, 3, repeated, Revision.NO_NEXT);
  }

  private void deletionsCount(RevisionStorage<K, V> storage, RevisionWriter<K, V> writer)
      throws Exception {
    long start = storage.head();
    long created = writer.commit(0, 1);
    assertConflict(storage, writer, Map.of(0, 2), start, 0);
    long deleted = writer.commit(0, NONE);
    assertConflict(storage, writer, Map.of(0, 2), created, 0);
    assertConflict(storage, writer, Map.of(0, 2), start, 0);
    assertConflict(storage, writer, Map.of(0, NONE), created, 0);
    assertThat(writer.commit(Map.of(0, 2), deleted)).isEqualTo(deleted + 1);
  }

  private void namesKeys(RevisionStorage<K, V> storage, RevisionWriter<K, V> writer)
      throws Exception {
    long base = writer.commit(Map.of(0, 1, 1, 1, 2, 1, 3, 1), storage.head());
    writer.commit(0, 2);
    writer.commit(Map.of(2, 2, 4, 2), storage.head());
    assertConflict(storage, writer, Map.of(0, 3, 1, 3, 2, 3, 3, 3), base, 0, 2);
  }

  private void noConflict(RevisionStorage<K, V> storage, RevisionWriter<K, V> writer)
      throws Exception {
    long start = storage.head();
    long first = writer.commit(Map.of(0, 1), start);
    long second = writer.commit(Map.of(1, 1), start);
    assertThat(second).isEqualTo(first + 1);
    long third = writer.commit(Map.of(0, 2), first);
    writer.assertHolds(0, third, 2, third, Revision.NO_NEXT);
    writer.assertHolds(1, third, 1, second, Revision.NO_NEXT);
  }

  /** A commit that was made, and the revision that it was based on. */
  private record Made(long base, Map<Integer, Integer> changes) {}

  private void serializable(RevisionStorage<K, V> storage, RevisionWriter<K, V> writer)
      throws Exception {
    long seed = 4711;
    long start = storage.head();
    Map<Long, Made> made = new ConcurrentSkipListMap<>();
    Crew.start(
            WRITERS,
            thread -> {
              Random random = new Random(seed + thread);
              for (int done = 0; done < EACH; ) {
                long base = storage.head();
                Map<Integer, Integer> changes = new HashMap<>();
                for (int i = random.nextInt(3); i >= 0; i--) {
                  changes.put(random.nextInt(KEYS), random.nextInt(5) == 0 ? NONE : done);
                }
                try {
                  long revision = writer.commit(changes, base);
                  assertThat(made.put(revision, new Made(base, changes))).isNull();
                  done++;
                } catch (ConflictException e) {
                  // Another thread was faster; the loop decides anew at the new head.
                  assertThat(e.base()).isEqualTo(base);
                }
              }
            })
        .join(contract.patience());
    assertThat(storage.head()).isEqualTo(start + WRITERS * EACH);
    Map<Integer, Long> last = new HashMap<>();
    Map<Integer, Integer> state = new TreeMap<>();
    long expected = start;
    for (Map.Entry<Long, Made> one : made.entrySet()) {
      long revision = one.getKey();
      Made commit = one.getValue();
      assertThat(revision).as("revisions have no holes").isEqualTo(++expected);
      for (Integer key : commit.changes.keySet()) {
        assertThat(last.getOrDefault(key, start))
            .as("seed %d: what %d changed in key %d, based on %d", seed, revision, key, commit.base)
            .isLessThanOrEqualTo(commit.base);
        last.put(key, revision);
      }
      state.putAll(commit.changes);
    }
    for (Map.Entry<Integer, Integer> entry : state.entrySet()) {
      long serial = last.getOrDefault(entry.getKey(), start);
      writer.assertHolds(entry.getKey(), expected, entry.getValue(), serial, Revision.NO_NEXT);
    }
  }

  private Map<Integer, Integer> allEqual(int value) {
    Map<Integer, Integer> changes = new HashMap<>();
    for (int key = 0; key < KEYS; key++) {
      changes.put(key, value);
    }
    return changes;
  }

  private void atomic(RevisionStorage<K, V> storage, RevisionWriter<K, V> writer) throws Exception {
    writer.commit(allEqual(0), storage.head());
    AtomicInteger writing = new AtomicInteger(2);
    Set<K> keys = new HashSet<>();
    for (int key = 0; key < KEYS; key++) {
      keys.add(contract.key(key));
    }
    Crew.start(
            4,
            thread -> {
              if (thread < 2) {
                for (int done = 0; done < 2 * EACH; ) {
                  try {
                    writer.commit(allEqual(2 * done + thread), storage.head());
                    done++;
                  } catch (ConflictException e) {
                    assertThat(e.keys()).hasSize(KEYS);
                  }
                }
                writing.decrementAndGet();
              }
              boolean last = thread < 2;
              while (!last) {
                last = writing.get() == 0; // so that there is a read after all commits
                long at = storage.head();
                Set<Long> serials = new HashSet<>();
                V same = requireNonNull(storage.loadAt(contract.key(0), at).value(), "object");
                for (Revision<V> found : storage.loadAllAt(keys, at).values()) {
                  serials.add(found.serial());
                  contract.assertSame(found.value(), same);
                }
                assertThat(serials).as("serials as of %d", at).containsExactly(at);
              }
            })
        .join(contract.patience());
  }

  private void writesAreCommits(RevisionStorage<K, V> storage, RevisionWriter<K, V> writer)
      throws Exception {
    WritableStorage<K, V> writable = (WritableStorage<K, V>) storage;
    long start = storage.head();
    writable.store(contract.key(0), contract.value(1));
    long stored = storage.head();
    assertThat(stored).isEqualTo(start + 1);
    writer.assertHolds(0, stored, 1, stored, Revision.NO_NEXT);
    assertConflict(storage, writer, Map.of(0, 2), start, 0);
    writable.delete(contract.key(0));
    assertThat(storage.head()).isEqualTo(stored + 1);
    writer.assertHolds(0, stored, 1, stored, stored + 1);
    writer.assertHolds(0, stored + 1, NONE, stored + 1, Revision.NO_NEXT);
    assertConflict(storage, writer, Map.of(0, 2), stored, 0);
    writable.storeAll(
        Map.of(contract.key(0), contract.value(3), contract.key(1), contract.value(3)));
    assertThat(storage.loadAt(contract.key(1), stored + 1).isAbsent()).isTrue();
    assertConflict(storage, writer, Map.of(1, 2), stored + 1, 1);
    writable.storeAll(Collections.emptyMap());
  }

  private void closed(RevisionStorage<K, V> storage, RevisionWriter<K, V> writer) throws Exception {
    long head = writer.commit(0, 1);
    storage.close();
    List<ThrowingCallable> calls =
        List.of(
            storage::head,
            () -> storage.loadAt(contract.key(0), head),
            () -> storage.loadAllAt(Set.of(contract.key(0)), head),
            () -> writer.commit(Map.of(0, 2), head),
            () -> storage.commits(head, new CommitRecorder<>(contract.patience())));
    for (ThrowingCallable call : calls) {
      assertThatThrownBy(call)
          .isInstanceOf(StorageException.class)
          .hasMessageContaining(storage.name())
          .hasMessageContaining("closed");
    }
  }
}
