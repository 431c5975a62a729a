package io.latchkey.storage;

import java.net.URI;

/**
 * Opens the storages of one URL scheme. Found by {@link java.util.ServiceLoader}: a backend's jar
 * names its provider in {@code META-INF/services/io.latchkey.storage.StorageProvider} and, if it is
 * a module, in a {@code provides} clause. A provider has a public constructor without parameters,
 * is thread-safe and holds nothing open itself. Creating one must be cheap: all providers are
 * created to find the one that is wanted.
 */
public interface StorageProvider {
  /**
   * The URL scheme that this provider opens, in lower case, without the colon.
   *
   * @return the scheme, constant
   */
  String scheme();

  /**
   * Opens the storage that the URL names. {@link StorageUrl#of} takes the URL apart.
   *
   * @param uri the URL, absolute, with this provider's scheme in any case. What {@link Storages}
   *     passes never has a fragment
   * @param keys turns keys to bytes and back
   * @param values turns objects to bytes and back
   * @param <K> the type of the keys
   * @param <V> the type of the objects
   * @return an open storage, not shared with other calls; the caller closes it
   * @throws NullPointerException if an argument is null
   * @throws StorageException if it cannot be opened: the message says why and names the mend. A
   *     provider refuses URL parameters that it does not know. What exists is left as it was
   */
  <K, V> Storage<K, V> open(URI uri, Codec<K> keys, Codec<V> values) throws StorageException;
}
