package io.latchkey.storage.testkit;

import io.latchkey.storage.AsyncStorage;
import io.latchkey.storage.Storage;
import io.latchkey.storage.WatchableStorage;
import io.latchkey.storage.WritableStorage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;

/** The tests of one capability, each with a storage of its own. */
final class CheckList<K, V> {
  /** What a test does with an open storage. */
  interface Check<S> {
    void run(S storage) throws Exception;
  }

  /** What a test does that opens its storages itself. */
  interface Whole {
    void run() throws Exception;
  }

  /** Besides what it waits for. */
  private static final Duration FOR_THE_TEST_ITSELF = Duration.ofSeconds(10);

  private final StorageContract<K, V> contract;
  private final List<DynamicTest> tests = new ArrayList<>();

  CheckList(StorageContract<K, V> contract) {
    this.contract = contract;
  }

  void add(String rule, Check<Storage<K, V>> check) {
    addWhole(
        rule,
        () -> {
          try (Storage<K, V> storage = contract.open()) {
            check.run(storage);
          }
        });
  }

  void addWritable(String rule, Check<WritableStorage<K, V>> check) {
    add(rule, storage -> check.run((WritableStorage<K, V>) storage));
  }

  void addWatchable(String rule, Check<WatchableStorage<K, V>> check) {
    add(rule, storage -> check.run((WatchableStorage<K, V>) storage));
  }

  void addAsync(String rule, Check<AsyncStorage<K, V>> check) {
    add(rule, storage -> check.run((AsyncStorage<K, V>) storage));
  }

  /** The test runs on a thread of its own, so that a storage that hangs fails it and no more. */
  void addWhole(String rule, Whole test) {
    tests.add(
        DynamicTest.dynamicTest(
            rule,
            () ->
                Crew.start(1, thread -> test.run())
                    .join(contract.patience().plus(FOR_THE_TEST_ITSELF))));
  }

  List<DynamicTest> tests() {
    return tests;
  }
}
