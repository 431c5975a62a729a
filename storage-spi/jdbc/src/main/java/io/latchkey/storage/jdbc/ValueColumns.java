package io.latchkey.storage.jdbc;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import io.latchkey.storage.Codec;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The columns that make an object. One column is the bytes of the codec, or their text; several are
 * a JSON object in UTF-8, with a member for each column by its name: numbers and booleans as such,
 * bytes in Base64, the rest as text, NULL as null.
 *
 * @param <V> the type of the objects
 */
final class ValueColumns<V> {
  /** A column by its name in the JSON object. */
  record Column(String name, Kind kind) {}

  private final Codec<V> codec;
  private final List<Column> columns;

  ValueColumns(Codec<V> codec, List<Column> columns) {
    this.codec = codec;
    this.columns = columns;
  }

  int count() {
    return columns.size();
  }

  /**
   * Reads an object from a row.
   *
   * @param first the number of its first column
   * @return the object; null if there is one column and it is NULL
   * @throws IllegalArgumentException if the codec cannot read it
   */
  @Nullable V read(ResultSet row, int first) throws SQLException {
    byte[] bytes =
        columns.size() == 1
            ? single(row, first)
            : object(row, first).toString().getBytes(StandardCharsets.UTF_8);
    return bytes == null ? null : codec.decode(bytes);
  }

  private byte @Nullable [] single(ResultSet row, int index) throws SQLException {
    Kind kind = columns.get(0).kind;
    if (kind == Kind.BINARY) {
      return row.getBytes(index);
    }
    if (kind == Kind.INTEGER && codec == Codec.int64()) {
      long number = row.getLong(index);
      return row.wasNull() ? null : Codec.int64().encode(number);
    }
    if (kind == Kind.BOOLEAN) {
      boolean flag = row.getBoolean(index);
      return row.wasNull() ? null : Boolean.toString(flag).getBytes(StandardCharsets.UTF_8);
    }
    String text = text(row, index, kind);
    return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
  }

  private static @Nullable String text(ResultSet row, int index, Kind kind) throws SQLException {
    String text = row.getString(index);
    return text == null || kind != Kind.PADDED ? text : Kind.unpadded(text);
  }

  private JsonObject object(ResultSet row, int first) throws SQLException {
    JsonObject object = new JsonObject();
    for (int i = 0; i < columns.size(); i++) {
      object.add(columns.get(i).name, member(row, first + i, columns.get(i).kind));
    }
    return object;
  }

  private static JsonElement member(ResultSet row, int index, Kind kind) throws SQLException {
    if (kind == Kind.BINARY) {
      byte[] bytes = row.getBytes(index);
      return bytes == null
          ? JsonNull.INSTANCE
          : new JsonPrimitive(Base64.getEncoder().encodeToString(bytes));
    }
    if (kind == Kind.BOOLEAN) {
      boolean flag = row.getBoolean(index);
      return row.wasNull() ? JsonNull.INSTANCE : new JsonPrimitive(flag);
    }
    String text = text(row, index, kind);
    if (text == null) {
      return JsonNull.INSTANCE;
    }
    if (kind == Kind.INTEGER || kind == Kind.NUMBER) {
      try {
        return new JsonPrimitive(new BigDecimal(text));
      } catch (NumberFormatException e) {
        return new JsonPrimitive(text); // NaN and the infinities are no numbers in JSON
      }
    }
    return new JsonPrimitive(text);
  }

  /**
   * Makes the parameters of an object.
   *
   * @return a value for each column, as {@link #bind} takes it
   * @throws IllegalArgumentException if the columns cannot hold the object
   */
  @Nullable Object[] toSql(V value) {
    byte[] bytes = codec.encode(value);
    @Nullable Object[] parameters = new Object[columns.size()];
    if (columns.size() == 1) {
      Kind kind = columns.get(0).kind;
      if (kind == Kind.BINARY) {
        parameters[0] = bytes;
      } else if (kind == Kind.INTEGER && codec == Codec.int64()) {
        parameters[0] = Codec.int64().decode(bytes);
      } else {
        parameters[0] = parsed(columns.get(0), Codec.utf8().decode(bytes));
      }
      return parameters;
    }
    JsonObject object = parseObject(Codec.utf8().decode(bytes));
    for (int i = 0; i < parameters.length; i++) {
      Column column = columns.get(i);
      JsonElement member = object.remove(column.name);
      if (member == null || !(member.isJsonNull() || member.isJsonPrimitive())) {
        throw new IllegalArgumentException(
            "the object has no plain value for the column '" + column.name + "': " + names());
      }
      parameters[i] = member.isJsonNull() ? null : parsed(column, member.getAsString());
    }
    if (!object.isEmpty()) {
      throw new IllegalArgumentException(
          "the object has a member '"
              + object.keySet().iterator().next()
              + "' that no column takes: "
              + names());
    }
    return parameters;
  }

  private static JsonObject parseObject(String text) {
    try {
      JsonElement element = JsonParser.parseString(text);
      if (element.isJsonObject()) {
        return element.getAsJsonObject();
      }
    } catch (JsonParseException e) {
      // Refused below, like JSON that is no object.
    }
    throw new IllegalArgumentException(
        "an object of several columns is written as a JSON object, and this is none");
  }

  private String names() {
    return "the columns are " + String.join(", ", columns.stream().map(Column::name).toList());
  }

  private static Object parsed(Column column, String text) {
    try {
      return switch (column.kind) {
        case BINARY -> Base64.getDecoder().decode(text);
        case INTEGER -> Long.valueOf(text);
        case NUMBER -> number(text);
        case UUID -> UUID.fromString(text);
        case BOOLEAN -> flag(text);
        case PADDED -> unpadded(text);
        default -> text;
      };
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "the column '" + column.name + "' cannot hold '" + text + "'", e);
    }
  }

  private static Object number(String text) {
    // What is no decimal number can be NaN or an infinity, which the database reads itself.
    return text.matches("[-+0-9.eE]+") ? new BigDecimal(text) : text;
  }

  private static String unpadded(String text) {
    if (text.endsWith(" ")) {
      throw new IllegalArgumentException("it ends with a blank, which the column drops");
    }
    return text;
  }

  private static Boolean flag(String text) {
    return switch (text) {
      case "true", "t", "1" -> true;
      case "false", "f", "0" -> false;
      default -> throw new IllegalArgumentException(text);
    };
  }

  /** Sets the parameters from an index on to what {@link #toSql} made. */
  void bind(PreparedStatement statement, int first, @Nullable Object[] parameters, Dialect dialect)
      throws SQLException {
    for (int i = 0; i < parameters.length; i++) {
      Object parameter = parameters[i];
      int index = first + i;
      if (parameter == null) {
        statement.setObject(index, null);
      } else if (parameter instanceof String text && dialect == Dialect.POSTGRESQL) {
        // Of no type, so that the server reads it as what the column is.
        statement.setObject(index, text, Types.OTHER);
      } else if (parameter instanceof byte[] bytes) {
        statement.setBytes(index, bytes);
      } else {
        statement.setObject(index, parameter);
      }
    }
  }
}
