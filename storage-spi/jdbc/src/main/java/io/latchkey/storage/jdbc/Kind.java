package io.latchkey.storage.jdbc;

import java.sql.Types;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** How the contents of a column travel between the database and a codec. */
enum Kind {
  /** Bytes as they are. */
  BINARY("bytea"),
  /** Text, as UTF-8. */
  TEXT("text"),
  /** Text that the database fills up with blanks, which do not count: without them, as UTF-8. */
  PADDED("bpchar"),
  /** A whole number of up to 64 bits. */
  INTEGER("int8"),
  /** A UUID, as its text in lower case. */
  UUID("uuid"),
  /** True or false, as text. */
  BOOLEAN("bool"),
  /** A number with decimals, as text. */
  NUMBER("numeric"),
  /** What the database reads from text and writes as text: dates, JSON, enumerations. */
  OTHER(null);

  /** What PostgreSQL calls an element of an array of these. */
  private final @Nullable String arrayType;

  Kind(@Nullable String arrayType) {
    this.arrayType = arrayType;
  }

  @Nullable String arrayType() {
    return arrayType;
  }

  /** Whether equal keys are equal for the database, and can be told by their text. */
  boolean canBeKey() {
    return switch (this) {
      case BINARY, TEXT, PADDED, INTEGER, UUID -> true;
      case BOOLEAN, NUMBER, OTHER -> false;
    };
  }

  /**
   * The kind of a column.
   *
   * @param type one of {@link Types}
   * @param typeName what the database calls the type
   */
  static Kind of(int type, String typeName) {
    String name = typeName.toLowerCase(Locale.ROOT);
    if (name.equals("uuid")) {
      return UUID;
    }
    if (type == Types.CHAR || type == Types.NCHAR) {
      return name.contains("char") ? PADDED : OTHER;
    }
    if (isText(type)) {
      // Drivers call enumerations and the like text as well, but the server tells them apart.
      return name.contains("char") || name.contains("text") || name.contains("clob")
          ? citext(name)
          : OTHER;
    }
    return switch (type) {
      case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB -> BINARY;
      case Types.TINYINT, Types.SMALLINT, Types.INTEGER, Types.BIGINT -> INTEGER;
      case Types.BIT, Types.BOOLEAN -> BOOLEAN;
      case Types.DECIMAL, Types.NUMERIC, Types.REAL, Types.FLOAT, Types.DOUBLE -> NUMBER;
      default -> OTHER;
    };
  }

  /** PostgreSQL's text without case is no text here: two keys would be one row. */
  private static Kind citext(String name) {
    return name.equals("citext") ? OTHER : TEXT;
  }

  /** Text without the blanks that the database filled it up with. */
  static String unpadded(String text) {
    int end = text.length();
    while (end > 0 && text.charAt(end - 1) == ' ') {
      end--;
    }
    return text.substring(0, end);
  }

  private static boolean isText(int type) {
    return switch (type) {
      case Types.VARCHAR,
          Types.LONGVARCHAR,
          Types.NVARCHAR,
          Types.LONGNVARCHAR,
          Types.CLOB,
          Types.NCLOB ->
          true;
      default -> false;
    };
  }
}
