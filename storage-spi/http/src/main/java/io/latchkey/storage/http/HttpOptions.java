package io.latchkey.storage.http;

import io.latchkey.storage.StorageException;
import io.latchkey.storage.StorageUrl;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How an {@link HttpStorage} is opened. In a URL these are parameters of the same names: {@code
 * http://host:8080/?token=…&connections=8&timeout=PT3S}.
 *
 * @param token what the server wants as bearer token, or null; never part of a text for people
 * @param connections how many connections are used at most, the one of the feed not counted, from 1
 *     to 1024; 4 unless told. Each is opened when all others are busy
 * @param pipeline how many requests one connection may have under way, from 1 to 1024; 16 unless
 *     told
 * @param timeout how long a call waits for its answer, from 1 ms to 1 day; PT10S unless told
 * @param connectTimeout how long a connection may take, TLS included, from 1 ms to 1 day; PT3S
 *     unless told
 * @param heartbeat how long the server may be silent on the feed before it is taken for dead, from
 *     1 ms to 1 day; PT15S unless told. The server says something every 5 s unless told otherwise
 * @param maxBytes the largest answer, and the largest event of the feed, that is taken, from 1024
 *     to 2147483639; 67108864 unless told
 * @param trust a PEM file with the certificates that are trusted, in place of the JVM's own; null
 *     unless told
 */
public record HttpOptions(
    @Nullable String token,
    int connections,
    int pipeline,
    Duration timeout,
    Duration connectTimeout,
    Duration heartbeat,
    int maxBytes,
    @Nullable Path trust) {
  private static final int MOST = 1024;

  /** The longest array that every JVM makes. */
  private static final int MOST_BYTES = Integer.MAX_VALUE - 8;

  private static final int LEAST_BYTES = 1024;
  private static final Duration LONGEST = Duration.ofDays(1);

  private static final HttpOptions DEFAULTS =
      new HttpOptions(
          null,
          4,
          16,
          Duration.ofSeconds(10),
          Duration.ofSeconds(3),
          Duration.ofSeconds(15),
          64 << 20,
          null);

  /**
   * Takes the options.
   *
   * @param token what the server wants as bearer token, or null
   * @param connections how many connections are used at most
   * @param pipeline how many requests one connection may have under way
   * @param timeout how long a call waits for its answer
   * @param connectTimeout how long a connection may take
   * @param heartbeat how long the server may be silent on the feed
   * @param maxBytes the largest answer and the largest event that is taken
   * @param trust a PEM file with the certificates that are trusted, or null
   * @throws NullPointerException if a duration is null
   * @throws IllegalArgumentException if a value is out of its range, or the token holds anything
   *     but visible ASCII characters; the message names the parameter and the range
   */
  public HttpOptions {
    checkNumber("connections", connections, 1, MOST);
    checkNumber("pipeline", pipeline, 1, MOST);
    checkNumber("maxBytes", maxBytes, LEAST_BYTES, MOST_BYTES);
    checkDuration("timeout", timeout);
    checkDuration("connectTimeout", connectTimeout);
    checkDuration("heartbeat", heartbeat);
    if (token != null && (token.isEmpty() || !token.chars().allMatch(c -> c > ' ' && c < 0x7f))) {
      throw new IllegalArgumentException(
          "the token is empty or holds a character that no token has: give visible ASCII"
              + " characters without blanks");
    }
  }

  private static void checkNumber(String name, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(name + " is " + value + ": give " + least + " to " + most);
    }
  }

  private static void checkDuration(String name, Duration value) {
    Objects.requireNonNull(value, name);
    if (value.toMillis() < 1 || value.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          name + " is " + value + ": give 1 ms to 1 day, for example PT10S");
    }
  }

  /**
   * The options that apply unless told otherwise.
   *
   * @return the options
   */
  public static HttpOptions defaults() {
    return DEFAULTS;
  }

  /** Reads the parameters of a URL. */
  static HttpOptions of(StorageUrl url) throws StorageException {
    url.allowParameters(
        "token",
        "connections",
        "pipeline",
        "timeout",
        "connectTimeout",
        "heartbeat",
        "maxBytes",
        "trust");
    try {
      return new HttpOptions(
          url.parameters().get("token"),
          number(url, "connections", DEFAULTS.connections),
          number(url, "pipeline", DEFAULTS.pipeline),
          duration(url, "timeout", DEFAULTS.timeout),
          duration(url, "connectTimeout", DEFAULTS.connectTimeout),
          duration(url, "heartbeat", DEFAULTS.heartbeat),
          number(url, "maxBytes", DEFAULTS.maxBytes),
          path(url, "trust"));
    } catch (IllegalArgumentException e) {
      throw new StorageException(
          url.toString(), "cannot open " + url + ": " + e.getMessage(), null, false);
    }
  }

  private static int number(StorageUrl url, String name, int otherwise) {
    String given = url.parameters().get(name);
    try {
      return given == null ? otherwise : Integer.parseInt(given);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(name + " is '" + given + "': give a whole number", e);
    }
  }

  private static Duration duration(StorageUrl url, String name, Duration otherwise) {
    String given = url.parameters().get(name);
    try {
      return given == null ? otherwise : Duration.parse(given);
    } catch (DateTimeParseException e) {
      throw new IllegalArgumentException(
          name + " is '" + given + "': give a duration as PT10S or PT0.5S", e);
    }
  }

  private static @Nullable Path path(StorageUrl url, String name) {
    String given = url.parameters().get(name);
    try {
      return given == null ? null : Path.of(given);
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException(
          name + " is '" + given + "', no path on this system: " + e.getReason(), e);
    }
  }

  /**
   * These options with another value for {@link #token()}.
   *
   * @param value the value, or null for none
   * @return new options
   * @throws IllegalArgumentException if it holds anything but visible ASCII characters
   */
  public HttpOptions withToken(@Nullable String value) {
    return new HttpOptions(
        value, connections, pipeline, timeout, connectTimeout, heartbeat, maxBytes, trust);
  }

  /**
   * These options with another value for {@link #connections()}.
   *
   * @param value the value
   * @return new options
   * @throws IllegalArgumentException if it is out of its range
   */
  public HttpOptions withConnections(int value) {
    return new HttpOptions(
        token, value, pipeline, timeout, connectTimeout, heartbeat, maxBytes, trust);
  }

  /**
   * These options with another value for {@link #pipeline()}.
   *
   * @param value the value
   * @return new options
   * @throws IllegalArgumentException if it is out of its range
   */
  public HttpOptions withPipeline(int value) {
    return new HttpOptions(
        token, connections, value, timeout, connectTimeout, heartbeat, maxBytes, trust);
  }

  /**
   * These options with another value for {@link #timeout()}.
   *
   * @param value the value
   * @return new options
   * @throws NullPointerException if it is null
   * @throws IllegalArgumentException if it is out of its range
   */
  public HttpOptions withTimeout(Duration value) {
    return new HttpOptions(
        token, connections, pipeline, value, connectTimeout, heartbeat, maxBytes, trust);
  }

  /**
   * These options with another value for {@link #connectTimeout()}.
   *
   * @param value the value
   * @return new options
   * @throws NullPointerException if it is null
   * @throws IllegalArgumentException if it is out of its range
   */
  public HttpOptions withConnectTimeout(Duration value) {
    return new HttpOptions(
        token, connections, pipeline, timeout, value, heartbeat, maxBytes, trust);
  }

  /**
   * These options with another value for {@link #heartbeat()}.
   *
   * @param value the value
   * @return new options
   * @throws NullPointerException if it is null
   * @throws IllegalArgumentException if it is out of its range
   */
  public HttpOptions withHeartbeat(Duration value) {
    return new HttpOptions(
        token, connections, pipeline, timeout, connectTimeout, value, maxBytes, trust);
  }

  /**
   * These options with another value for {@link #maxBytes()}.
   *
   * @param value the value
   * @return new options
   * @throws IllegalArgumentException if it is out of its range
   */
  public HttpOptions withMaxBytes(int value) {
    return new HttpOptions(
        token, connections, pipeline, timeout, connectTimeout, heartbeat, value, trust);
  }

  /**
   * These options with another value for {@link #trust()}.
   *
   * @param value the value, or null for the JVM's own certificates
   * @return new options
   */
  public HttpOptions withTrust(@Nullable Path value) {
    return new HttpOptions(
        token, connections, pipeline, timeout, connectTimeout, heartbeat, maxBytes, value);
  }

  /** The options for people; of the token it only says whether there is one. */
  @Override
  public String toString() {
    return "HttpOptions[token="
        + (token == null ? "none" : "***")
        + ", connections="
        + connections
        + ", pipeline="
        + pipeline
        + ", timeout="
        + timeout
        + ", connectTimeout="
        + connectTimeout
        + ", heartbeat="
        + heartbeat
        + ", maxBytes="
        + maxBytes
        + ", trust="
        + trust
        + "]";
  }
}
