package io.latchkey.storage.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.latchkey.storage.AsyncStorage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What storages that complete loads keep. */
final class AsyncChecks<K, V> {
  private final StorageContract<K, V> contract;

  AsyncChecks(StorageContract<K, V> contract) {
    this.contract = contract;
  }

  CheckList<K, V> checks(boolean filled) {
    CheckList<K, V> checks = new CheckList<>(contract);
    checks.addAsync("loadAsync: an absent object completes with null", this::absentIsNull);
    checks.addAsync("loadAsync: a null key is a NullPointerException", this::nullKey);
    if (filled) {
      checks.addAsync("loadAsync: what is there is loaded", this::loads);
    }
    if (contract.failsWhenClosed()) {
      checks.addAsync("loadAsync: after close the stage fails", this::failsAfterClose);
    }
    return checks;
  }

  private @Nullable V get(AsyncStorage<K, V> storage, K key) throws Exception {
    return storage
        .loadAsync(key)
        .toCompletableFuture()
        .get(contract.patience().toNanos(), TimeUnit.NANOSECONDS);
  }

  private void absentIsNull(AsyncStorage<K, V> storage) throws Exception {
    assertThat(get(storage, contract.key(0))).isNull();
  }

  @SuppressWarnings("NullAway") // what is checked is the answer to a null
  private void nullKey(AsyncStorage<K, V> storage) {
    assertThatThrownBy(() -> storage.loadAsync(null)).isInstanceOf(NullPointerException.class);
  }

  private void loads(AsyncStorage<K, V> storage) throws Exception {
    for (int i = 0; i < 50; i++) {
      contract.put(storage, contract.key(i), contract.value(i));
    }
    List<CompletableFuture<@Nullable V>> loads = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      loads.add(storage.loadAsync(contract.key(i)).toCompletableFuture());
    }
    for (int i = 0; i < 50; i++) {
      contract.assertSame(
          loads.get(i).get(contract.patience().toNanos(), TimeUnit.NANOSECONDS), contract.value(i));
    }
  }

  private void failsAfterClose(AsyncStorage<K, V> storage) {
    storage.close();
    CompletableFuture<@Nullable V> load = storage.loadAsync(contract.key(0)).toCompletableFuture();
    assertThat(load).failsWithin(contract.patience());
  }
}
