package io.latchkey.storage.testkit;

import io.latchkey.storage.Codec;
import io.latchkey.storage.RevisionStorage;
import io.latchkey.storage.Storages;

class MemoryRevisionContractTest extends RevisionContract<String, String> {
  private static RevisionStorage<String, String> open(String url) throws Exception {
    return (RevisionStorage<String, String>) Storages.open(url, Codec.utf8(), Codec.utf8());
  }

  @Override
  protected RevisionStorage<String, String> open() throws Exception {
    return open("memory:");
  }

  @Override
  protected RevisionStorage<String, String> openWithHistory(int commits) throws Exception {
    return open("memory:?history=" + commits);
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
  protected boolean tellsOnTheWritingThread() {
    return true;
  }
}
