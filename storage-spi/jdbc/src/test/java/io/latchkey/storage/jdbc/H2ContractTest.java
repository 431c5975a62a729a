package io.latchkey.storage.jdbc;

import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.Storages;
import io.latchkey.storage.testkit.StorageContract;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;

/** The contract on H2, in a file. */
class H2ContractTest extends StorageContract<Long, String> {
  @TempDir private Path folder;
  private int opened;

  private Storage<Long, String> openLast() throws Exception {
    return Storages.open(
        "jdbc:h2:" + folder.resolve("objects " + opened) + "?create=true&table=odd \"name\"",
        Codec.int64(),
        Codec.utf8());
  }

  @Override
  protected Storage<Long, String> open() throws Exception {
    opened++;
    return openLast();
  }

  @Override
  protected @Nullable Storage<Long, String> reopen() throws Exception {
    return openLast();
  }

  @Override
  protected Long key(int number) {
    return (long) number;
  }

  @Override
  protected String value(int number) {
    return "value" + number;
  }

  @Override
  protected List<Long> oddKeys() {
    return List.of(-1L, Long.MIN_VALUE, Long.MAX_VALUE);
  }

  @Override
  protected List<String> oddValues() {
    return List.of("", "\0", "\uD83D\uDD11", "v".repeat(1 << 20));
  }
}
