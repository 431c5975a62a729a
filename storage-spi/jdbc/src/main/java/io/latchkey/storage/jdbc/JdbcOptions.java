package io.latchkey.storage.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Where a {@link JdbcStorage} finds its objects, and how. In a URL these are parameters of the same
 * names, beside those of the driver: {@code
 * jdbc:postgresql://localhost/shop?user=ada&table=users&key=id&value=name}.
 *
 * <p>Either a table is named, and the storage writes its own SQL, or the SQL is given. All names
 * are taken literally, as the database's catalogue has them, and quoted; they cannot inject SQL.
 * Immutable.
 */
public final class JdbcOptions {
  /** How a storage learns what others change in its table. */
  public enum Feed {
    /** It does not. */
    NONE,
    /** PostgreSQL: it listens to triggers that are there already. */
    LISTEN,
    /** PostgreSQL: it makes the triggers if they are missing, and listens to them. */
    INSTALL
  }

  /** Whether a storage keeps the revisions of its table. */
  public enum Revisions {
    /** It does not. */
    NONE,
    /** PostgreSQL: by a history that is there already. */
    USE,
    /** PostgreSQL: by a history that it makes if it is missing. */
    INSTALL
  }

  static final int MAX_CONNECTIONS = 1_000;
  static final int MAX_BULK = 10_000;
  static final Duration MIN_TIMEOUT = Duration.ofMillis(250);
  static final Duration MAX_TIMEOUT = Duration.ofDays(1);

  final @Nullable String schema;
  final @Nullable String table;
  final String key;
  final List<String> values;
  final @Nullable String select;
  final @Nullable String selectAll;
  final @Nullable String upsert;
  final @Nullable String delete;
  final @Nullable Kind keyType;
  final boolean create;
  final boolean readOnly;
  final int connections;
  final Duration timeout;
  final int bulk;
  final Feed feed;
  final Revisions revisions;
  final int history;

  private JdbcOptions(Builder builder) {
    this.schema = builder.schema;
    this.table = builder.table;
    this.key = builder.key;
    this.values = builder.values;
    this.select = builder.select;
    this.selectAll = builder.selectAll;
    this.upsert = builder.upsert;
    this.delete = builder.delete;
    this.keyType = builder.keyType;
    this.create = builder.create;
    this.readOnly = builder.readOnly;
    this.connections = builder.connections;
    this.timeout = builder.timeout;
    this.bulk = builder.bulk;
    this.feed = builder.feed;
    this.revisions = builder.revisions;
    this.history = builder.history;
  }

  /**
   * Begins options for a table, with a column {@code key} and a column {@code value} unless told
   * otherwise.
   *
   * @param table the table's name, without quotes and without a schema
   * @return a builder
   * @throws NullPointerException if it is null
   * @throws IllegalArgumentException if it is empty or has a zero character
   */
  public static Builder table(String table) {
    Builder builder = new Builder();
    builder.table = name("table", table);
    return builder;
  }

  /**
   * Begins options for SQL of the user's own.
   *
   * @param select selects the columns of one object; its one parameter is the key
   * @return a builder
   * @throws NullPointerException if it is null
   * @throws IllegalArgumentException if it is empty
   */
  public static Builder select(String select) {
    Builder builder = new Builder();
    builder.select = sql("select", select);
    return builder;
  }

  /** Whether the storage can be written. */
  boolean writable() {
    return !readOnly && (table != null || upsert != null);
  }

  private static String name(String what, String name) {
    Objects.requireNonNull(name, what);
    if (name.isEmpty() || name.indexOf('\0') >= 0) {
      throw new IllegalArgumentException(
          what + " is '" + name.replace('\0', '?') + "': give a name as the catalogue has it");
    }
    return name;
  }

  private static String sql(String what, String sql) {
    if (Objects.requireNonNull(sql, what).isBlank()) {
      throw new IllegalArgumentException(what + " is empty: give an SQL statement");
    }
    return sql;
  }

  /** Collects the options. Not thread-safe. */
  public static final class Builder {
    private @Nullable String schema;
    private @Nullable String table;
    private String key = "key";
    private List<String> values = List.of("value");
    private @Nullable String select;
    private @Nullable String selectAll;
    private @Nullable String upsert;
    private @Nullable String delete;
    private @Nullable Kind keyType;
    private boolean create;
    private boolean readOnly;
    private int connections = 10;
    private Duration timeout = Duration.ofSeconds(30);
    private int bulk = 500;
    private Feed feed = Feed.NONE;
    private Revisions revisions = Revisions.NONE;
    private int history = 1_000;

    private Builder() {}

    /**
     * The schema of the table; that of the connection unless told.
     *
     * @param name the name, without quotes
     * @return this
     * @throws NullPointerException if it is null
     * @throws IllegalArgumentException if it is empty or has a zero character
     */
    public Builder schema(String name) {
      schema = name("schema", name);
      return this;
    }

    /**
     * The column of the keys: text, whole numbers, bytes or UUIDs, with a unique index.
     *
     * @param column its name, without quotes; {@code key} unless told
     * @return this
     * @throws NullPointerException if it is null
     * @throws IllegalArgumentException if it is empty or has a zero character
     */
    public Builder key(String column) {
      key = name("key", column);
      return this;
    }

    /**
     * The columns of the objects. One holds the codec's bytes, or the text that they are in UTF-8;
     * several make a JSON object, which the codec gets as text in UTF-8.
     *
     * @param columns their names, without quotes; {@code value} unless told. In a URL separated by
     *     commas
     * @return this
     * @throws NullPointerException if one is null
     * @throws IllegalArgumentException if there is none, or one is empty, twice or has a zero
     *     character
     */
    public Builder value(String... columns) {
      for (String column : columns) {
        name("value", column);
      }
      if (columns.length == 0 || List.of(columns).stream().distinct().count() < columns.length) {
        throw new IllegalArgumentException(
            "value is " + List.of(columns) + ": name one column or more, each once");
      }
      values = List.of(columns);
      return this;
    }

    /**
     * The user's SQL for several objects: either with {@code = ANY(?)}, on PostgreSQL, or with
     * {@code IN (?)}, which is repeated for as many keys as there are. It selects the key first,
     * then the columns of the object. Without it several objects are selected one by one.
     *
     * @param sql the statement
     * @return this
     * @throws NullPointerException if it is null
     * @throws IllegalArgumentException if it is empty
     */
    public Builder selectAll(String sql) {
      selectAll = sql("selectAll", sql);
      return this;
    }

    /**
     * The user's SQL that stores an object. Its parameters are the key, then the columns of the
     * object.
     *
     * @param sql the statement; the storage cannot be written without it
     * @return this
     * @throws NullPointerException if it is null
     * @throws IllegalArgumentException if it is empty
     */
    public Builder upsert(String sql) {
      upsert = sql("upsert", sql);
      return this;
    }

    /**
     * The user's SQL that deletes an object. Its parameter is the key.
     *
     * @param sql the statement; needed where {@link #upsert} is given
     * @return this
     * @throws NullPointerException if it is null
     * @throws IllegalArgumentException if it is empty
     */
    public Builder delete(String sql) {
      delete = sql("delete", sql);
      return this;
    }

    /**
     * What keys are for the user's SQL, where the database cannot tell.
     *
     * @param type {@code text}, {@code integer}, {@code binary} or {@code uuid}
     * @return this
     * @throws NullPointerException if it is null
     * @throws IllegalArgumentException if it is something else
     */
    public Builder keyType(String type) {
      keyType =
          switch (Objects.requireNonNull(type, "keyType")) {
            case "text" -> Kind.TEXT;
            case "integer" -> Kind.INTEGER;
            case "binary" -> Kind.BINARY;
            case "uuid" -> Kind.UUID;
            default ->
                throw new IllegalArgumentException(
                    "keyType is '" + type + "': write text, integer, binary or uuid");
          };
      return this;
    }

    /**
     * Whether the table is created if it is missing, with columns that suit the codecs: whole
     * numbers for {@code int64}, text for {@code utf8}, else bytes.
     *
     * @param value false unless told
     * @return this
     */
    public Builder create(boolean value) {
      create = value;
      return this;
    }

    /**
     * Whether the storage refuses to write, also what it could.
     *
     * @param value false unless told
     * @return this
     */
    public Builder readOnly(boolean value) {
      readOnly = value;
      return this;
    }

    /**
     * How many connections the storage opens at most, where it opens them itself; a feed has one
     * more.
     *
     * @param count from 1 to 1,000; 10 unless told
     * @return this
     * @throws IllegalArgumentException if it is out of its range
     */
    public Builder connections(int count) {
      connections = checked("connections", count, 1, MAX_CONNECTIONS);
      return this;
    }

    /**
     * How long a call waits for a connection at most, and then for each answer of the database.
     *
     * @param time from 250 ms to a day; 30 s unless told
     * @return this
     * @throws NullPointerException if it is null
     * @throws IllegalArgumentException if it is out of its range
     */
    public Builder timeout(Duration time) {
      if (Objects.requireNonNull(time, "timeout").compareTo(MIN_TIMEOUT) < 0
          || time.compareTo(MAX_TIMEOUT) > 0) {
        throw new IllegalArgumentException("timeout is " + time + ": give PT0.25S to PT24H");
      }
      timeout = time;
      return this;
    }

    /**
     * How many keys are selected by one statement at most, where they are listed by {@code IN}.
     *
     * @param keys from 1 to 10,000; 500 unless told
     * @return this
     * @throws IllegalArgumentException if it is out of its range
     */
    public Builder bulk(int keys) {
      bulk = checked("bulk", keys, 1, MAX_BULK);
      return this;
    }

    /**
     * How the storage learns what others change.
     *
     * @param value {@link Feed#NONE} unless told
     * @return this
     * @throws NullPointerException if it is null
     */
    public Builder feed(Feed value) {
      feed = Objects.requireNonNull(value, "feed");
      return this;
    }

    /**
     * Whether the storage keeps revisions.
     *
     * @param value {@link Revisions#NONE} unless told
     * @return this
     * @throws NullPointerException if it is null
     */
    public Builder revisions(Revisions value) {
      revisions = Objects.requireNonNull(value, "revisions");
      return this;
    }

    /**
     * Before how many of the last commits a storage with revisions can be read; taken when the
     * history is installed.
     *
     * @param commits from 0 on; 1,000 unless told
     * @return this
     * @throws IllegalArgumentException if it is negative
     */
    public Builder history(int commits) {
      history = checked("history", commits, 0, Integer.MAX_VALUE);
      return this;
    }

    private static int checked(String what, int value, int least, int most) {
      if (value < least || value > most) {
        throw new IllegalArgumentException(
            what + " is " + value + ": give " + least + " to " + most);
      }
      return value;
    }

    /**
     * Makes the options.
     *
     * @return the options
     * @throws IllegalArgumentException if they do not go together; the message names the mend
     */
    public JdbcOptions build() {
      String refusal = refusal();
      if (refusal != null) {
        throw new IllegalArgumentException(refusal);
      }
      return new JdbcOptions(this);
    }

    private @Nullable String refusal() {
      if (table != null && select != null) {
        return "table and select exclude each other: keep one";
      }
      if (table == null && select == null) {
        return "it names no table: add table=NAME, or select=SQL for SQL of your own";
      }
      if (table != null && (selectAll != null || upsert != null || delete != null)) {
        return "selectAll, upsert and delete go with select, not with table";
      }
      if ((upsert == null) != (delete == null)) {
        return "upsert and delete go together: give both, or none for a storage to read";
      }
      if (select != null && create) {
        return "create goes with table, not with select";
      }
      if (select != null && (feed != Feed.NONE || revisions != Revisions.NONE)) {
        return "feed and revisions go with table, not with select";
      }
      if (feed != Feed.NONE && revisions != Revisions.NONE) {
        return "feed and revisions exclude each other: revisions tell their commits";
      }
      if (create && readOnly) {
        return "create and readOnly exclude each other: keep one";
      }
      if (revisions != Revisions.NONE && readOnly) {
        return "revisions and readOnly exclude each other: keep one";
      }
      return null;
    }
  }
}
