package io.latchkey.storage.testkit;

import io.latchkey.storage.Storage;

/** Without a script a faulty storage is a right one. */
class FaultyContractTest extends StorageContract<String, Integer> {
  @Override
  protected Storage<String, Integer> open() {
    return FaultyStorage.create();
  }

  @Override
  protected String key(int number) {
    return "key" + number;
  }

  @Override
  protected Integer value(int number) {
    return number;
  }

  @Override
  protected boolean tellsOnTheWritingThread() {
    return true;
  }
}
