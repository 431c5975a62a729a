/** The storage in a table of a database, by JDBC. */
module io.latchkey.storage.jdbc {
  requires transitive io.latchkey.storage;
  requires transitive java.sql;
  requires com.zaxxer.hikari;
  requires com.google.gson;
  requires static org.postgresql.jdbc;
  requires static org.checkerframework.checker.qual; // of the driver's annotations
  requires static org.jspecify;

  exports io.latchkey.storage.jdbc;

  uses java.sql.Driver;

  provides io.latchkey.storage.StorageProvider with
      io.latchkey.storage.jdbc.JdbcStorageProvider;
}
