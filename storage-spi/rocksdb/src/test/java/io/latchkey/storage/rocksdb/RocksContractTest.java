package io.latchkey.storage.rocksdb;

import io.latchkey.storage.Codec;
import io.latchkey.storage.RevisionStorage;
import io.latchkey.storage.Storages;
import io.latchkey.storage.testkit.RevisionContract;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;

class RocksContractTest extends RevisionContract<String, String> {
  @TempDir private Path directory;
  private int opened;

  private RevisionStorage<String, String> openLast(String parameters) throws Exception {
    return (RevisionStorage<String, String>)
        Storages.open(
            "rocksdb:" + directory.resolve("objects " + opened + "") + parameters,
            Codec.utf8(),
            Codec.utf8());
  }

  @Override
  protected RevisionStorage<String, String> open() throws Exception {
    opened++;
    return openLast("");
  }

  @Override
  protected RevisionStorage<String, String> openWithHistory(int commits) throws Exception {
    opened++;
    return openLast("?history=" + commits);
  }

  @Override
  protected RevisionStorage<String, String> reopen() throws Exception {
    return openLast("");
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
