package io.latchkey.storage;

import java.net.URI;
import java.util.ServiceLoader;

/** Opens storages by URL. */
public final class Storages {
  private Storages() {}

  /** Opens the storage that the URL names with the provider of its scheme. */
  public static <K, V> Storage<K, V> open(String url, Codec<K> keys, Codec<V> values)
      throws StorageException {
    URI uri = URI.create(url);
    for (StorageProvider provider : ServiceLoader.load(StorageProvider.class)) {
      if (provider.scheme().equals(uri.getScheme())) {
        return provider.open(uri, keys, values);
      }
    }
    throw new StorageException(url, "no storage provider for " + url, null, false);
  }
}
