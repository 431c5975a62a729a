package io.latchkey.storage.jdbc;

import io.latchkey.storage.Codec;
import io.latchkey.storage.Storage;
import io.latchkey.storage.testkit.StorageContract;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.AfterEach;

/** The contract on a database that nothing is known of, which is H2 under another name. */
class StandardSqlContractTest extends StorageContract<String, String> {
  private JdbcConnectionPool pool = newPool();

  private static JdbcConnectionPool newPool() {
    return JdbcConnectionPool.create(
        "jdbc:h2:mem:" + PostgresServer.freshName() + ";DB_CLOSE_DELAY=-1", "", "");
  }

  @AfterEach
  void closePool() {
    pool.dispose();
  }

  /** An object that answers one method otherwise. */
  private static <T> T other(Class<T> type, T real, String method, Object answer) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, called, arguments) -> {
              try {
                Object result =
                    called.getName().equals(method) && answer instanceof String
                        ? answer
                        : called.invoke(real, arguments);
                if (result instanceof Connection connection) {
                  return other(Connection.class, connection, "", new Object());
                }
                return result instanceof DatabaseMetaData metadata
                    ? other(DatabaseMetaData.class, metadata, "getDatabaseProductName", "Unknown")
                    : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  @Override
  protected Storage<String, String> open() throws Exception {
    pool.dispose();
    pool = newPool();
    try (Connection connection = pool.getConnection()) {
      connection
          .createStatement()
          .execute("CREATE TABLE \"o\" (\"k\" VARCHAR(100) PRIMARY KEY, \"v\" VARCHAR NOT NULL)");
    }
    DataSource source = other(DataSource.class, pool, "", new Object());
    return JdbcStorage.open(
        source,
        JdbcOptions.table("o").key("k").value("v").bulk(7).build(),
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
