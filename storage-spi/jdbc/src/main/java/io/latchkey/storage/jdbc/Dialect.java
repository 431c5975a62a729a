package io.latchkey.storage.jdbc;

import java.util.Locale;

/** What databases do each in their own way. */
enum Dialect {
  POSTGRESQL,
  H2,
  SQLITE,
  /** Any other: only what the standard has. */
  STANDARD;

  /**
   * The dialect of a database.
   *
   * @param product what the driver calls the database
   */
  static Dialect of(String product) {
    return switch (product.toLowerCase(Locale.ROOT)) {
      case "postgresql" -> POSTGRESQL;
      case "h2" -> H2;
      case "sqlite" -> SQLITE;
      default -> STANDARD;
    };
  }

  /** Whether a parameter can be an array: {@code = ANY(?)}. */
  boolean hasArrays() {
    return this == POSTGRESQL;
  }

  /** The type of the key's column for a kind, where a table is created. */
  String keyType(Kind kind) {
    return switch (kind) {
      case INTEGER -> this == SQLITE ? "INTEGER" : "BIGINT";
      case TEXT -> this == POSTGRESQL || this == SQLITE ? "TEXT" : "VARCHAR(1000)";
      default -> this == POSTGRESQL || this == SQLITE ? valueType(kind) : "VARBINARY(1000)";
    };
  }

  /** The type of the object's column for a kind, where a table is created. */
  String valueType(Kind kind) {
    return switch (kind) {
      case INTEGER -> keyType(kind);
      case TEXT -> this == POSTGRESQL || this == SQLITE ? "TEXT" : "CLOB";
      default -> this == POSTGRESQL ? "BYTEA" : "BLOB";
    };
  }
}
