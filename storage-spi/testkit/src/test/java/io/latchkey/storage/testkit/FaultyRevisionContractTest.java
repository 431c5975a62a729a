package io.latchkey.storage.testkit;

import io.latchkey.storage.MemoryStorage;
import io.latchkey.storage.RevisionStorage;

/** Without a script a faulty storage of revisions is a right one. */
class FaultyRevisionContractTest extends RevisionContract<String, Integer> {
  @Override
  protected RevisionStorage<String, Integer> open() {
    return FaultyRevisionStorage.create();
  }

  @Override
  protected RevisionStorage<String, Integer> openWithHistory(int commits) {
    return FaultyRevisionStorage.over(MemoryStorage.create(commits));
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
