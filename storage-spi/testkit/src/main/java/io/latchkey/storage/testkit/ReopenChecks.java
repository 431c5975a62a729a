package io.latchkey.storage.testkit;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.latchkey.storage.Storage;
import io.latchkey.storage.Subscription;
import io.latchkey.storage.WatchableStorage;
import io.latchkey.storage.WritableStorage;
import java.util.List;

/** What storages whose objects outlive a close keep. */
final class ReopenChecks<K, V> {
  private final StorageContract<K, V> contract;

  ReopenChecks(StorageContract<K, V> contract) {
    this.contract = contract;
  }

  CheckList<K, V> checks() {
    CheckList<K, V> checks = new CheckList<>(contract);
    checks.addWhole("objects are there after close and reopening", this::objectsStay);
    checks.addWhole("deleted objects stay away after reopening", this::deletedStayAway);
    checks.addWhole("odd keys and objects are there after reopening", this::oddOnesStay);
    checks.addWhole("a reopened storage has a new epoch or goes on in the old", this::epochs);
    return checks;
  }

  private Storage<K, V> again() throws Exception {
    return requireNonNull(contract.reopen(), "reopen() returned null this time");
  }

  private void objectsStay() throws Exception {
    for (int round = 0; round < 3; round++) {
      try (Storage<K, V> storage = round == 0 ? contract.open() : again()) {
        for (int i = 0; i < round * 50; i++) {
          contract.assertSame(storage.load(contract.key(i)), contract.value(i));
        }
        for (int i = round * 50; i < round * 50 + 50; i++) {
          contract.put(storage, contract.key(i), contract.value(i));
        }
      }
    }
  }

  private void deletedStayAway() throws Exception {
    try (Storage<K, V> storage = contract.open()) {
      contract.put(storage, contract.key(0), contract.value(0));
      contract.put(storage, contract.key(1), contract.value(1));
      if (storage instanceof WritableStorage<K, V> writable) {
        writable.delete(contract.key(0));
      }
    }
    try (Storage<K, V> storage = again()) {
      if (storage instanceof WritableStorage) {
        assertThat(storage.load(contract.key(0))).isNull();
      }
      contract.assertSame(storage.load(contract.key(1)), contract.value(1));
    }
  }

  private void oddOnesStay() throws Exception {
    List<K> keys = contract.oddKeys();
    List<V> values = contract.oddValues();
    try (Storage<K, V> storage = contract.open()) {
      for (int i = 0; i < keys.size(); i++) {
        contract.put(storage, keys.get(i), contract.value(i));
      }
      for (int i = 0; i < values.size(); i++) {
        contract.put(storage, contract.key(i), values.get(i));
      }
    }
    try (Storage<K, V> storage = again()) {
      for (int i = 0; i < keys.size(); i++) {
        contract.assertSame(storage.load(keys.get(i)), contract.value(i));
      }
      for (int i = 0; i < values.size(); i++) {
        contract.assertSame(storage.load(contract.key(i)), values.get(i));
      }
    }
  }

  private void epochs() throws Exception {
    long[] epoch = new long[2];
    long[] sequence = new long[2];
    for (int round = 0; round < 2; round++) {
      try (Storage<K, V> storage = round == 0 ? contract.open() : again()) {
        if (!(storage instanceof WatchableStorage<K, V> watchable)
            || !(storage instanceof WritableStorage<K, V> writable)) {
          return;
        }
        FeedRecorder<K> recorder = new FeedRecorder<>(contract.patience());
        try (Subscription subscription = watchable.watch(recorder)) {
          assertThat(subscription).isNotNull();
          recorder.awaitWhole();
          writable.store(contract.key(0), contract.value(round));
          recorder.awaitChanged(contract.key(0));
          epoch[round] = recorder.epoch();
          sequence[round] = recorder.sequence();
        }
      }
    }
    if (epoch[0] == epoch[1]) {
      assertThat(sequence[1]).as("sequence in the same epoch").isGreaterThan(sequence[0]);
    }
  }
}
