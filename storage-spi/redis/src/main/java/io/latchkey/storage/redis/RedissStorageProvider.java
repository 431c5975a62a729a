package io.latchkey.storage.redis;

import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.StorageProvider;
import io.latchkey.storage.StorageUrl;
import java.net.URI;
import java.util.Objects;

/**
 * Opens {@code rediss://HOST:PORT/DATABASE}, which is Redis over TLS; {@link RedisStorage} says
 * what it is, {@link RedisOptions} how.
 */
public final class RedissStorageProvider implements StorageProvider {
  /** Made by the service loader. */
  public RedissStorageProvider() {}

  @Override
  public String scheme() {
    return "rediss";
  }

  @Override
  public <K, V> Storage<K, V> open(URI uri, Codec<K> keys, Codec<V> values)
      throws StorageException {
    Objects.requireNonNull(keys, "keys");
    Objects.requireNonNull(values, "values");
    StorageUrl url = StorageUrl.of(uri);
    return RedisStorage.open(RedisUrl.of(url), RedisOptions.of(url), keys, values);
  }
}
