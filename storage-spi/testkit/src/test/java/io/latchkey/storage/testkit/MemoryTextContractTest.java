package io.latchkey.storage.testkit;

import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.Storages;
import java.util.List;

class MemoryTextContractTest extends StorageContract<String, String> {
  @Override
  protected Storage<String, String> open() throws Exception {
    return Storages.open("memory:", Codec.utf8(), Codec.utf8());
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
    return List.of("", " ", "\0", "\0\0", "a/b", "\uD83D\uDD11", "k".repeat(10_000));
  }

  @Override
  protected List<String> oddValues() {
    return List.of("", "\0", "\uD83D\uDD11", "v".repeat(1 << 20));
  }

  @Override
  protected boolean tellsOnTheWritingThread() {
    return true;
  }
}
