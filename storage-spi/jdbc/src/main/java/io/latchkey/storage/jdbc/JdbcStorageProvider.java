package io.latchkey.storage.jdbc;

import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.StorageProvider;
import io.latchkey.storage.StorageUrl;
import java.net.URI;
import java.util.Objects;

/** Opens {@code jdbc:…}; {@link JdbcStorage} says what it is, {@link JdbcOptions} how. */
public final class JdbcStorageProvider implements StorageProvider {
  /** Made by the service loader. */
  public JdbcStorageProvider() {}

  @Override
  public String scheme() {
    return "jdbc";
  }

  @Override
  public <K, V> Storage<K, V> open(URI uri, Codec<K> keys, Codec<V> values)
      throws StorageException {
    Objects.requireNonNull(keys, "keys");
    Objects.requireNonNull(values, "values");
    JdbcUrl url = JdbcUrl.of(StorageUrl.of(uri));
    return JdbcStorage.open(url, keys, values);
  }
}
