package io.latchkey.storage;

import java.net.URI;

/** Opens storages of one URL scheme; found by {@link java.util.ServiceLoader}. */
public interface StorageProvider {
  /** The URL scheme that this provider opens, in lower case. */
  String scheme();

  /** Opens the storage that the URL names. */
  <K, V> Storage<K, V> open(URI uri, Codec<K> keys, Codec<V> values) throws StorageException;
}
