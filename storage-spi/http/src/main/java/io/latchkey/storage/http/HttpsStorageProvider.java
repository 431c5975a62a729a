package io.latchkey.storage.http;

import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.StorageProvider;
import java.net.URI;

/** Opens {@code https://HOST:PORT/BASE/}; {@link HttpStorage} says what it is. */
public final class HttpsStorageProvider implements StorageProvider {
  /** Made by the service loader. */
  public HttpsStorageProvider() {}

  @Override
  public String scheme() {
    return "https";
  }

  /**
   * {@inheritDoc}
   *
   * <p>{@link HttpOptions} lists the parameters. Costs one request to the server. The certificate
   * has to be trusted, and to be for the host that the URL names.
   */
  @Override
  public <K, V> Storage<K, V> open(URI uri, Codec<K> keys, Codec<V> values)
      throws StorageException {
    return HttpStorage.open(uri, keys, values);
  }
}
