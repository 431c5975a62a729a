package io.latchkey.storage.testkit;

import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.Storages;

/** The example of the documentation. */
class MemoryContractTest extends StorageContract<String, String> {
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
}
