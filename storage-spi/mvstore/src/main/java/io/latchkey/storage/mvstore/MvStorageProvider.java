package io.latchkey.storage.mvstore;

import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.StorageProvider;
import io.latchkey.storage.StorageUrl;
import java.net.URI;
import java.util.Objects;

/** Opens {@code mvstore:FILE}; {@link MvStorage} says what it is, {@link MvOptions} how. */
public final class MvStorageProvider implements StorageProvider {
  /** Made by the service loader. */
  public MvStorageProvider() {}

  @Override
  public String scheme() {
    return "mvstore";
  }

  @Override
  public <K, V> Storage<K, V> open(URI uri, Codec<K> keys, Codec<V> values)
      throws StorageException {
    Objects.requireNonNull(keys, "keys");
    Objects.requireNonNull(values, "values");
    StorageUrl url = StorageUrl.of(uri);
    return MvStorage.open(url.file(), keys, values, MvOptions.of(url));
  }
}
