package io.latchkey.storage.rocksdb;

import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.StorageProvider;
import io.latchkey.storage.StorageUrl;
import java.net.URI;
import java.util.Objects;

/** Opens {@code rocksdb:FOLDER}; {@link RocksStorage} says what it is, {@link RocksOptions} how. */
public final class RocksStorageProvider implements StorageProvider {
  /** Made by the service loader. */
  public RocksStorageProvider() {}

  @Override
  public String scheme() {
    return "rocksdb";
  }

  @Override
  public <K, V> Storage<K, V> open(URI uri, Codec<K> keys, Codec<V> values)
      throws StorageException {
    Objects.requireNonNull(keys, "keys");
    Objects.requireNonNull(values, "values");
    StorageUrl url = StorageUrl.of(uri);
    return RocksStorage.open(url.file(), keys, values, RocksOptions.of(url));
  }
}
