package io.latchkey.storage.redis;

import io.latchkey.storage.AsyncStorage;
import io.latchkey.storage.FeedListener;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.Subscription;
import io.latchkey.storage.WatchableStorage;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A storage's objects with their times to live; it is closed with the storage. */
class ExpiringView<K, V> implements AsyncStorage<K, Expiring<V>> {
  private final RedisStorage<K, V> storage;

  ExpiringView(RedisStorage<K, V> storage) {
    this.storage = storage;
  }

  @Override
  public @Nullable Expiring<V> load(K key) throws StorageException, InterruptedException {
    return storage.loadExpiring(Set.of(key)).get(key);
  }

  @Override
  public Map<K, Expiring<V>> loadAll(Set<? extends K> keys)
      throws StorageException, InterruptedException {
    return storage.loadExpiring(keys);
  }

  @Override
  public CompletionStage<@Nullable Expiring<V>> loadAsync(K key) {
    return storage.loadExpiringAsync(key);
  }

  @Override
  public String name() {
    return storage.name();
  }

  @Override
  public void close() {
    storage.close();
  }

  /** A view of a storage that tells its changes. */
  static final class Watchable<K, V> extends ExpiringView<K, V>
      implements WatchableStorage<K, Expiring<V>> {
    private final WatchableRedisStorage<K, V> storage;

    Watchable(WatchableRedisStorage<K, V> storage) {
      super(storage);
      this.storage = storage;
    }

    @Override
    public Subscription watch(FeedListener<K> listener)
        throws StorageException, InterruptedException {
      return storage.watch(listener);
    }
  }
}
