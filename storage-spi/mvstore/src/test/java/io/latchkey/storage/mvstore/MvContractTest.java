package io.latchkey.storage.mvstore;

import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.Storages;
import io.latchkey.storage.testkit.StorageContract;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;

class MvContractTest extends StorageContract<String, String> {
  @TempDir private Path directory;
  private int opened;

  private Storage<String, String> openLast() throws Exception {
    return Storages.open(
        "mvstore:" + directory.resolve("objects " + opened + ".db"), Codec.utf8(), Codec.utf8());
  }

  @Override
  protected Storage<String, String> open() throws Exception {
    opened++;
    return openLast();
  }

  @Override
  protected Storage<String, String> reopen() throws Exception {
    return openLast();
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
    return List.of("", " ", "\0", "\0\0", "a/b", "\uD83D\uDD11", "k".repeat(100_000));
  }

  @Override
  protected List<String> oddValues() {
    return List.of("", "\0", "\uD83D\uDD11", "v".repeat(1 << 20), "w".repeat(5 << 20));
  }

  @Override
  protected boolean tellsOnTheWritingThread() {
    return true;
  }
}
