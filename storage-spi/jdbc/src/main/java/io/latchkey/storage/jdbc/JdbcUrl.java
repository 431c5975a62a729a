package io.latchkey.storage.jdbc;

import io.latchkey.storage.StorageException;
import io.latchkey.storage.StorageUrl;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A {@code jdbc:} URL with its parameters separated: some are the storage's, all others the
 * driver's. Credentials leave the URL for the properties, so that no driver can print them with it.
 *
 * @param name what messages call the storage, without credentials
 * @param driverUrl what the driver opens
 * @param properties what the driver is told besides, credentials among them
 * @param options what the storage takes
 */
record JdbcUrl(String name, String driverUrl, Properties properties, JdbcOptions options) {
  private static final String[] OURS = {
    "schema",
    "table",
    "key",
    "value",
    "select",
    "selectAll",
    "upsert",
    "delete",
    "keyType",
    "create",
    "readOnly",
    "connections",
    "timeout",
    "bulk",
    "feed",
    "revisions",
    "history"
  };

  private static final Pattern USER_INFO = Pattern.compile("([a-z0-9]+://)([^/@?]*)@(.*)");

  /** What H2 and others write behind semicolons. */
  private static final Pattern SETTING = Pattern.compile("(?i);(user|password)=([^;]*)");

  static JdbcUrl of(StorageUrl url) throws StorageException {
    String raw = url.uri().getRawSchemeSpecificPart();
    int query = raw.indexOf('?');
    String rawLocation = query < 0 ? raw : raw.substring(0, query);
    // Drivers for servers read the escapes of a URL themselves; the others take a file's name.
    String location = rawLocation.contains("//") ? rawLocation : url.location();
    if (location.indexOf(':') <= 0) {
      throw refused(
          url,
          "it names no database: write for example jdbc:postgresql://HOST/DATABASE?table=NAME");
    }
    Properties properties = new Properties();
    location = withoutCredentials(location, properties);
    String driverUrl = "jdbc:" + location;
    String name = StorageUrl.redact(driverUrl);
    for (Map.Entry<String, String> parameter : url.parameters().entrySet()) {
      if (!Arrays.asList(OURS).contains(parameter.getKey())) {
        properties.setProperty(parameter.getKey(), parameter.getValue());
      }
    }
    checkDriver(url, driverUrl, properties);
    JdbcOptions options;
    try {
      options = options(url);
    } catch (IllegalArgumentException e) {
      throw refused(url, String.valueOf(e.getMessage()));
    }
    String what = options.table == null ? "" : " table " + options.table;
    return new JdbcUrl(name + what, driverUrl, properties, options);
  }

  private static String withoutCredentials(String location, Properties properties) {
    Matcher authority = USER_INFO.matcher(location);
    String rest = location;
    if (authority.matches()) {
      String[] parts = authority.group(2).split(":", 2);
      properties.setProperty("user", decoded(parts[0]));
      if (parts.length > 1) {
        properties.setProperty("password", decoded(parts[1]));
      }
      rest = authority.group(1) + authority.group(3);
    }
    Matcher setting = SETTING.matcher(rest);
    while (setting.find()) {
      properties.setProperty(setting.group(1).toLowerCase(Locale.ROOT), setting.group(2));
    }
    return setting.replaceAll("");
  }

  private static String decoded(String text) {
    return java.net.URLDecoder.decode(
        text.replace("+", "%2B"), java.nio.charset.StandardCharsets.UTF_8);
  }

  /** A misspelt parameter is refused where the driver can list those that it knows. */
  private static void checkDriver(StorageUrl url, String driverUrl, Properties properties)
      throws StorageException {
    Driver driver;
    try {
      driver = DriverManager.getDriver(driverUrl);
    } catch (SQLException e) {
      String kind = driverUrl.substring(0, driverUrl.indexOf(':', "jdbc:".length()) + 1);
      throw refused(
          url,
          "no driver takes "
              + kind
              + ": put the jar of the database's JDBC driver on the class path"
              + (kind.equals("jdbc:postgresql:") ? ", org.postgresql:postgresql" : ""));
    }
    if (!driverUrl.startsWith("jdbc:postgresql:")) {
      return; // others take more than they list
    }
    TreeSet<String> known = new TreeSet<>();
    try {
      for (DriverPropertyInfo info : driver.getPropertyInfo(driverUrl, new Properties())) {
        known.add(info.name);
      }
    } catch (SQLException e) {
      throw refused(url, SqlFailures.detail(e));
    }
    for (String given : properties.stringPropertyNames()) {
      if (!known.contains(given)) {
        throw refused(
            url,
            "unknown parameter '"
                + given
                + "': the storage knows "
                + String.join(", ", OURS)
                + ", the driver "
                + String.join(", ", known));
      }
    }
  }

  private static JdbcOptions options(StorageUrl url) throws StorageException {
    Map<String, String> given = url.parameters();
    String table = given.get("table");
    String select = given.get("select");
    JdbcOptions.Builder builder;
    if (table != null) {
      builder = JdbcOptions.table(table);
      if (select != null) {
        throw new IllegalArgumentException("table and select exclude each other: keep one");
      }
    } else if (select != null) {
      builder = JdbcOptions.select(select);
    } else {
      throw new IllegalArgumentException(
          "it names no table: add table=NAME, or select=SQL for SQL of your own");
    }
    for (Map.Entry<String, String> parameter : given.entrySet()) {
      take(builder, url, parameter.getKey(), parameter.getValue());
    }
    return builder.build();
  }

  private static void take(JdbcOptions.Builder builder, StorageUrl url, String name, String value)
      throws StorageException {
    switch (name) {
      case "schema" -> builder.schema(value);
      case "key" -> builder.key(value);
      case "value" -> builder.value(value.split(",", -1));
      case "selectAll" -> builder.selectAll(value);
      case "upsert" -> builder.upsert(value);
      case "delete" -> builder.delete(value);
      case "keyType" -> builder.keyType(value);
      case "create" -> builder.create(url.flag(name, false));
      case "readOnly" -> builder.readOnly(url.flag(name, false));
      case "connections" -> builder.connections(number(name, value));
      case "timeout" -> builder.timeout(duration(name, value));
      case "bulk" -> builder.bulk(number(name, value));
      case "feed" -> builder.feed(constant(JdbcOptions.Feed.class, name, value));
      case "revisions" -> builder.revisions(constant(JdbcOptions.Revisions.class, name, value));
      case "history" -> builder.history(number(name, value));
      default -> {
        // The table and the select were taken, all others are the driver's.
      }
    }
  }

  private static int number(String name, String value) {
    try {
      return Integer.parseInt(value);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(name + " is '" + value + "': write a whole number", e);
    }
  }

  private static Duration duration(String name, String value) {
    try {
      return Duration.parse(value);
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(
          name + " is '" + value + "': write it like PT5S or PT0.5S", e);
    }
  }

  private static <E extends Enum<E>> E constant(Class<E> type, String name, String value) {
    for (E constant : type.getEnumConstants()) {
      if (constant.name().toLowerCase(Locale.ROOT).equals(value)) {
        return constant;
      }
    }
    throw new IllegalArgumentException(
        name
            + " is '"
            + value
            + "': write "
            + String.join(
                " or ",
                Arrays.stream(type.getEnumConstants())
                    .map(constant -> constant.name().toLowerCase(Locale.ROOT))
                    .toList()));
  }

  private static StorageException refused(StorageUrl url, String why) {
    return new StorageException(url.toString(), "cannot open " + url + ": " + why, null, false);
  }

  /** Without the properties, which hold credentials. */
  @Override
  public String toString() {
    return name;
  }
}
