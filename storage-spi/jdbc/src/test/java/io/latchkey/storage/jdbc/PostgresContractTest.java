package io.latchkey.storage.jdbc;

import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.Storages;
import io.latchkey.storage.testkit.StorageContract;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The contract over text on PostgreSQL. */
class PostgresContractTest extends StorageContract<String, String> {
  private String table = "";

  private Storage<String, String> openLast() throws Exception {
    return Storages.open(
        PostgresServer.shared().url() + "&connections=8&create=true&table=" + table,
        Codec.utf8(),
        Codec.utf8());
  }

  @Override
  protected Storage<String, String> open() throws Exception {
    table = PostgresServer.freshName();
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
    // PostgreSQL's text has no zero character, and its indexes take no very long keys.
    return List.of(
        "",
        " ",
        "  ",
        "a/b",
        "\uD83D\uDD11",
        "'; DROP TABLE objects; --",
        "\"",
        "\\",
        "?",
        "{}",
        "K",
        "k",
        "k".repeat(2_000));
  }

  @Override
  protected List<String> oddValues() {
    return List.of("", "'\"\\", "\uD83D\uDD11", "v".repeat(1 << 20), "w".repeat(5 << 20));
  }
}
