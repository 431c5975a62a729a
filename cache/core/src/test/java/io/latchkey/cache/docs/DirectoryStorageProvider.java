package io.latchkey.cache.docs;

import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.StorageException;
import io.latchkey.storage.StorageProvider;
import io.latchkey.storage.StorageUrl;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;

/** Opens {@code dir:DIRECTORY}. */
public final class DirectoryStorageProvider implements StorageProvider {
  @Override
  public String scheme() {
    return "dir";
  }

  @Override
  public <K, V> Storage<K, V> open(URI uri, Codec<K> keys, Codec<V> values)
      throws StorageException {
    StorageUrl url = StorageUrl.of(uri);
    url.allowParameters();
    Path directory = url.file();
    try {
      Files.createDirectories(directory);
    } catch (IOException e) {
      throw new StorageException(
          url.toString(),
          "cannot open " + url + ": " + directory + " is no directory and cannot become one",
          e,
          false);
    }
    return new DirectoryStorage<>(directory, keys, values);
  }
}
