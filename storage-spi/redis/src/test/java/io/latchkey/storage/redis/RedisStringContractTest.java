package io.latchkey.storage.redis;

import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.Storages;
import io.latchkey.storage.testkit.StorageContract;
import java.util.List;
import org.jspecify.annotations.Nullable;

class RedisStringContractTest extends StorageContract<String, String> {
  private String prefix = "";

  /** What stands behind the prefix in the URL. */
  String parameters() {
    return "";
  }

  String url() throws Exception {
    return SharedServer.get().url();
  }

  private Storage<String, String> openLast() throws Exception {
    return Storages.open(url() + "?prefix=" + prefix + parameters(), Codec.utf8(), Codec.utf8());
  }

  @Override
  protected Storage<String, String> open() throws Exception {
    prefix = SharedServer.freshName();
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
    return List.of(
        "",
        " ",
        "\0",
        "\r\n",
        "\r\n*1\r\n$8\r\nFLUSHALL\r\n",
        "a b",
        "*",
        "{a}b",
        "\"",
        "\uD83D\uDD11",
        "k".repeat(100_000));
  }

  @Override
  protected List<String> oddValues() {
    return List.of(
        "", "\0", "\r\n$-1\r\n", "\uD83D\uDD11", "v".repeat(1 << 20), "w".repeat(5 << 20));
  }
}
