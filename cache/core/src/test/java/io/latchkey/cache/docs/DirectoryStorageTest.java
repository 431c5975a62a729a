package io.latchkey.cache.docs;

import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.testkit.StorageContract;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;

/** The backend of the README passes the contract suite. */
class DirectoryStorageTest extends StorageContract<String, String> {
  @TempDir Path folder;

  @Override
  protected Storage<String, String> open() throws Exception {
    return new DirectoryStorage<>(
        Files.createTempDirectory(folder, "data"), Codec.utf8(), Codec.utf8());
  }

  @Override
  protected String key(int number) {
    return "key" + number;
  }

  @Override
  protected String value(int number) {
    return "value" + number;
  }

  @Override
  protected List<String> oddKeys() {
    return List.of("", "/", "..", "a/b", "A/B", "\0", "é");
  }

  @Override
  protected List<String> oddValues() {
    return List.of("", "x".repeat(1 << 20));
  }

  @Override
  protected boolean failsWhenClosed() {
    return false; // it holds nothing open
  }
}
