package io.latchkey.storage.testkit;

import static io.latchkey.storage.testkit.RevisionWriter.NONE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.storage.ConflictException;
import io.latchkey.storage.Revision;
import io.latchkey.storage.RevisionStorage;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.Subscription;
import io.latchkey.storage.WritableStorage;
import io.latchkey.storage.testkit.CommitRecorder.Event;
import io.latchkey.storage.testkit.CommitRecorder.Kind;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** What the feed of commits tells. */
final class CommitFeedChecks<K, V> {
  private static final int THREADS = 4;
  private static final int EACH = 25;

  private final RevisionContract<K, V> contract;

  CommitFeedChecks(RevisionContract<K, V> contract) {
    this.contract = contract;
  }

  CheckList<K, V> checks(boolean writable) {
    CheckList<K, V> checks = new CheckList<>(contract);
    add(checks, "commits: whole is told first, then each commit", this::tells);
    add(checks, "commits: goes on after the revision asked for", this::resumes);
    add(checks, "commits: a revision in the future or below zero is refused", this::badFrom);
    add(checks, "commits: a conflict and an empty commit are not told", this::silent);
    add(checks, "commits: those of threads are told without holes", this::threads);
    add(checks, "commits: a late listener gets the same as an early one", this::late);
    add(checks, "commits: a commit can be read before it is told", this::visible);
    add(checks, "commits: a commit by a listener is told as well", this::nested);
    add(checks, "commits: a closed subscription is told nothing", this::closed);
    add(checks, "a commit listener that throws: others go on", this::othersGoOn);
    add(checks, "a commit listener that throws: lost, whole, nothing skipped", this::failing);
    if (writable) {
      add(checks, "commits: stores and deletes are told", this::writes);
    }
    if (contract.tellsOnTheWritingThread()) {
      add(checks, "in process: a commit is told before it returns", this::inside);
    }
    return checks;
  }

  private void add(CheckList<K, V> checks, String rule, RevisionChecks.Check<K, V> check) {
    RevisionChecks.add(checks, contract, rule, check);
  }

  private CommitRecorder<K> recorder() {
    return new CommitRecorder<>(contract.patience());
  }

  private static void keep(Subscription subscription) {
    assertThat(subscription).isNotNull();
  }

  private void tells(RevisionStorage<K, V> storage, RevisionWriter<K, V> writer) throws Exception {
    CommitRecorder<K> recorder = recorder();
    long start = storage.head();
    try (Subscription subscription = storage.commits(start, recorder)) {
      keep(subscription);
      recorder.awaitRevision(start);
      writer.commit(0, 1);
      writer.commit(Map.of(0, 2, 1, 2, 2, NONE), storage.head());
      writer.commit(0, NONE);
      recorder.awaitRevision(start + 3);
    }
    assertThat(recorder.events().get(0).kind()).isEqualTo(Kind.WHOLE);
    assertThat(recorder.events().get(0).revision()).isEqualTo(start);
    assertThat(recorder.commits())
        .isEqualTo(
            Map.of(
                start + 1, keys(0),
                start + 2, keys(0, 1, 2),
                start + 3, keys(0)));
  }

  private Set<K> keys(Integer... numbers) {
    return Set.copyOf(List.of(numbers).stream().map(contract::key).toList());
  }

  private void resumes(RevisionStorage<K, V> storage, RevisionWriter<K, V> writer)
      throws Exception {
    long first = writer.commit(0, 1);
    for (int i = 1; i < 6; i++) {
      writer.commit(i, i);
    }
    for (int i = 0; i < 6; i++) {
      CommitRecorder<K> recorder = recorder();
      try (Subscription subscription = storage.commits(first + i, recorder)) {
        keep(subscription);
        recorder.awaitRevision(first + 5);
        assertThat(recorder.count(Kind.LOST)).isZero();
        Map<Long, Set<K>> expected = new TreeMap<>();
        for (int j = i + 1; j < 6; j++) {
          expected.put(first + j, keys(j));
        }
        assertThat(recorder.commits()).isEqualTo(expected);
      }
    }
  }

  @SuppressWarnings("NullAway") // what is checked is the answer to a null
  private void badFrom(RevisionStorage<K, V> storage, RevisionWriter<K, V> writer)
      throws Exception {
    long head = writer.commit(0, 1);
    CommitRecorder<K> recorder = recorder();
    assertThatThrownBy(() -> storage.commits(-1, recorder))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> storage.commits(head, null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> storage.commits(head + 1, recorder))
        .isInstanceOf(StorageException.class)
        .satisfies(e -> assertThat(((StorageException) e).retryable()).isTrue());
    assertThat(recorder.events()).isEmpty();
  }

  private void silent(RevisionStorage<K, V> storage, RevisionWriter<K, V> writer) throws Exception {
    CommitRecorder<K> recorder = recorder();
    long start = storage.head();
    try (Subscription subscription = storage.commits(start, recorder)) {
      keep(subscription);
      writer.commit(0, 1);
      assertThatThrownBy(() -> writer.commit(Map.of(0, 2, 1, 2), start))
          .isInstanceOf(ConflictException.class);
      writer.commit(Map.of(), start);
      writer.commit(2, 1);
      recorder.awaitRevision(start + 2);
    }
    assertThat(recorder.commits()).isEqualTo(Map.of(start + 1, keys(0), start + 2, keys(2)));
  }

  /** Threads commit keys of their own; returns what they committed. */
  private Map<Long, Set<K>> race(RevisionWriter<K, V> writer) throws Exception {
    Map<Long, Set<K>> made = new ConcurrentSkipListMap<>();
    Crew.start(
            THREADS,
            thread -> {
              for (int i = 0; i < EACH; i++) {
                int key = thread * EACH + i;
                made.put(writer.commit(key, i), keys(key));
              }
            })
        .join(contract.patience());
    return made;
  }

  private void threads(RevisionStorage<K, V> storage, RevisionWriter<K, V> writer)
      throws Exception {
    CommitRecorder<K> recorder = recorder();
    try (Subscription subscription = storage.commits(storage.head(), recorder)) {
      keep(subscription);
      Map<Long, Set<K>> made = race(writer);
      recorder.awaitRevision(storage.head());
      assertThat(recorder.commits()).isEqualTo(made).hasSize(THREADS * EACH);
      assertThat(recorder.count(Kind.LOST)).isZero();
    }
  }

  private void late(RevisionStorage<K, V> storage, RevisionWriter<K, V> writer) throws Exception {
    long start = storage.head();
    CommitRecorder<K> early = recorder();
    CommitRecorder<K> late = recorder();
    try (Subscription first = storage.commits(start, early)) {
      keep(first);
      AtomicBoolean subscribed = new AtomicBoolean();
      Crew.start(
              2,
              thread -> {
                if (thread == 0) {
                  race(writer);
                } else {
                  keep(storage.commits(start, late));
                  subscribed.set(true);
                }
              })
          .join(contract.patience());
      assertThat(subscribed).isTrue();
      early.awaitRevision(storage.head());
      late.awaitRevision(storage.head());
      assertThat(late.commits()).isEqualTo(early.commits()).hasSize(THREADS * EACH);
    }
  }

  private void visible(RevisionStorage<K, V> storage, RevisionWriter<K, V> writer)
      throws Exception {
    CommitRecorder<K> reading =
        new CommitRecorder<>(contract.patience()) {
          @Override
          protected void react(Event<K> event) {
            for (K key : event.keys()) {
              try {
                assertThat(storage.head()).isGreaterThanOrEqualTo(event.revision());
                Revision<V> found = storage.loadAt(key, event.revision());
                assertThat(found.serial()).isEqualTo(event.revision());
              } catch (Exception e) {
                throw new AssertionError(e);
              }
            }
          }
        };
    try (Subscription subscription = storage.commits(storage.head(), reading)) {
      keep(subscription);
      race(writer);
      reading.awaitRevision(storage.head());
      assertThat(reading.count(Kind.LOST)).as("what the listener found wrong").isZero();
    }
  }

  private void nested(RevisionStorage<K, V> storage, RevisionWriter<K, V> writer) throws Exception {
    long start = storage.head();
    CommitRecorder<K> other = recorder();
    CommitRecorder<K> committing =
        new CommitRecorder<>(contract.patience()) {
          @Override
          protected void react(Event<K> event) {
            if (event.kind() == Kind.COMMITTED && event.revision() == start + 1) {
              try {
                writer.commit(1, 1);
              } catch (Exception e) {
                throw new AssertionError(e);
              }
            }
          }
        };
    try (Subscription first = storage.commits(start, committing);
        Subscription second = storage.commits(start, other)) {
      keep(first);
      keep(second);
      writer.commit(0, 1);
      committing.awaitRevision(start + 2);
      other.awaitRevision(start + 2);
      assertThat(other.commits()).isEqualTo(Map.of(start + 1, keys(0), start + 2, keys(1)));
    }
  }

  private void closed(RevisionStorage<K, V> storage, RevisionWriter<K, V> writer) throws Exception {
    long start = storage.head();
    CommitRecorder<K> ended = recorder();
    CommitRecorder<K> open = recorder();
    Subscription subscription = storage.commits(start, ended);
    try (Subscription other = storage.commits(start, open)) {
      keep(other);
      ended.awaitRevision(start);
      subscription.close();
      subscription.close();
      open.awaitRevision(writer.commit(0, 1));
      assertThat(ended.count(Kind.COMMITTED)).isZero();
    }
  }

  /** Thrown by a listener; without a trace, because storages log it and nothing is wrong. */
  private static final class OnPurpose extends RuntimeException {
    private static final long serialVersionUID = 1L;

    OnPurpose() {
      super("the contract suite lets a listener fail, to see what happens", null, false, false);
    }
  }

  /** Throws at the first commit. */
  private CommitRecorder<K> throwing() {
    AtomicBoolean once = new AtomicBoolean();
    return new CommitRecorder<>(contract.patience()) {
      @Override
      protected void react(Event<K> event) {
        if (event.kind() == Kind.COMMITTED && once.compareAndSet(false, true)) {
          throw new OnPurpose();
        }
      }
    };
  }

  private void othersGoOn(RevisionStorage<K, V> storage, RevisionWriter<K, V> writer)
      throws Exception {
    long start = storage.head();
    CommitRecorder<K> before = recorder();
    CommitRecorder<K> after = recorder();
    try (Subscription first = storage.commits(start, before);
        Subscription failing = storage.commits(start, throwing());
        Subscription last = storage.commits(start, after)) {
      keep(first);
      keep(failing);
      keep(last);
      for (int i = 1; i <= 5; i++) {
        assertThat(writer.commit(i, i)).isEqualTo(start + i);
      }
      for (CommitRecorder<K> recorder : List.of(before, after)) {
        recorder.awaitRevision(start + 5);
        assertThat(recorder.count(Kind.LOST)).isZero();
        assertThat(recorder.commits()).hasSize(5);
      }
    }
  }

  private void failing(RevisionStorage<K, V> storage, RevisionWriter<K, V> writer)
      throws Exception {
    long start = storage.head();
    CommitRecorder<K> failing = throwing();
    try (Subscription subscription = storage.commits(start, failing)) {
      keep(subscription);
      for (int i = 1; i <= 4; i++) {
        writer.commit(i, i);
      }
      failing.awaitRevision(start + 4);
      failing.await("lost and then whole", events -> wholeAfterLost(events) > 0);
      List<Event<K>> events = failing.events();
      // It says from where it is complete, and nothing of that is missing.
      long complete = events.get(wholeAfterLost(events)).revision();
      assertThat(complete).isBetween(start, start + 4);
      for (long revision = complete + 1; revision <= start + 4; revision++) {
        int key = (int) (revision - start);
        assertThat(events.subList(wholeAfterLost(events), events.size()))
            .as("revision %d, after whole for %d", revision, complete)
            .anyMatch(event -> event.keys().equals(List.of(contract.key(key))));
      }
    }
  }

  private static <K> int wholeAfterLost(List<Event<K>> events) {
    List<Kind> kinds = events.stream().map(Event::kind).toList();
    int lost = kinds.indexOf(Kind.LOST);
    int whole = lost < 0 ? -1 : kinds.subList(lost, kinds.size()).indexOf(Kind.WHOLE);
    return whole < 0 ? -1 : lost + whole;
  }

  private void writes(RevisionStorage<K, V> storage, RevisionWriter<K, V> writer) throws Exception {
    WritableStorage<K, V> writable = (WritableStorage<K, V>) storage;
    long start = storage.head();
    CommitRecorder<K> recorder = recorder();
    try (Subscription subscription = storage.commits(start, recorder)) {
      keep(subscription);
      writable.store(contract.key(0), contract.value(1));
      writer.commit(1, 1);
      writable.delete(contract.key(0));
      writable.storeAll(Map.of(contract.key(2), contract.value(2)));
      recorder.awaitRevision(start + 4);
    }
    assertThat(recorder.commits().values()).containsExactly(keys(0), keys(1), keys(0), keys(2));
  }

  private void inside(RevisionStorage<K, V> storage, RevisionWriter<K, V> writer) throws Exception {
    CommitRecorder<K> recorder = recorder();
    try (Subscription subscription = storage.commits(storage.head(), recorder)) {
      keep(subscription);
      assertThat(recorder.count(Kind.WHOLE)).isEqualTo(1);
      for (int i = 0; i < 5; i++) {
        long made = writer.commit(0, i);
        assertThat(recorder.commits()).containsKey(made);
      }
    }
  }
}
