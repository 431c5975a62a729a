package io.latchkey.storage.jdbc;

import io.latchkey.storage.Codec;
import io.latchkey.storage.RevisionStorage;
import io.latchkey.storage.Storages;
import io.latchkey.storage.testkit.RevisionContract;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The contract of a table with revisions on PostgreSQL. */
class PostgresRevisionContractTest extends RevisionContract<Long, String> {
  private String table = "";

  private RevisionStorage<Long, String> openLast(String parameters) throws Exception {
    return (RevisionStorage<Long, String>)
        Storages.open(
            PostgresServer.shared().url()
                + "&create=true&revisions=install&table="
                + table
                + parameters,
            Codec.int64(),
            Codec.utf8());
  }

  @Override
  protected RevisionStorage<Long, String> open() throws Exception {
    table = PostgresServer.freshName();
    return openLast("");
  }

  @Override
  protected RevisionStorage<Long, String> openWithHistory(int commits) throws Exception {
    table = PostgresServer.freshName();
    return openLast("&history=" + commits);
  }

  @Override
  protected @Nullable RevisionStorage<Long, String> reopen() throws Exception {
    return openLast("");
  }

  @Override
  protected Long key(int number) {
    return (long) number;
  }

  @Override
  protected String value(int number) {
    return "value" + number;
  }

  @Override
  protected List<Long> oddKeys() {
    return List.of(-1L, Long.MIN_VALUE, Long.MAX_VALUE);
  }

  @Override
  protected List<String> oddValues() {
    return List.of("", "'", "v".repeat(1 << 20));
  }
}
