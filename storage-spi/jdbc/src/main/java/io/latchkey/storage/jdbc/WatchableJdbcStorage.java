package io.latchkey.storage.jdbc;

import io.latchkey.storage.FeedListener;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.Subscription;
import io.latchkey.storage.WatchableStorage;

/**
 * A table on PostgreSQL that is read, and watched.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the objects
 */
final class WatchableJdbcStorage<K, V> extends JdbcStorage<K, V> implements WatchableStorage<K, V> {
  private final PostgresFeed<K> feed;

  WatchableJdbcStorage(
      String name, Pool pool, JdbcOptions options, Table<K, V> table, CatalogTable catalog) {
    super(name, pool, options, table);
    this.feed = new PostgresFeed<>(name, pool, catalog, table.key());
  }

  @Override
  public Subscription watch(FeedListener<K> listener) throws StorageException {
    return feed.watch(listener);
  }

  @Override
  public void close() {
    super.close();
    feed.close();
  }
}
