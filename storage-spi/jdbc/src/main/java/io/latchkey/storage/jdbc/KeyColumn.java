package io.latchkey.storage.jdbc;

import io.latchkey.storage.Codec;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The column of the keys: what a key is for the database, and back. Different keys are different
 * for the database, too; what could be two spellings of one row's key is refused.
 *
 * @param <K> the type of the keys
 */
final class KeyColumn<K> {
  private final Codec<K> codec;
  private final Kind kind;

  KeyColumn(Codec<K> codec, Kind kind) {
    this.codec = codec;
    this.kind = kind;
  }

  Kind kind() {
    return kind;
  }

  /**
   * The key as the driver takes it.
   *
   * @throws IllegalArgumentException if the column cannot hold such a key
   */
  Object toSql(K key) {
    byte[] bytes = codec.encode(Objects.requireNonNull(key, "key"));
    return switch (kind) {
      case BINARY -> bytes;
      case INTEGER -> number(bytes);
      case UUID -> uuid(text(bytes));
      case PADDED -> unpadded(text(bytes));
      default -> text(bytes);
    };
  }

  private String text(byte[] bytes) {
    if (codec == Codec.int64()) {
      return Long.toString(Codec.int64().decode(bytes));
    }
    return Codec.utf8().decode(bytes);
  }

  private Long number(byte[] bytes) {
    if (codec == Codec.int64()) {
      return Codec.int64().decode(bytes);
    }
    String text = text(bytes);
    try {
      long number = Long.parseLong(text);
      if (Long.toString(number).equals(text)) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Refused below, like a second spelling of a number.
    }
    throw new IllegalArgumentException(
        "the key '" + text + "' is no whole number as the key column has them: write it like 42");
  }

  private static String unpadded(String text) {
    if (text.endsWith(" ")) {
      throw new IllegalArgumentException(
          "the key '" + text + "' ends with a blank, which a key column of type char drops");
    }
    return text;
  }

  private static UUID uuid(String text) {
    try {
      UUID uuid = UUID.fromString(text);
      if (uuid.toString().equals(text)) {
        return uuid;
      }
    } catch (IllegalArgumentException e) {
      // Refused below, like a second spelling of a UUID.
    }
    throw new IllegalArgumentException(
        "the key '" + text + "' is no UUID in lower case, as the key column has them");
  }

  /** Sets a parameter to what {@link #toSql} made. */
  static void bind(PreparedStatement statement, int index, Object key) throws SQLException {
    if (key instanceof byte[] bytes) {
      statement.setBytes(index, bytes);
    } else if (key instanceof String text) {
      statement.setString(index, text);
    } else if (key instanceof Long number) {
      statement.setLong(index, number);
    } else {
      statement.setObject(index, key);
    }
  }

  /** What {@link #toSql} made, with an {@code equals} by content. */
  static Object comparable(Object key) {
    return key instanceof byte[] bytes ? ByteBuffer.wrap(bytes) : key;
  }

  /** Reads the key of a row as {@link #toSql} would make it; null only for NULL. */
  @Nullable Object read(ResultSet row, int column) throws SQLException {
    switch (kind) {
      case BINARY:
        return row.getBytes(column);
      case INTEGER:
        long number = row.getLong(column);
        return row.wasNull() ? null : (Long) number;
      case UUID:
        String text = row.getString(column);
        return text == null ? null : UUID.fromString(text);
      case PADDED:
        String padded = row.getString(column);
        return padded == null ? null : Kind.unpadded(padded);
      default:
        return row.getString(column);
    }
  }

  /** Makes the key of what {@link #read} gave. */
  K fromSql(Object key) {
    if (key instanceof byte[] bytes) {
      return codec.decode(bytes);
    }
    if (codec == Codec.int64()) {
      return codec.decode(Codec.int64().encode(Long.valueOf(key.toString())));
    }
    return codec.decode(key.toString().getBytes(StandardCharsets.UTF_8));
  }

  /** Makes the key of the text that the feed tells: hexadecimal digits for bytes. */
  K fromText(String text) {
    return fromSql(kind == Kind.BINARY ? HexFormat.of().parseHex(text) : text);
  }
}
