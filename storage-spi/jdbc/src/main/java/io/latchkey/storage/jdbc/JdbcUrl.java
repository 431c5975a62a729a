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
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

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

  private static final String KNOWN = "the storage knows " + String.join(", ", OURS);

  private static final Set<String> CREDENTIALS = Set.of("user", "password");

  /** Drivers that read the escapes of a URL themselves. */
  private static final Pattern ESCAPING = Pattern.compile("(postgresql|mysql|mariadb):.*");

  /** A user and a password in front of the host; the password may hold an {@code @}. */
  private static final Pattern USER_INFO =
      Pattern.compile("((?:[a-z0-9+-]+:)+//)([^/]*)@(.*)", Pattern.DOTALL);

  /** Oracle's user and password. */
  private static final Pattern SLASHED =
      Pattern.compile("(oracle:[a-z0-9]+:)([^/@]*)/(.*)(@.*)", Pattern.DOTALL);

  /**
   * What H2 and others write behind semicolons; a backslash takes the next one as it stands, and
   * braces all within.
   */
  private static final Pattern SETTING =
      Pattern.compile(
          "(?i);\\s*(user|password)\\s*=(?:\\{((?:[^}]|}})*)}|((?:\\\\.|[^;\\\\])*))",
          Pattern.DOTALL);

  /** Hosts with ports, as PostgreSQL's driver takes them; it would log anything else. */
  private static final Pattern HOSTS =
      Pattern.compile(
          "postgresql://HOST(,HOST)*(/.*)?"
              .replace("HOST", "(\\[[0-9A-Fa-f:.]*]|[^\\[\\]/:@,]*)(:[0-9]*)?"));

  static JdbcUrl of(StorageUrl url) throws StorageException {
    String raw = url.uri().getRawSchemeSpecificPart();
    int query = raw.indexOf('?');
    String rawLocation = query < 0 ? raw : raw.substring(0, query);
    boolean escaped = ESCAPING.matcher(rawLocation).matches();
    String location = escaped ? rawLocation : url.location();
    if (location.indexOf(':') <= 0) {
      throw new StorageException(
          "jdbc:",
          "cannot open a jdbc: URL: it names no database: write for example"
              + " jdbc:postgresql://HOST/DATABASE?table=NAME",
          null,
          false);
    }
    Properties properties = new Properties();
    location = withoutCredentials(location, escaped, properties);
    if (location.startsWith("postgresql://") && !HOSTS.matcher(location).matches()) {
      throw new StorageException(
          "jdbc:postgresql:",
          "cannot open a jdbc:postgresql: URL: what follows the // is no HOST:PORT/DATABASE. In a"
              + " user or password write / as %2F, ? as %3F and : as %3A",
          null,
          false);
    }
    String name = StorageUrl.redact("jdbc:" + location);
    StringBuilder settings = new StringBuilder();
    for (Map.Entry<String, String> parameter : url.parameters().entrySet()) {
      String key = parameter.getKey();
      if (Arrays.asList(OURS).contains(key)) {
        continue;
      }
      if (location.startsWith("h2:") && !CREDENTIALS.contains(key.toLowerCase(Locale.ROOT))) {
        settings.append(setting(url, key, parameter.getValue()));
      } else {
        properties.setProperty(key, parameter.getValue());
      }
    }
    String driverUrl = "jdbc:" + location + settings;
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

  /** H2 refuses a setting that it does not know in the URL only. */
  private static String setting(StorageUrl url, String name, String value) throws StorageException {
    if (!name.matches("[A-Za-z_]+")) {
      throw refused(url, "unknown parameter '" + name + "': " + KNOWN);
    }
    return ";" + name + "=" + value.replace("\\", "\\\\").replace(";", "\\;");
  }

  private static String withoutCredentials(
      String location, boolean escaped, Properties properties) {
    String rest = location;
    Matcher authority = USER_INFO.matcher(rest);
    if (authority.matches()) {
      String[] parts = authority.group(2).split(":", 2);
      properties.setProperty("user", escaped ? decoded(parts[0]) : parts[0]);
      if (parts.length > 1) {
        properties.setProperty("password", escaped ? decoded(parts[1]) : parts[1]);
      }
      rest = authority.group(1) + authority.group(3);
    }
    Matcher slashed = SLASHED.matcher(rest);
    if (slashed.matches()) {
      properties.setProperty("user", slashed.group(2));
      properties.setProperty("password", slashed.group(3));
      rest = slashed.group(1) + slashed.group(4);
    }
    Matcher setting = SETTING.matcher(rest);
    while (setting.find()) {
      String braced = setting.group(2);
      properties.setProperty(
          setting.group(1).toLowerCase(Locale.ROOT),
          braced == null
              ? setting.group(3).replaceAll("\\\\(.)", "$1")
              : braced.replace("}}", "}"));
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
    Driver driver = driver(driverUrl);
    if (driver == null) {
      String kind = driverUrl.substring(0, driverUrl.indexOf(':', "jdbc:".length()) + 1);
      throw refused(
          url,
          "no driver takes "
              + kind
              + ": put the jar of the database's JDBC driver on the class path"
              + (kind.equals("jdbc:postgresql:") ? ", org.postgresql:postgresql" : ""));
    }
    if (!driverUrl.startsWith("jdbc:postgresql:") && !driverUrl.startsWith("jdbc:sqlite:")) {
      return; // H2 refuses what it does not know, others take more than they list
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
                + "': "
                + KNOWN
                + ", the driver "
                + String.join(", ", known));
      }
    }
  }

  private static @Nullable Driver driver(String driverUrl) {
    try {
      return DriverManager.getDriver(driverUrl);
    } catch (SQLException e) {
      // Perhaps nobody looked for drivers where this module is: they register when they are loaded.
      ServiceLoader.load(Driver.class, JdbcUrl.class.getClassLoader()).stream()
          .forEach(ServiceLoader.Provider::get);
    }
    try {
      return DriverManager.getDriver(driverUrl);
    } catch (SQLException e) {
      return null;
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
