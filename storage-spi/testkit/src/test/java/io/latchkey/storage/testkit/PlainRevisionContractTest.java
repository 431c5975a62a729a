package io.latchkey.storage.testkit;

import io.latchkey.storage.MemoryStorage;
import io.latchkey.storage.RevisionStorage;

/** The example in the suite's own documentation. */
class PlainRevisionContractTest extends RevisionContract<String, String> {
  @Override
  protected RevisionStorage<String, String> open() throws Exception {
    return MemoryStorage.create();
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
