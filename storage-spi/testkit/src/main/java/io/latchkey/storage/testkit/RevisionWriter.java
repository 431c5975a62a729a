package io.latchkey.storage.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.storage.Revision;
import io.latchkey.storage.RevisionStorage;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Makes commits and compares revisions, with the numbers of a suite for keys and objects. */
final class RevisionWriter<K, V> {
  /** The number of an object that is not there. */
  static final int NONE = -1;

  private final RevisionContract<K, V> contract;
  private final RevisionStorage<K, V> storage;

  RevisionWriter(RevisionContract<K, V> contract, RevisionStorage<K, V> storage) {
    this.contract = contract;
    this.storage = storage;
  }

  Optional<V> change(int value) {
    return value == NONE ? Optional.empty() : Optional.of(contract.value(value));
  }

  /** Commits one change at the head. */
  long commit(int key, int value) throws Exception {
    return commit(Map.of(key, value), storage.head());
  }

  long commit(Map<Integer, Integer> numbers, long base) throws Exception {
    Map<K, Optional<V>> changes = new HashMap<>();
    numbers.forEach((key, value) -> changes.put(contract.key(key), change(value)));
    return storage.commit(changes, base);
  }

  /** The object is there, and was written by the commit of that revision. */
  void assertHolds(int key, long at, int value, long serial, long next) throws Exception {
    Revision<V> found = storage.loadAt(contract.key(key), at);
    assertFits(found, at, next);
    assertThat(found.serial()).as("serial of %s", found).isEqualTo(serial);
    if (value == NONE) {
      assertThat(found.value()).as("value as of %d", at).isNull();
    } else {
      contract.assertSame(found.value(), contract.value(value));
    }
  }

  void assertFits(Revision<V> found, long at, long next) {
    assertThat(found.answers(at)).as("%s answers for %d", found, at).isTrue();
    assertThat(found.nextSerial()).as("next of %s", found).isIn(next, Revision.NEXT_UNKNOWN);
  }
}
