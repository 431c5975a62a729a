package io.latchkey.storage.http;

import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.StorageProvider;
import java.net.URI;

/** Opens {@code http://HOST:PORT/BASE/}; {@link HttpStorage} says what it is. */
public final class HttpStorageProvider implements StorageProvider {
  /** Made by the service loader. */
  public HttpStorageProvider() {}

  @Override
  public String scheme() {
    return "http";
  }

  /**
   * {@inheritDoc}
   *
   * <p>{@link HttpOptions} lists the parameters. Costs one request to the server.
   */
  @Override
  public <K, V> Storage<K, V> open(URI uri, Codec<K> keys, Codec<V> values)
      throws StorageException {
    return HttpStorage.open(uri, keys, values);
  }
}
