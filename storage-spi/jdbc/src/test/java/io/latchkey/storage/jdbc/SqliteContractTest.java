package io.latchkey.storage.jdbc;

import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.Storages;
import io.latchkey.storage.testkit.StorageContract;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;

/** The contract on SQLite, in a file. */
class SqliteContractTest extends StorageContract<String, String> {
  @TempDir private Path folder;
  private int opened;

  private Storage<String, String> openLast() throws Exception {
    return Storages.open(
        "jdbc:sqlite:"
            + folder.resolve("objects " + opened + ".db")
            + "?create=true&table=objects&journal_mode=WAL&synchronous=OFF",
        Codec.utf8(),
        Codec.utf8());
  }

  @Override
  protected Storage<String, String> open() throws Exception {
    opened++;
    return openLast();
  }

  @Override
  protected @Nullable Storage<String, String> reopen() throws Exception {
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
    return List.of("", " ", "\uD83D\uDD11", "'; DROP TABLE objects; --", "k".repeat(100_000));
  }

  @Override
  protected List<String> oddValues() {
    return List.of("", "\uD83D\uDD11", "v".repeat(1 << 20));
  }
}
