package io.latchkey.cache.docs;

import io.latchkey.storage.Codec;
import io.latchkey.storage.WritableStorage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HexFormat;

/** One file for each object. */
record DirectoryStorage<K, V>(Path directory, Codec<K> keys, Codec<V> values)
    implements WritableStorage<K, V> {
  @Override
  public V load(K key) throws IOException {
    try {
      return values.decode(Files.readAllBytes(file(key)));
    } catch (NoSuchFileException absent) {
      return null;
    }
  }

  @Override
  public void store(K key, V value) throws IOException {
    byte[] bytes = values.encode(value);
    Path fresh = Files.createTempFile(directory, "new", null);
    Files.write(fresh, bytes);
    Files.move(fresh, file(key), StandardCopyOption.ATOMIC_MOVE); // a load sees all of it or none
  }

  @Override
  public void delete(K key) throws IOException {
    Files.deleteIfExists(file(key));
  }

  private Path file(K key) {
    return directory.resolve("k" + HexFormat.of().formatHex(keys.encode(key)));
  }
}
