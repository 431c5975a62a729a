package io.latchkey.storage.testkit;

import io.latchkey.storage.MemoryStorage;
import io.latchkey.storage.Storage;

class MemoryObjectsContractTest extends StorageContract<Integer, Long> {
  @Override
  protected Storage<Integer, Long> open() {
    return MemoryStorage.create();
  }

  @Override
  protected Integer key(int number) {
    return number;
  }

  @Override
  protected Long value(int number) {
    return 10L * number;
  }

  @Override
  protected boolean tellsOnTheWritingThread() {
    return true;
  }
}
