package io.latchkey.storage.redis;

import io.latchkey.storage.StorageException;
import io.latchkey.storage.StorageUrl;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a {@link RedisStorage} is opened. In a URL these are parameters of the same names, times as
 * in ISO 8601: {@code redis://localhost:6379/0?prefix=user:&ttl=PT1H&timeout=PT0.5S}. The parameter
 * {@code kind}, which is {@code string} or {@code hash}, may say besides what is meant.
 *
 * @param prefix what the names of the Redis keys begin with, before the bytes of the object's key;
 *     nothing unless told. Written as UTF-8
 * @param hash the name of one Redis hash that holds all objects, each in the field that has the
 *     bytes of its key as its name; null, as it is unless told, if each object has a Redis key
 * @param field the field of a Redis hash that holds an object, of a hash for each object, whose
 *     other fields are left alone; null, as it is unless told, if an object is a Redis string
 * @param ttl after which time Redis forgets what is stored, counted from each store; null, as it is
 *     unless told, for never. From a millisecond to 100 years. Not with {@code hash}
 * @param timeout how long a call waits for the server at most, connecting included, from a
 *     millisecond to a day; 5 seconds unless told
 * @param heartbeat how often the feed asks a server whether it is there, and how long it waits for
 *     the answer, so that a server that fell silent is a loss after twice this time; from a
 *     millisecond to a day; 2 seconds unless told
 * @param cluster whether the server is a node of a Redis Cluster; false unless told
 * @param feed how the feed learns of changes; {@link Feed#DEFAULT} unless told, which is {@link
 *     Feed#BROADCAST} with a cluster
 */
public record RedisOptions(
    String prefix,
    @Nullable String hash,
    @Nullable String field,
    @Nullable Duration ttl,
    Duration timeout,
    Duration heartbeat,
    boolean cluster,
    Feed feed) {
  /** How the feed learns of changes. */
  public enum Feed {
    /**
     * The server remembers which keys this storage read or wrote, and tells the changes of these.
     * Not with a cluster.
     */
    DEFAULT,

    /** The server remembers nothing, and tells the changes of all keys with the prefix. */
    BROADCAST,

    /** There is no feed: the storage is not watchable, and caches over it are not told. */
    NONE
  }

  private static final Duration SHORTEST = Duration.ofMillis(1);
  private static final Duration LONGEST_WAIT = Duration.ofDays(1);
  private static final Duration LONGEST_LIFE = Duration.ofDays(36_500);
  private static final String WAIT_FORM = "give a time from PT0.001S to PT24H";
  private static final String LIFE_FORM = "give a time from PT0.001S to P36500D";
  private static final RedisOptions DEFAULTS =
      new RedisOptions(
          "", null, null, null, Duration.ofSeconds(5), Duration.ofSeconds(2), false, Feed.DEFAULT);

  /**
   * Takes the options.
   *
   * @param prefix what the names of the Redis keys begin with
   * @param hash the name of one hash for all objects, or null
   * @param field the field of a hash for each object, or null
   * @param ttl after which time Redis forgets what is stored, or null
   * @param timeout how long a call waits
   * @param heartbeat how often the feed asks whether a server is there
   * @param cluster whether it is a cluster
   * @param feed how the feed learns of changes
   * @throws NullPointerException if another one than hash, field and ttl is null
   * @throws IllegalArgumentException if they contradict each other, or a time is out of its range
   */
  public RedisOptions {
    Objects.requireNonNull(prefix, "prefix");
    Objects.requireNonNull(timeout, "timeout");
    Objects.requireNonNull(heartbeat, "heartbeat");
    Objects.requireNonNull(feed, "feed");
    String refusal = contradiction(prefix, hash, field, ttl);
    if (refusal == null) {
      refusal = refusal("ttl", ttl, LONGEST_LIFE, LIFE_FORM);
    }
    if (refusal == null) {
      refusal = refusal("timeout", timeout, LONGEST_WAIT, WAIT_FORM);
    }
    if (refusal == null) {
      refusal = refusal("heartbeat", heartbeat, LONGEST_WAIT, WAIT_FORM);
    }
    if (refusal != null) {
      throw new IllegalArgumentException(refusal);
    }
    if (cluster && feed == Feed.DEFAULT) {
      feed = Feed.BROADCAST;
    }
  }

  private static @Nullable String contradiction(
      String prefix, @Nullable String hash, @Nullable String field, @Nullable Duration ttl) {
    if (hash == null) {
      return null;
    }
    if (field != null) {
      return "hash and field contradict each other: hash=NAME keeps all objects in the hash NAME,"
          + " field=NAME each object in a hash of its own; give one of them";
    }
    if (!prefix.isEmpty()) {
      return "prefix is for a Redis key for each object: with hash, make it a part of the hash's"
          + " name";
    }
    return ttl == null
        ? null
        : "ttl is for a Redis key for each object: the fields of a hash do not expire by themselves;"
            + " leave out hash or ttl";
  }

  private static @Nullable String refusal(
      String name, @Nullable Duration value, Duration longest, String form) {
    return value == null || (value.compareTo(SHORTEST) >= 0 && value.compareTo(longest) <= 0)
        ? null
        : name + " is " + value + ": " + form;
  }

  /**
   * The options that apply unless told otherwise.
   *
   * @return the options
   */
  public static RedisOptions defaults() {
    return DEFAULTS;
  }

  /**
   * These options with another {@link #prefix()}.
   *
   * @param value the prefix
   * @return new options
   * @throws NullPointerException if it is null
   * @throws IllegalArgumentException if there is a {@link #hash()}
   */
  public RedisOptions withPrefix(String value) {
    return new RedisOptions(value, hash, field, ttl, timeout, heartbeat, cluster, feed);
  }

  /**
   * These options with another {@link #hash()}.
   *
   * @param value the name of the hash, or null
   * @return new options
   * @throws IllegalArgumentException if there is a prefix, a field or a time to live
   */
  public RedisOptions withHash(@Nullable String value) {
    return new RedisOptions(prefix, value, field, ttl, timeout, heartbeat, cluster, feed);
  }

  /**
   * These options with another {@link #field()}.
   *
   * @param value the name of the field, or null
   * @return new options
   * @throws IllegalArgumentException if there is a {@link #hash()}
   */
  public RedisOptions withField(@Nullable String value) {
    return new RedisOptions(prefix, hash, value, ttl, timeout, heartbeat, cluster, feed);
  }

  /**
   * These options with another {@link #ttl()}.
   *
   * @param value the time, or null
   * @return new options
   * @throws IllegalArgumentException if it is out of its range, or there is a {@link #hash()}
   */
  public RedisOptions withTtl(@Nullable Duration value) {
    return new RedisOptions(prefix, hash, field, value, timeout, heartbeat, cluster, feed);
  }

  /**
   * These options with another {@link #timeout()}.
   *
   * @param value the time
   * @return new options
   * @throws NullPointerException if it is null
   * @throws IllegalArgumentException if it is out of its range
   */
  public RedisOptions withTimeout(Duration value) {
    return new RedisOptions(prefix, hash, field, ttl, value, heartbeat, cluster, feed);
  }

  /**
   * These options with another {@link #heartbeat()}.
   *
   * @param value the time
   * @return new options
   * @throws NullPointerException if it is null
   * @throws IllegalArgumentException if it is out of its range
   */
  public RedisOptions withHeartbeat(Duration value) {
    return new RedisOptions(prefix, hash, field, ttl, timeout, value, cluster, feed);
  }

  /**
   * These options with another value for {@link #cluster()}.
   *
   * @param value the value
   * @return new options
   */
  public RedisOptions withCluster(boolean value) {
    return new RedisOptions(prefix, hash, field, ttl, timeout, heartbeat, value, feed);
  }

  /**
   * These options with another {@link #feed()}.
   *
   * @param value the way
   * @return new options
   * @throws NullPointerException if it is null
   */
  public RedisOptions withFeed(Feed value) {
    return new RedisOptions(prefix, hash, field, ttl, timeout, heartbeat, cluster, value);
  }

  /** Reads the parameters of a URL; those that say how to connect are the {@link RedisUrl}'s. */
  static RedisOptions of(StorageUrl url) throws StorageException {
    String kind = url.parameters().get("kind");
    String hash = url.parameters().get("hash");
    String field = url.parameters().get("field");
    boolean hashes = hash != null || field != null;
    if (kind != null && !kind.equals("string") && !kind.equals("hash")) {
      throw refused(url, "kind is '" + kind + "': write string or hash");
    }
    if (hashes && "string".equals(kind)) {
      throw refused(url, "kind=string has neither hash nor field: leave them out, or write hash");
    }
    if (!hashes && "hash".equals(kind)) {
      throw refused(
          url,
          "kind=hash needs a name: write hash=NAME for one hash with all objects, or field=NAME for"
              + " a hash for each object");
    }
    boolean cluster = url.flag("cluster", DEFAULTS.cluster);
    try {
      return new RedisOptions(
          url.parameters().getOrDefault("prefix", DEFAULTS.prefix),
          hash,
          field,
          time(url, "ttl", LIFE_FORM),
          Objects.requireNonNullElse(time(url, "timeout", WAIT_FORM), DEFAULTS.timeout),
          Objects.requireNonNullElse(time(url, "heartbeat", WAIT_FORM), DEFAULTS.heartbeat),
          cluster,
          feed(url, cluster));
    } catch (IllegalArgumentException e) {
      throw refused(url, String.valueOf(e.getMessage()));
    }
  }

  private static @Nullable Duration time(StorageUrl url, String name, String form)
      throws StorageException {
    String given = url.parameters().get(name);
    try {
      return given == null ? null : Duration.parse(given);
    } catch (DateTimeParseException e) {
      throw refused(url, name + " is '" + given + "': " + form + ", as in ISO 8601");
    }
  }

  private static Feed feed(StorageUrl url, boolean cluster) throws StorageException {
    String given = url.parameters().get("feed");
    if (given == null) {
      return DEFAULTS.feed;
    }
    for (Feed way : Feed.values()) {
      if (way.name().toLowerCase(Locale.ROOT).equals(given)) {
        if (cluster && way == Feed.DEFAULT) {
          throw refused(url, "feed=default is not for a cluster: write broadcast or none");
        }
        return way;
      }
    }
    throw refused(url, "feed is '" + given + "': write default, broadcast or none");
  }

  private static StorageException refused(StorageUrl url, String why) {
    return new StorageException(url.toString(), "cannot open " + url + ": " + why, null, false);
  }
}
