package io.latchkey.storage.jdbc;

import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.Storages;
import io.latchkey.storage.testkit.StorageContract;

/** The contract of a watched table on PostgreSQL. */
class PostgresFeedContractTest extends StorageContract<String, String> {
  @Override
  protected Storage<String, String> open() throws Exception {
    return Storages.open(
        PostgresServer.shared().url()
            + "&create=true&feed=install&table="
            + PostgresServer.freshName(),
        Codec.utf8(),
        Codec.utf8());
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
