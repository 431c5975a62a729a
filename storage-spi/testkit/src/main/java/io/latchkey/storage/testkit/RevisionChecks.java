package io.latchkey.storage.testkit;

import static io.latchkey.storage.testkit.RevisionWriter.NONE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.storage.Revision;
import io.latchkey.storage.RevisionStorage;
import io.latchkey.storage.StorageException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** What reads as of a revision answer. */
final class RevisionChecks<K, V> {
  private static final int KEYS = 10;

  private final RevisionContract<K, V> contract;

  RevisionChecks(RevisionContract<K, V> contract) {
    this.contract = contract;
  }

  /** What a test does with an open storage. */
  interface Check<K, V> {
    void run(RevisionStorage<K, V> storage, RevisionWriter<K, V> writer) throws Exception;
  }

  static <K, V> void add(
      CheckList<K, V> checks, RevisionContract<K, V> contract, String rule, Check<K, V> check) {
    checks.add(
        rule,
        storage -> {
          RevisionStorage<K, V> revisions = (RevisionStorage<K, V>) storage;
          check.run(revisions, new RevisionWriter<>(contract, revisions));
        });
  }

  CheckList<K, V> checks() {
    CheckList<K, V> checks = new CheckList<>(contract);
    add(checks, contract, "loadAt: the object as of each revision", this::eachRevision);
    add(checks, contract, "loadAt: absent before the first commit of the key", this::before);
    add(checks, contract, "loadAt: absent when it was never written", this::never);
    add(checks, contract, "loadAt: absent between deletion and re-creation", this::recreation);
    add(checks, contract, "loadAt: the next serial is told or unknown, never wrong", this::next);
    add(checks, contract, "loadAt: a revision in the future is a retryable failure", this::future);
    add(checks, contract, "loadAt: a negative revision or a null key is refused", this::bad);
    add(checks, contract, "load: reads the head", this::readsTheHead);
    add(checks, contract, "loadAllAt: one revision for each key, absent ones too", this::bulk);
    add(checks, contract, "loadAt: random commits, against plain maps", this::model);
    add(checks, contract, "loadAt: a revision stays while others commit", this::stays);
    return checks;
  }

  private void eachRevision(RevisionStorage<K, V> storage, RevisionWriter<K, V> writer)
      throws Exception {
    long first = writer.commit(0, 1);
    long other = writer.commit(1, 5);
    long second = writer.commit(0, 2);
    writer.assertHolds(0, first, 1, first, second);
    writer.assertHolds(0, other, 1, first, second);
    writer.assertHolds(1, other, 5, other, Revision.NO_NEXT);
    writer.assertHolds(0, second, 2, second, Revision.NO_NEXT);
    writer.assertHolds(1, second, 5, other, Revision.NO_NEXT);
  }

  private void before(RevisionStorage<K, V> storage, RevisionWriter<K, V> writer) throws Exception {
    long start = storage.head();
    long other = writer.commit(1, 1);
    long first = writer.commit(0, 1);
    for (long at : new long[] {start, other}) {
      Revision<V> found = storage.loadAt(contract.key(0), at);
      assertThat(found.isAbsent()).isTrue();
      writer.assertFits(found, at, first);
    }
  }

  private void never(RevisionStorage<K, V> storage, RevisionWriter<K, V> writer) throws Exception {
    long start = storage.head();
    long at = writer.commit(1, 1);
    Revision<V> found = storage.loadAt(contract.key(0), at);
    assertThat(found.value()).isNull();
    writer.assertFits(found, at, Revision.NO_NEXT);
    assertThat(found.serial()).as("no commit wrote it").isLessThanOrEqualTo(start);
  }

  private void recreation(RevisionStorage<K, V> storage, RevisionWriter<K, V> writer)
      throws Exception {
    long created = writer.commit(0, 1);
    long deleted = writer.commit(0, NONE);
    long between = writer.commit(1, 1);
    long recreated = writer.commit(0, 1);
    writer.assertHolds(0, created, 1, created, deleted);
    writer.assertHolds(0, deleted, NONE, deleted, recreated);
    writer.assertHolds(0, between, NONE, deleted, recreated);
    writer.assertHolds(0, recreated, 1, recreated, Revision.NO_NEXT);
    long again = writer.commit(0, NONE);
    writer.assertHolds(0, again, NONE, again, Revision.NO_NEXT);
    assertThat(storage.load(contract.key(0))).isNull();
  }

  private void next(RevisionStorage<K, V> storage, RevisionWriter<K, V> writer) throws Exception {
    long[] made = new long[6];
    for (int i = 0; i < made.length; i++) {
      made[i] = writer.commit(0, i);
      writer.commit(1, i);
      writer.assertHolds(0, made[i] + 1, i, made[i], Revision.NO_NEXT);
    }
    for (int i = 0; i + 1 < made.length; i++) {
      for (long at = made[i]; at < made[i + 1]; at++) {
        writer.assertHolds(0, at, i, made[i], made[i + 1]);
      }
    }
  }

  private void future(RevisionStorage<K, V> storage, RevisionWriter<K, V> writer) throws Exception {
    long head = writer.commit(0, 1);
    for (long at : new long[] {head + 1, head + 1_000_000, Long.MAX_VALUE}) {
      assertThatThrownBy(() -> storage.loadAt(contract.key(0), at))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining(Long.toString(at))
          .satisfies(e -> assertThat(((StorageException) e).retryable()).isTrue());
    }
    assertThat(writer.commit(0, 2)).isEqualTo(head + 1);
    writer.assertHolds(0, head + 1, 2, head + 1, Revision.NO_NEXT);
  }

  @SuppressWarnings("NullAway") // what is checked is the answer to a null
  private void bad(RevisionStorage<K, V> storage, RevisionWriter<K, V> writer) throws Exception {
    long head = writer.commit(0, 1);
    assertThatThrownBy(() -> storage.loadAt(contract.key(0), -1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> storage.loadAt(null, head)).isInstanceOf(NullPointerException.class);
  }

  private void readsTheHead(RevisionStorage<K, V> storage, RevisionWriter<K, V> writer)
      throws Exception {
    for (int i = 0; i < 20; i++) {
      long made = writer.commit(0, i);
      assertThat(storage.head()).isEqualTo(made);
      contract.assertSame(storage.load(contract.key(0)), contract.value(i));
    }
  }

  @SuppressWarnings("NullAway") // what is checked is the answer to a null
  private void bulk(RevisionStorage<K, V> storage, RevisionWriter<K, V> writer) throws Exception {
    long first = writer.commit(Map.of(0, 1, 1, 1), storage.head());
    long second = writer.commit(Map.of(1, 2, 2, 2), first);
    Set<K> keys = new LinkedHashSet<>(List.of(contract.key(0), contract.key(1), contract.key(2)));
    Map<K, Revision<V>> found = storage.loadAllAt(keys, first);
    assertThat(found.keySet()).isEqualTo(keys);
    for (K key : keys) {
      Revision<V> single = storage.loadAt(key, first);
      Revision<V> bulk = found.get(key);
      assertThat(bulk).isNotNull();
      assertThat(bulk.serial()).isEqualTo(single.serial());
      assertThat(bulk.answers(first)).isTrue();
      assertThat(bulk.isAbsent()).isEqualTo(single.isAbsent());
      if (single.value() != null) {
        contract.assertSame(bulk.value(), single.value());
      }
    }
    assertThat(storage.loadAllAt(Set.of(contract.key(2)), second)).hasSize(1);
    assertThat(storage.loadAllAt(Set.of(), second)).isEmpty();
    assertThatThrownBy(() -> storage.loadAllAt(null, second))
        .isInstanceOf(NullPointerException.class);
  }

  private void model(RevisionStorage<K, V> storage, RevisionWriter<K, V> writer) throws Exception {
    long seed = 20_240_607;
    Random random = new Random(seed);
    List<Map<Integer, Integer>> states = new ArrayList<>();
    states.add(Map.of());
    long start = storage.head();
    for (int i = 1; i <= 150; i++) {
      Map<Integer, Integer> changes = new HashMap<>();
      for (int j = random.nextInt(3); j >= 0; j--) {
        changes.put(random.nextInt(KEYS), random.nextInt(4) == 0 ? NONE : random.nextInt(1000));
      }
      assertThat(writer.commit(changes, storage.head())).isEqualTo(start + i);
      Map<Integer, Integer> state = new HashMap<>(states.get(i - 1));
      state.putAll(changes);
      state.values().removeIf(value -> value == NONE);
      states.add(state);
    }
    for (int i = 0; i < states.size(); i++) {
      for (int key = 0; key < KEYS; key++) {
        Revision<V> found = storage.loadAt(contract.key(key), start + i);
        assertThat(found.answers(start + i)).as("%s answers %d", found, start + i).isTrue();
        @Nullable Integer expected = states.get(i).get(key);
        if (expected == null) {
          assertThat(found.value()).as("seed %d, key %d as of %d", seed, key, i).isNull();
        } else {
          contract.assertSame(found.value(), contract.value(expected));
        }
      }
    }
  }

  private void stays(RevisionStorage<K, V> storage, RevisionWriter<K, V> writer) throws Exception {
    Map<Integer, Integer> all = new HashMap<>();
    for (int key = 0; key < KEYS; key++) {
      all.put(key, 7);
    }
    long at = writer.commit(all, storage.head());
    AtomicBoolean writing = new AtomicBoolean(true);
    Crew.start(
            2,
            thread -> {
              if (thread == 0) {
                for (int i = 0; i < 300; i++) {
                  writer.commit(i % KEYS, i % 2 == 0 ? i : NONE);
                }
                writing.set(false);
                return;
              }
              boolean last;
              do {
                last = !writing.get(); // so that there is a read after all commits
                for (int key = 0; key < KEYS; key++) {
                  Revision<V> found = storage.loadAt(contract.key(key), at);
                  assertThat(found.serial()).isEqualTo(at);
                  contract.assertSame(found.value(), contract.value(7));
                }
              } while (!last);
            })
        .join(contract.patience());
  }
}
