package io.latchkey.storage.testkit;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.storage.FeedListener;
import io.latchkey.storage.Storage;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.WatchableStorage;
import io.latchkey.storage.WritableStorage;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** What a close means. */
final class CloseChecks<K, V> {
  private final StorageContract<K, V> contract;

  CloseChecks(StorageContract<K, V> contract) {
    this.contract = contract;
  }

  CheckList<K, V> checks(Storage<K, V> sample, boolean filled) {
    CheckList<K, V> checks = new CheckList<>(contract);
    checks.add("close: a second one does nothing", this::closesTwice);
    if (filled) {
      checks.add("close: loads under way end", this::closesUnderLoads);
    }
    if (contract.failsWhenClosed()) {
      checks.add("after close: loads fail and say so", this::loadsFail);
      if (sample instanceof WritableStorage) {
        checks.addWritable("after close: writes fail and say so", this::writesFail);
      }
      if (sample instanceof WatchableStorage) {
        checks.addWatchable("after close: watching fails and says so", this::watchingFails);
      }
    }
    return checks;
  }

  private void closesTwice(Storage<K, V> storage) {
    storage.close();
    storage.close();
  }

  private void closesUnderLoads(Storage<K, V> storage) throws Exception {
    contract.put(storage, contract.key(0), contract.value(0));
    CountDownLatch loading = new CountDownLatch(3);
    Crew crew =
        Crew.start(
            3,
            thread -> {
              for (int i = 0; i < 1000; i++) {
                try {
                  contract.assertSame(storage.load(contract.key(0)), contract.value(0));
                } catch (Exception e) {
                  // Closed in between.
                  i = 1000;
                }
                if (i >= 10) {
                  loading.countDown();
                }
              }
            });
    loading.await();
    storage.close();
    crew.join(contract.patience());
  }

  private void assertClosed(Storage<K, V> storage, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(StorageException.class)
        .hasMessageContaining(storage.name())
        .hasMessageContaining("closed");
  }

  private void loadsFail(Storage<K, V> storage) {
    storage.close();
    assertClosed(storage, () -> storage.load(contract.key(0)));
    assertClosed(storage, () -> storage.loadAll(Set.of(contract.key(0))));
  }

  private void writesFail(WritableStorage<K, V> storage) {
    storage.close();
    assertClosed(storage, () -> storage.store(contract.key(0), contract.value(0)));
    assertClosed(storage, () -> storage.delete(contract.key(0)));
    assertClosed(storage, () -> storage.storeAll(Map.of(contract.key(0), contract.value(0))));
  }

  private void watchingFails(WatchableStorage<K, V> storage) {
    FeedListener<K> listener = new FeedRecorder<>(contract.patience());
    storage.close();
    assertClosed(storage, () -> storage.watch(listener));
  }
}
